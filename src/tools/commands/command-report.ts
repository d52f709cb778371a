/** Formats the result of a command for the model: first its state, then its output. */
import type { ToolOutput } from '../../core/run/tool.ts';
import type { CommandResult, CommandState } from '../../workspace/commands.ts';

/** Matches messages of programs that could not find an API key or other credential. */
const MISSES_KEY =
  /api.?key|(?:access|auth|bearer|api|missing|valid|no) token|credential|unauthori[sz]ed|forbidden|authenticat|log ?in\b|environment variable/i;

export function commandReport({ id, state, durationMs, output, withheld = [] }: CommandResult, timeoutS: number): string {
  const { head, tail, gap } = output;
  const lines = [stateText(id, state, durationMs, timeoutS), head.trimEnd() === '' && !tail ? '(no output)' : head.trimEnd()];
  if (gap) {
    const left = gap.to > gap.from ? `lines ${gap.from}-${gap.to} omitted` : 'the middle omitted';
    lines.push(`[… ${left}; read on with command_output, id ${id} …]`);
  }
  if (tail) lines.push(tail.trimEnd());
  const text = `${head}\n${tail ?? ''}`;
  const mayMiss = state.kind === 'exited' && state.code !== 0 && (MISSES_KEY.test(text) || withheld.some((name) => text.includes(name)));
  if (withheld.length > 0 && mayMiss)
    lines.push(`[Variables that were not passed to the command: ${withheld.join(', ')}. The user can allow them in the settings.]`);
  return lines.join('\n');
}

export function stateText(id: string, state: CommandState, durationMs: number, timeoutS?: number): string {
  const after = `after ${seconds(durationMs)}`;
  switch (state.kind) {
    case 'running':
      return `Running in the background as ${id} ${after}.`;
    case 'timed_out':
      return `Stopped ${after}: it did not end within ${timeoutS ?? 'its'} s. Use a longer timeout_s, or run the command in the background.`;
    case 'stopped':
      return `Stopped ${after}.`;
    case 'exited': {
      const how = state.signal
        ? `Ended by ${state.signal}`
        : state.code === undefined
          ? 'Ended, exit code unknown,'
          : `Exit code ${state.code}`;
      return `${how} ${after}.${state.leftovers ? ' Processes that the command left running were stopped. Use background to keep them running.' : ''}`;
    }
  }
}

/** Describes the state of a command in one or two words, for display. */
export function endingOf(state: CommandState): Pick<ToolOutput, 'note' | 'stopped'> {
  return { note: stateNote(state), ...(state.kind === 'stopped' && { stopped: true }) };
}

function stateNote(state: CommandState): string {
  switch (state.kind) {
    case 'running':
      return 'in the background';
    case 'timed_out':
      return 'timed out';
    case 'stopped':
      return 'stopped';
    case 'exited':
      return state.signal ?? (state.code === undefined ? 'ended' : `exit ${state.code}`);
  }
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
