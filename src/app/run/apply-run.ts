/** The run in which the user applies code from an answer to a file. No model is called: the run makes one call, which the user approves. */
import { REJECTED, resultText } from '../../core/model/messages.ts';
import type { ModelAdapter } from '../../core/model/model.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Judgement, Tool } from '../../core/run/tool.ts';
import type { AppliedCode } from '../../core/session/effects.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { applyCodeTool } from '../../tools/edit/apply-code.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Returns the adapter that replaces the model in such a run, and its tools and decisions. The adapter calls the only tool. */
export function appliedRun(run: RunRecord, applies: AppliedCode) {
  return {
    adapter: applyAdapter(run, applies),
    tools: (workspace: Workspace, gate: WriteGate | undefined): Tool[] => (gate ? [applyCodeTool(workspace, gate, applies)] : []),
    decide: askAlways,
  };
}

/** Makes the call, and ends the run with its result. */
function applyAdapter({ runId }: RunRecord, { path }: AppliedCode): ModelAdapter {
  return {
    isFree: true,
    async *stream({ messages }, signal) {
      signal.throwIfAborted();
      const last = messages.at(-1);
      const result = last?.role === 'tool' ? last.content.at(-1) : undefined;
      if (result) {
        yield { type: 'part', part: { type: 'text', text: endingOf(resultText(result), result.isError === true) } };
        return yield { type: 'stop', reason: 'end_turn' };
      }
      yield { type: 'part', part: { type: 'tool_call', id: `apply-${runId}`, name: 'apply_code', input: { path } } };
      yield { type: 'stop', reason: 'tool_use' };
    },
  };
}

function endingOf(result: string, isError: boolean): string {
  if (!isError) return result.split('\n', 1)[0] as string;
  return result.startsWith(REJECTED) ? 'The code was not applied.' : `The code was not applied. ${result}`;
}

/** The user is always asked, regardless of permissions, because they must see which lines change. No permission for later calls is offered. */
function askAlways(decide: RunPorts['decide']): RunPorts['decide'] {
  return async (...call) => {
    const { covers: _, ...judged }: Judgement = await decide(...call);
    if (judged.kind === 'deny' || (judged.kind === 'ask' && judged.rule !== 'edit')) return judged;
    return { kind: 'ask', rule: 'edit', reason: 'You are applying code from an answer. No file is changed until you approve the change.' };
  };
}
