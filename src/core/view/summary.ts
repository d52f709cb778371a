/** Summarizes what a paused run has done and found. The summary is computed from the messages of the run, without a request to a model. */
import { callsOf, resultText, type ToolCall, type ToolResult, textOf } from '../model/messages.ts';
import type { RunRecord, SessionState } from '../session/session-state.ts';

const MOST_PATHS = 8;
const MOST_LOOKUPS = 6;
const MOST_THOUGHTS = 3;
const MOST_LETTERS = 400;

export function describeProgress(state: SessionState, run: RunRecord | undefined): string {
  const since = state.messages.slice(run?.messagesBefore);
  const results = new Map(state.results);
  for (const message of since) if (message.role === 'tool') for (const result of message.content) results.set(result.callId, result);
  const requestedCalls = since.flatMap(callsOf);
  const executedCalls = requestedCalls.flatMap((call) => {
    const result = state.carriedOut.has(call.id) ? results.get(call.id) : undefined;
    return result ? [{ call, result }] : [];
  });
  const succeeded = executedCalls.filter(({ result }) => !result.isError);
  const read = succeeded.flatMap(({ call }) => (call.name === 'read_file' ? [argument(call, 'path')] : []));
  const changed = state.staged.flatMap(({ runId, change, landed }) => (landed && runId === run?.runId ? [change.path] : []));
  const lookups = succeeded.flatMap(({ call, result }) => lookupOf(call, result));
  const thoughts = since.flatMap((message) => (message.role === 'assistant' ? [flat(textOf(message))] : [])).filter(Boolean);
  return (
    [
      requestedCalls.length > 0 && countLine(executedCalls, requestedCalls.length - executedCalls.length),
      named('Changed', changed),
      named('Read', read),
      lookups.length > 0 &&
        `Found:\n${[...new Set(lookups)]
          .slice(-MOST_LOOKUPS)
          .map((line) => `- ${line}`)
          .join('\n')}`,
      thoughts.length > 0 &&
        `The model’s last messages:\n${thoughts
          .slice(-MOST_THOUGHTS)
          .map((line) => `- ${line}`)
          .join('\n')}`,
    ]
      .filter(Boolean)
      .join('\n\n') || 'The run has not executed any tool call yet.'
  );
}

/** Example: "So far 3 tool calls: read_file × 2, search_text. 1 of them failed. 2 more were requested but not executed." */
function countLine(made: readonly { call: ToolCall; result: ToolResult }[], left: number): string {
  const counts = new Map<string, number>();
  for (const { call } of made) counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => `${name}${count > 1 ? ` × ${count}` : ''}`);
  const failed = made.filter(({ result }) => result.isError).length;
  const count = `So far ${made.length} tool ${made.length === 1 ? 'call' : 'calls'}`;
  return [
    made.length > 0 ? `${count}: ${parts.join(', ')}.` : 'So far no tool call was executed.',
    failed > 0 && `${failed} of them failed.`,
    left > 0 && `${left} more ${left === 1 ? 'was' : 'were'} requested but not executed.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function named(title: string, paths: readonly string[]): string | undefined {
  const all = [...new Set(paths)];
  if (all.length === 0) return undefined;
  const more = all.length > MOST_PATHS ? ` and ${all.length - MOST_PATHS} more` : '';
  return `${title}: ${all.slice(0, MOST_PATHS).join(', ')}${more}.`;
}

/** Summarizes the result of a search or command in one line. */
function lookupOf(call: ToolCall, result: ToolResult): string[] {
  const text = resultText(result);
  if (call.name === 'run_command') return [`${code(argument(call, 'command'))}: ${flat(text.split('\n', 1)[0] ?? '', 80)}`];
  const what = argument(call, 'pattern') || argument(call, 'symbol') || argument(call, 'query') || argument(call, 'glob');
  if (!what) return [];
  const hits = text.match(/^ {2}\d+: /gm)?.length ?? 0;
  if (hits > 0) {
    const files = text.match(/^[^\s[].*\n {2}\d+: /gm) ?? [];
    const places = files.slice(0, 3).map((head) => head.slice(0, head.indexOf('\n')));
    return [
      `${code(what)}: ${hits} ${hits === 1 ? 'hit' : 'hits'} in ${places.join(', ')}${files.length > 3 ? ` and ${files.length - 3} more files` : ''}`,
    ];
  }
  if (/^No\b/.test(text)) return [`${code(what)}: nothing`];
  return call.name === 'find_files' ? [`${code(what)}: ${text.split('\n').length} files`] : [];
}

function argument({ input }: ToolCall, name: string): string {
  const value = (input as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

function code(text: string): string {
  return `\`${flat(text, 80).replaceAll('`', '’')}\``;
}

function flat(text: string, most = MOST_LETTERS): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
