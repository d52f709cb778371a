/** The lines about child runs, which are indented below those of the run that they work for. */
import { resultText } from '../../../core/model/messages.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { findCall, type RunView, withChildren } from '../../../core/view/run-view.ts';
import { childName } from '../../../core/words/child-name.ts';
import { waitingText } from '../../../core/words/retry-text.ts';
import { oneLine, type Paint } from './terminal.ts';

export function childLine(event: AgentEvent, root: RunView | undefined, paint: Paint): string | undefined {
  const run = root && withChildren(root).find(({ id }) => id === event.runId);
  const indent = '  '.repeat(event.runId.split('.').length - 1);
  const name = oneLine(childName(event.runId, run?.prompt ?? '', run?.agent));
  switch (event.type) {
    case 'run_started':
      return paint.dim(
        `${indent}${name}${event.mode === 'agent' && !event.applies ? `, writing ${event.worktree ? 'in a worktree' : 'here'}` : ''}`,
      );
    case 'tool_finished': {
      const title = (run && findCall(run, event.callId)?.title) ?? event.result.name;
      const failed = event.result.isError ? `: ${oneLine(resultText(event.result))}` : '';
      return `${indent}  ${failed ? paint.red('✗') : paint.green('●')} ${oneLine(title)}${failed}`;
    }
    case 'model_waiting':
      return `${indent}${name}: ${waitingText(event, event.waitMs)}.`;
    case 'run_finished': {
      if (event.outcome === 'answered' || event.outcome === 'stopped') return undefined;
      return `${indent}${paint.red('✗')} ${name}${event.error ? `: ${oneLine(event.error.message)}` : ' failed'}`;
    }
    default:
      return undefined;
  }
}
