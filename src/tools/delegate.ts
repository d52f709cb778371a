/** Gives a task to a child run with a fresh context. */
import * as z from 'zod';
import type { ExecuteContext, Tool, ToolOutput } from '../core/run/tool.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import { defineTool } from './define-tool.ts';

/** `step` is the step of the plan of the run that the task carries out. */
export type Task = { task: string; agent?: string | undefined; step?: number };
/** Carries out the task of a call. After a pause or a reload, the run that the call has started before goes on. */
export type Delegate = (task: Task, call: Pick<ExecuteContext, 'callId' | 'signal' | 'progress'>) => Promise<ToolOutput>;

const TITLE = 80;

export function delegateTool(delegate: Delegate): Tool {
  const tool = defineTool({
    name: 'delegate',
    description:
      'Give a self-contained reading task to a fresh assistant, which sees nothing of this conversation. Only its answer returns. Calls in one turn run at once.',
    effect: 'readonly',
    input: z.object({ task: z.string().min(1), agent: z.string().optional() }),
    async prepare({ task, agent }) {
      const line = visibleLine(task);
      return {
        title: `Delegate: ${line.length > TITLE ? `${line.slice(0, TITLE)}…` : line}`,
        targets: [],
        execute: (context) => delegate({ task, agent }, context),
      };
    },
  });
  return Object.defineProperty(tool, 'delegates', { value: true, enumerable: true });
}
