/** Reads earlier parts of the conversation again. The log keeps what a compaction removed and what was cut out of long results. */
import * as z from 'zod';
import { addressOf } from '../core/context/shorten.ts';
import { type ImagePart, type Message, resultText, type TextPart, type ToolResult, textOf } from '../core/model/messages.ts';
import { notesOf, withoutNotes } from '../core/model/notes.ts';
import { type Tool, ToolError, type ToolOutput } from '../core/run/tool.ts';
import type { Target } from '../core/session/effects.ts';
import type { AgentEvent } from '../core/session/events.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { countOf, defineTool } from './define-tool.ts';

/** The conversation and the events of the session at the time of the call. */
export type History = { readonly messages: readonly Message[]; readonly events: readonly AgentEvent[] };

/** A number is read again; anything else is searched for. */
const ADDRESS = /^#\d+(\.\d+)?$/;
const MAX_CHARS = 60_000;
/** The longest search. A longer one would take too long. */
const MAX_QUERY = 500;
const MAX_HITS = 40;
const MAX_HITS_EACH = 5;
const SNIPPET = 200;

/** A message of the user or the model, or one result. `targets` are the files that the result came from. */
type Entry = {
  address: string;
  title: string;
  content: (TextPart | ImagePart)[];
  targets: readonly Target[];
  secret: boolean;
  /** Whether this is the result of an earlier recall. Its content is found where it came from. */
  isCopy?: boolean;
};

export function recallTool(workspace: Workspace, history: () => History): Tool {
  return defineTool({
    name: 'recall',
    description: 'Reread earlier parts of this session: #12, #14.2, or words to search.',
    effect: 'readonly',
    input: z.object({
      what: z.string(),
      from_line: z.int().min(1).optional(),
    }),
    async prepare({ what, from_line = 1 }) {
      const words = what.trim();
      if (words.length > MAX_QUERY) throw new ToolError(`Search for at most ${MAX_QUERY} characters.`);
      if (words === '') throw new ToolError('Give a number such as "#12", or words to search for.');
      if (!ADDRESS.test(words)) {
        return {
          title: `Search this session for ${words}`,
          targets: [],
          execute: async ({ mostCharacters }) => ({ content: await search(workspace, history(), words, mostCharacters) }),
        };
      }
      const entries = entriesAt(history(), words);
      await expectShown(workspace, entries);
      return {
        title: `Read ${words} of this session again`,
        // The policy judges this like the read that gave the result.
        targets: entries.flatMap(({ targets }) => targets.filter(({ access }) => access === 'read')),
        execute: async ({ mostCharacters = MAX_CHARS }) => read(entries, from_line, mostCharacters),
      };
    },
  });
}

function entriesAt(history: History, wanted: string): Entry[] {
  const found = allEntries(history).filter(({ address }) => address === wanted || address.startsWith(`${wanted}.`));
  if (found.length === 0)
    throw new ToolError(
      `There is no message ${wanted}. This session has messages #1 to #${history.messages.length}; search them with words.`,
    );
  const secret = found.find((entry) => entry.secret);
  if (secret)
    throw new ToolError(`${secret.address} holds content that the user approved for one call only. Call the tool again if you need it.`);
  return found;
}

function read(entries: readonly Entry[], from: number, most: number): ToolOutput {
  const images = entries.flatMap(({ content }) => content.filter((part) => part.type === 'image'));
  const lines = entries
    .flatMap(({ title, content }) => [
      ...(entries.length > 1 ? [`${title}:`] : []),
      ...content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ])
    .join('\n')
    .split('\n');
  if (from > lines.length) throw new ToolError(`It has only ${countOf(lines.length, 'line')}. Use a smaller from_line.`);
  const shown: string[] = [];
  let size = 0;
  for (let at = from - 1; at < lines.length; at++) {
    const line = lines[at] as string;
    if (shown.length > 0 && size + line.length > most - SNIPPET) break;
    shown.push(
      line.length > most
        ? `${line.slice(0, most - SNIPPET)}… [${line.length - most + SNIPPET} more characters; search for words in it]`
        : line,
    );
    size += line.length + 1;
  }
  const last = from + shown.length - 1;
  const rest = last < lines.length ? [`[lines ${from}-${last} of ${lines.length}; read on with from_line ${last + 1}]`] : [];
  return { content: [{ type: 'text', text: [...shown, ...rest].join('\n') }, ...images] };
}

