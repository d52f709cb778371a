/** The run in which the user applies code from an answer, or the changes of a worktree, to files. No model is called: the run makes one call, which the user approves. */
import { INTERRUPTED, type Message, REJECTED, resultText, type ToolResult } from '../../core/model/messages.ts';
import type { ModelAdapter } from '../../core/model/model.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import { type Judgement, type Tool, ToolError } from '../../core/run/tool.ts';
import type { AppliedCode, AppliedWorktree } from '../../core/session/effects.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { applyCodeTool } from '../../tools/edit/apply-code.ts';
import { applyWorktreeTool } from '../../tools/edit/apply-worktree.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';

type Applied = AppliedCode | AppliedWorktree;

const REASONS = {
  code: 'You are applying code from an answer. No file is changed until you approve the change.',
  changes:
    'You are applying the changes of a worktree to your files. No file is changed until you approve them. What you leave out stays in the worktree.',
  child:
    'You are applying what a further run changed in its worktree. No file is changed until you approve it. What you leave out is deleted with the worktree.',
};

/** Returns the adapter that replaces the model in such a run, and its tools and decisions. The adapter calls the only tool. */
export function appliedRun(run: RunRecord, applies: Applied, { worktrees }: Pick<AssistantPorts, 'worktrees'>, sessionId: string) {
  return {
    adapter: applyAdapter(run, applies),
    tools: (workspace: Workspace, gate: WriteGate | undefined): Tool[] =>
      gate ? [toolOf(workspace, gate, applies, worktrees, sessionId, !run.parent)] : [],
    decide: (decide: RunPorts['decide']) => askAlways(decide, REASONS['code' in applies ? 'code' : run.parent ? 'child' : 'changes']),
  };
}

type Port = AssistantPorts['worktrees'];

function toolOf(workspace: Workspace, gate: WriteGate, applies: Applied, worktrees: Port, sessionId: string, staysOpen: boolean): Tool {
  if ('code' in applies) return applyCodeTool(workspace, gate, applies);
  return applyWorktreeTool(workspace, gate, {
    staysOpen,
    async read(signal) {
      if (!worktrees) throw new ToolError('The worktree cannot be read in this window. Open the folder on the computer that has it.');
      return (await worktrees()).changes(applies.worktree, sessionId, signal);
    },
  });
}

/** Makes the call, and ends the run with its result. */
function applyAdapter({ runId, parent }: RunRecord, applies: Applied): ModelAdapter {
  const call = 'code' in applies ? { name: 'apply_code', input: { path: applies.path } } : { name: 'apply_worktree', input: {} };
  return {
    isFree: true,
    async *stream({ messages }, signal) {
      signal.throwIfAborted();
      const last = messages.at(-1);
      const result = last?.role === 'tool' ? last.content.at(-1) : undefined;
      const tries = messages.filter(({ role }) => role === 'tool').length;
      // A child run is not started again by the user. After an interruption, the next call applies what is missing.
      const isOpen = result?.isError && (OVERTAKEN.test(resultText(result)) || resultText(result) === INTERRUPTED);
      if (result && !(parent && tries < TRIES && isOpen)) {
        const text = wasInterrupted(messages) && result.isError ? resultText(result) : endingOf(applies, result, parent);
        yield { type: 'part', part: { type: 'text', text } };
        return yield { type: 'stop', reason: 'end_turn' };
      }
      yield { type: 'part', part: { type: 'tool_call', id: `apply-${runId}${tries > 0 ? `-${tries + 1}` : ''}`, ...call } };
      yield { type: 'stop', reason: 'tool_use' };
    },
  };
}

/** The user has changed a file between the question and the answer. */
const OVERTAKEN = / after this change was prepared\. Nothing was changed\./;
const TRIES = 3;

/** An interrupted call may have applied something, so the ending of such a run does not say that nothing was applied. */
function wasInterrupted(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === 'tool' && message.content.some((result) => resultText(result) === INTERRUPTED));
}

function endingOf(applies: Applied, { isError, ...whole }: ToolResult, parent: RunRecord['parent']): string {
  const isCode = 'code' in applies;
  const result = resultText(whole);
  if (!isError) return isCode ? (result.split('\n', 1)[0] as string) : result;
  const nothing = isCode ? 'The code was not applied.' : 'The changes were not applied.';
  // The model of a parent run is told the words of the user.
  return result.startsWith(REJECTED) && !parent ? nothing : `${nothing} ${result}`;
}

/** The user is always asked, regardless of permissions, because they must see which lines change. No permission for later calls is offered. */
function askAlways(decide: RunPorts['decide'], reason: string): RunPorts['decide'] {
  return async (...call) => {
    const { covers: _, ...judged }: Judgement = await decide(...call);
    if (judged.kind === 'deny' || (judged.kind === 'ask' && judged.rule !== 'edit')) return judged;
    return { kind: 'ask', rule: 'edit', reason };
  };
}
