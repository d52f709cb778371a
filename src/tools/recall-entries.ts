/** Lists the messages and tool results of a session that can be read again. Content that may not be read now is omitted. */
import { breaks, readInSlices } from '../core/breaks.ts';
import { addressOf } from '../core/context/shorten.ts';
import type { List } from '../core/list.ts';
import { isInWorkspace } from '../core/model/mentions.ts';
import {
  callsOf,
  type ImagePart,
  type MentionRef,
  type Message,
  resultText,
  type TextPart,
  type ToolResult,
  textOf,
} from '../core/model/messages.ts';
import { notesOf, withoutNotes } from '../core/model/notes.ts';
import type { EarlierCall, Judgement } from '../core/run/tool.ts';
import type { Target } from '../core/session/effects.ts';
import type { AgentEvent } from '../core/session/events.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type FileList, listOf, listOfMention } from './file-lists.ts';

/**
 * The conversation and the events of a session. `decideByRules` applies the current rules to the result of an earlier call. It returns undefined if
 * the result may be read again.
 */
export type History = {
  readonly messages: List<Message>;
  readonly events: List<AgentEvent>;
  decideByRules?(call: EarlierCall): Promise<Judgement | undefined>;
};

/** A message from the user or the model, or one result. `targets` are the files that the result came from. */
export type Entry = {
  address: string;
  title: string;
  content: (TextPart | ImagePart)[];
  /** For the content of a message: how its parts list files. */
  lists?: (FileList | undefined)[];
  targets: readonly Target[];
  secret: boolean;
  /** The call that returned the result, or the calls that read mentions from outside the workspace. */
  calls: readonly EarlierCall[];
  /** Whether the call was denied or rejected, so that the result contains only the reason. */
  wasWithheld?: boolean;
  /** Whether parts of the result were left out, because they may not be read without approval now. */
  isReduced?: boolean;
  /** Whether this is the result of an earlier recall. Its content is found in the original entry. */
  isCopy?: boolean;
};

/** Returns all entries. Lists of files in them omit the files that may not be read without approval now. */
export async function entriesOf(history: History, workspace: Workspace): Promise<Entry[]> {
  const isWithheld = withheldPaths(workspace);
  const isHidden = hiddenPaths(workspace);
  const isOut = { withheld: isWithheld, hidden: isHidden };
  const reducedEntry = async (entry: Entry): Promise<Entry> => {
    const { name = '', source } = entry.calls[0] ?? {};
    let isReduced = false;
    const reduced = async (part: TextPart | ImagePart, list: FileList | undefined) => {
      if (part.type === 'image' || !list) return part;
      const pieces = list.split(part.text);
      const out = await Promise.all(pieces.map(({ path }) => path !== undefined && isOut[list.leavesOut](path)));
      if (!out.includes(true)) return part;
      isReduced = true;
      return text(pieces.flatMap((piece, index) => (out[index] ? [] : [piece.text])).join(list.separator));
    };
    const list = source === 'builtin' ? listOf(name, entry.targets[0]?.path) : undefined;
    const content = await Promise.all(entry.content.map((part, index) => reduced(part, entry.lists?.[index] ?? list)));
    return isReduced ? { ...entry, content, isReduced } : entry;
  };
  const entries: Entry[] = [];
  const pause = breaks();
  for (const entry of await allEntries(history)) {
    entries.push(await reducedEntry(entry));
    await pause();
  }
  return entries;
}

/** Returns a function that returns true if an entry may not be read now without approval. */
export function withheldEntries({ decideByRules }: History, workspace: Workspace): (entry: Entry) => Promise<boolean> {
  const isWithheld = withheldPaths(workspace);
  const isHidden = hiddenPaths(workspace);
  return async ({ secret, targets, calls }) => {
    if (secret) return true;
    for (const { path, access } of targets) if (await (access === 'read' ? isWithheld(path) : isHidden(path))) return true;
    for (const call of calls) if (await decideByRules?.(call)) return true;
    return false;
  };
}

/** Returns a function that returns true if a file may not be read now without approval. Text that is not a path is always readable. */
export function withheldPaths(workspace: Workspace): (path: string) => Promise<boolean> {
  const isWithheld = workspace.withheldFiles('recall');
  return remembered(async (path) => isWithheld(await workspace.locate(path)));
}

