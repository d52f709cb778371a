/** Reads from a session's log which lines of files the model has seen, so that an answer can be checked against it. */
import { shortenedResult } from '../../core/context/shorten.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import type { EventList } from '../../core/session/lists.ts';

/** The line numbers that tool results contained, by path. They are empty for a file that has no lines, such as an image. */
export type Evidence = ReadonlyMap<string, ReadonlySet<number>>;

type Finished = Extract<AgentEvent, { type: 'tool_finished' }>;

/** A result of a built-in tool, as the model received it. */
type OpenedText = { name: string; targets: Extract<AgentEvent, { type: 'tool_started' }>['targets']; text: string };

/** Yields the results of the named built-in tools. Only their formats are known, and a tool of an MCP server could imitate them. */
export function* openedTexts(events: EventList, isNamed: (name: string) => boolean): Generator<OpenedText> {
  const started = new Map(events.ofType('tool_started').map((event) => [event.callId, event]));
  for (const finished of events.ofType('tool_finished')) {
    const call = started.get(finished.callId);
    if (!call || call.source !== undefined || finished.result.isError || finished.withheld || !isNamed(call.name)) continue;
    yield { name: call.name, targets: call.targets, text: seenText(finished) };
  }
}

export function evidenceIn(events: EventList): Evidence {
  const evidence = new Map<string, Set<number>>();
  const linesOf = (path: string) => {
    const lines = evidence.get(path) ?? new Set<number>();
    evidence.set(path, lines);
    return lines;
  };
  for (const { name, targets, text } of openedTexts(events, (each) => each === 'read_file' || each === 'search_text')) {
    const [target] = targets;
    if (name === 'search_text') for (const [path, line] of searchedLines(text)) linesOf(path).add(line);
    else if (target) addReadLines(linesOf(target.path), text);
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
