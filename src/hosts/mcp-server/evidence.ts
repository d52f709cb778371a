/** Reads from a session's log which lines of files the model has seen, so that an answer can be checked against it. */
import { shortenedResult } from '../../core/context/shorten.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import type { EventList } from '../../core/session/lists.ts';

/** The line numbers that tool results contained, by path. They are empty for a file that has no lines, such as an image. */
export type Evidence = ReadonlyMap<string, ReadonlySet<number>>;

type Finished = Extract<AgentEvent, { type: 'tool_finished' }>;

export function evidenceIn(events: EventList): Evidence {
  const evidence = new Map<string, Set<number>>();
  const linesOf = (path: string) => {
    const lines = evidence.get(path) ?? new Set<number>();
    evidence.set(path, lines);
    return lines;
  };
  const started = new Map(events.ofType('tool_started').map((event) => [event.callId, event]));
  for (const finished of events.ofType('tool_finished')) {
    const call = started.get(finished.callId);
    // Only the formats of the built-in tools are known, and a tool of an MCP server could imitate them.
    if (!call || call.source !== undefined || finished.result.isError || finished.withheld) continue;
    if (call.name === 'read_file') {
      const [target] = call.targets;
      if (target) addReadLines(linesOf(target.path), seenText(finished));
    } else if (call.name === 'search_text') {
      for (const [path, line] of searchedLines(seenText(finished))) linesOf(path).add(line);
    }
  }
  return evidence;
}

/** Returns the text of a result that the model received, which may be shorter than the text in the log. */
function seenText({ result, shown }: Finished): string {
  const { content } = shown === undefined ? result : shortenedResult(result, shown, '');
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

function addReadLines(lines: Set<number>, text: string): void {
  for (const line of text.split('\n')) {
    const number = /^(\d+)\t/.exec(line)?.[1];
    if (number !== undefined) lines.add(Number(number));
  }
}

/** Yields the places in a result of `search_text`: below the path of each file, its matching lines are indented. */
function* searchedLines(text: string): Generator<[path: string, line: number]> {
  let path: string | undefined;
  for (const line of text.split('\n')) {
    const number = /^ {2}(\d+): /.exec(line)?.[1];
    if (number === undefined) path = line === '' ? undefined : line;
    else if (path !== undefined) yield [path, Number(number)];
  }
}