/** Returns a function that returns true if a file is now hidden from models. */
export function hiddenPaths(workspace: Workspace): (path: string) => Promise<boolean> {
  return remembered(async (path) => workspace.fs.hides?.(await workspace.locate(path)) ?? false);
}

/** A path that can no longer be resolved counts as withheld. */
function remembered(check: (path: string) => Promise<boolean>): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (path) => {
    const answer = known.get(path) ?? check(path).catch(() => true);
    known.set(path, answer);
    return answer;
  };
}

async function allEntries({ messages: conversation, events }: History): Promise<Entry[]> {
  const messages = await readInSlices(conversation);
  const results = new Map<string, ToolResult>();
  const started = new Map<string, Extract<AgentEvent, { type: 'tool_started' }>>();
  const secret = new Set<string>();
  const withheld = new Set<string>();
  const inputs = new Map(messages.flatMap(callsOf).map(({ id, input }) => [id, input]));
  for (const event of await readInSlices(events)) {
    if (event.type === 'tool_finished') {
      results.set(event.callId, event.result);
      if (event.withheld) withheld.add(event.callId);
    } else if (event.type === 'tool_started') started.set(event.callId, event);
    else if (event.type === 'approval_requested' && event.secret) secret.add(event.callId);
  }
  const entriesIn = (message: Message, index: number): Entry[] => {
    if (message.role === 'tool')
      return message.content.flatMap((sent, place): Entry[] => {
        const { callId, name } = sent;
        const result = results.get(callId) ?? sent;
        const start = started.get(callId);
        const address = addressOf(index, place);
        const content = result.content.some(({ type }) => type === 'image') ? withoutNotes(result.content) : [text(resultText(result))];
        const call = start && earlierCall(start, inputs.get(callId));
        const isCopy = name === 'recall';
        const title = `${address} ${start?.title ?? name}`;
        const of = {
          targets: start?.targets ?? [],
          secret: secret.has(callId),
          calls: call ? [call] : [],
          wasWithheld: withheld.has(callId),
        };
        return [{ address, title, content, ...of, isCopy }];
      });
    const address = addressOf(index);
    const said = textOf(message);
    // An image does not contain the mention that it belongs to.
    const hasSecret = notesOf(message).some(({ ref }) => ref?.secret);
    const images = hasSecret ? [] : message.content.filter((part) => part.type === 'image');
    const title = `${address} ${message.role === 'user' ? 'user' : 'you'}`;
    // A secret that the user sent with a message is not recalled.
    const mentions = notesOf(message).filter(({ ref }) => ref && !ref.secret);
    const content = [...(said ? [text(said)] : []), ...mentions.map((note) => text(note.text)), ...images];
    const lists = [...(said ? [undefined] : []), ...mentions.map(({ ref }) => ref && listOfMention(ref))];
    const targets = mentions.flatMap(({ ref }): Target[] =>
      ref?.path !== undefined && isInWorkspace(ref) ? [{ path: ref.path, access: 'read' }] : [],
    );
    const calls = mentions.flatMap(({ ref }) => (ref && readingCall(ref)) ?? []);
    return content.length > 0 ? [{ address, title, content, lists, targets, calls, secret: false }] : [];
  };
  const entries: Entry[] = [];
  const pause = breaks();
  for (const [index, message] of messages.entries()) {
    entries.push(...entriesIn(message, index));
    await pause();
  }
  return entries;
}

/** The call that read a page or a resource of an MCP server for the user. */
function readingCall({ kind, path = '', server }: MentionRef): EarlierCall | undefined {
  const of = { effect: 'external', targets: [] } as const;
  if (kind === 'resource') return { ...of, name: `${server}__read_resource`, source: `mcp:${server}` };
  if (kind !== 'url' || !URL.canParse(path)) return undefined;
  return { ...of, name: 'fetch_url', source: 'builtin', hosts: [new URL(path).host] };
}

function earlierCall(start: Extract<AgentEvent, { type: 'tool_started' }>, input: unknown): EarlierCall {
  const { name, effect, source = 'builtin', targets, hosts, command } = start;
  const { cwd } = (input ?? {}) as { cwd?: unknown };
  return {
    name,
    effect,
    source,
    targets,
    ...(hosts && { hosts }),
    ...(command !== undefined && { command: { text: command, cwd: typeof cwd === 'string' && cwd.trim() ? cwd : '.' } }),
  };
}

const text = (content: string): TextPart => ({ type: 'text', text: content });
