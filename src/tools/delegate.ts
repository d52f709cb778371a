/** Gives a task to a child run with a fresh context. */
import * as z from 'zod';
import type { ExecuteContext, Tool, ToolOutput } from '../core/run/tool.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import { defineTool } from './define-tool.ts';

/** Where a child run may change files. Without a place, it only reads. */
export const PLACES = ['here', 'worktree'] as const;
export type Place = (typeof PLACES)[number];
export type Task = { task: string; agent?: string | undefined; write?: Place | undefined };
/** Carries out the task of a call. After a pause or a reload, the run that the call has started before goes on. */
export type Delegate = (task: Task, call: Pick<ExecuteContext, 'callId' | 'signal' | 'progress'>) => Promise<ToolOutput>;

const TITLE = 80;
const TITLES: Readonly<Record<Place, string>> = { here: ', writing here', worktree: ', writing in a worktree' };
const READING =
  'Give a self-contained reading task to a fresh assistant, which sees nothing of this conversation. Only its answer returns.';
const TOGETHER = 'Calls in one turn run at once.';
const WRITING =
  'With `write`, it also changes files: here, while nothing else runs, or in a Git worktree of its own, whose changes the user then reviews.';

const input = z.object({ task: z.string().min(1), agent: z.string().optional() });
const writingInput = input.extend({ write: z.enum(PLACES).optional() });

/** Without `canWrite`, the tool has no input with which a task could ask for more than reading. */
export function delegateTool(delegate: Delegate, canWrite = false): Tool {
  const tool = defineTool<typeof writingInput>({
    name: 'delegate',
    description: [READING, TOGETHER, ...(canWrite ? [WRITING] : [])].join(' '),
    effect: 'readonly',
    input: canWrite ? writingInput : (input as typeof writingInput),
    async prepare({ task, agent, write }) {
      const line = visibleLine(task);
      const title = `Delegate${write ? TITLES[write] : ''}: ${line.length > TITLE ? `${line.slice(0, TITLE)}…` : line}`;
      return { title, targets: [], execute: (context) => delegate({ task, agent, ...(write && { write }) }, context) };
    },
  });
  return Object.assign(tool, { delegates: true, ...(canWrite && { alone: isAlone }) });
}

/** A child that writes in the user's folder runs alone. The input is not checked yet, so every field that could mean `write` counts. */
function isAlone(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return true;
  return Object.entries(given).some(([key, value]) => key !== 'task' && key !== 'agent' && value !== null && value !== 'worktree');
}