/** Lists the lines that contain all words or, if there are none, the most words. */
async function search(workspace: Workspace, history: History, query: string, most = MAX_CHARS): Promise<string> {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  const isWithheld = withheld(workspace);
  const hits: { matched: number; text: string }[] = [];
  for (const { title, content, targets, secret, isCopy } of allEntries(history)) {
    if (secret || isCopy || (await isWithheld(targets))) continue;
    const own: typeof hits = [];
    content.forEach((part) => {
      if (part.type !== 'text') return;
      part.text.split('\n').forEach((line, index) => {
        const lower = line.toLowerCase();
        const matched = words.filter((word) => lower.includes(word)).length;
        if (matched > 0) own.push({ matched, text: `${title}, line ${index + 1}: ${snippet(line, lower, words)}` });
      });
    });
    own.sort((a, b) => b.matched - a.matched);
    hits.push(...own.slice(0, MAX_HITS_EACH));
  }
  const best = hits.reduce((most, { matched }) => Math.max(most, matched), 0);
  const found = hits.filter(({ matched }) => matched === best).map(({ text }) => text);
  if (found.length === 0) return `Nothing in this session contains ${words.join(' or ')}.`;
  const shown: string[] = [];
  let size = 0;
  // The newest hits are the most useful ones.
  for (const hit of found.slice(-MAX_HITS).reverse()) {
    size += hit.length + 1;
    if (size > most - SNIPPET && shown.length > 0) break;
    shown.unshift(hit);
  }
  const left = found.length - shown.length;
  return [...(left > 0 ? [`[${countOf(left, 'earlier hit')} left out; use more words]`] : []), ...shown].join('\n');
}

function snippet(line: string, lower: string, words: readonly string[]): string {
  if (line.length <= SNIPPET) return line.trim();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0)) - SNIPPET / 4);
  return `…${line.slice(at, at + SNIPPET).trim()}…`;
}

/** @throws ToolError if a file is hidden from models now. The policy judges everything else. */
async function expectShown(workspace: Workspace, entries: readonly Entry[]): Promise<void> {
  for (const { path, access } of entries.flatMap(({ targets }) => targets)) {
    if (access === 'read' && workspace.fs.hides?.(await workspace.locate(path)))
      throw new ToolError(`${path} is excluded by .kedgeignore.`);
  }
}

/** Returns whether one of the files may not be read without an approval now. */
function withheld(workspace: Workspace): (targets: readonly Target[]) => Promise<boolean> {
  const isWithheld = workspace.withheldFiles('recall');
  const known = new Map<string, Promise<boolean>>();
  const check = async (path: string) => {
    try {
      return isWithheld(await workspace.locate(path));
    } catch {
      return true;
    }
  };
  return async (targets) => {
    for (const { path, access } of targets) {
      if (access !== 'read') continue;
      if (!known.has(path)) known.set(path, check(path));
      if (await known.get(path)) return true;
    }
    return false;
  };
}

function allEntries({ messages, events }: History): Entry[] {
  const results = new Map<string, ToolResult>();
  const started = new Map<string, { title: string; targets: readonly Target[] }>();
  const secret = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool_finished') results.set(event.callId, event.result);
    else if (event.type === 'tool_started') started.set(event.callId, event);
    else if (event.type === 'approval_requested' && event.secret) secret.add(event.callId);
  }
  return messages.flatMap((message, index): Entry[] => {
    if (message.role === 'tool')
      return message.content.flatMap((sent, place): Entry[] => {
        const { callId, name } = sent;
        const result = results.get(callId) ?? sent;
        const { title = name, targets = [] } = started.get(callId) ?? {};
        const address = addressOf(index, place);
        const content = result.content.some(({ type }) => type === 'image') ? withoutNotes(result.content) : [text(resultText(result))];
        return [{ address, title: `${address} ${title}`, content, targets, secret: secret.has(callId), isCopy: name === 'recall' }];
      });
    const address = addressOf(index);
    const said = textOf(message);
    // An image does not tell which mention it belongs to.
    const hasSecret = notesOf(message).some(({ ref }) => ref?.secret);
    const images = hasSecret ? [] : message.content.filter((part) => part.type === 'image');
    const title = `${address} ${message.role === 'user' ? 'user' : 'you'}`;
    // A secret that the user sent with a message is not recalled.
    const mentions = notesOf(message).filter(({ ref }) => ref && !ref.secret);
    const content = [...(said ? [text(said)] : []), ...mentions.map((note) => text(note.text)), ...images];
    const targets = mentions.flatMap(({ ref }): Target[] =>
      ref?.path !== undefined && ref.kind !== 'url' ? [{ path: ref.path, access: 'read' }] : [],
    );
    return content.length > 0 ? [{ address, title, content, targets, secret: false }] : [];
  });
}

const text = (content: string): TextPart => ({ type: 'text', text: content });
