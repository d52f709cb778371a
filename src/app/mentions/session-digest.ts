/** Creates a short digest of an earlier session without a model: the user's messages, the changed files, and the last answer. */
import { textOf } from '../../core/model/messages.ts';
import { notesOf } from '../../core/model/notes.ts';
import { emptySession, type SessionState } from '../../core/session/session-state.ts';
import { applyValidEvents } from '../../core/session/valid-events.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { entriesOf, type History, withheldEntries, withheldPaths } from '../../tools/recall-entries.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';
import { earlierCallJudge } from '../run/command-facts.ts';
import { policySettings } from '../run/judge.ts';
import { MentionError } from './mention-error.ts';

/** The shares of the digest for the user's messages and for the changed files. The rest is used for the answer. */
const MESSAGES_SHARE = 0.5;
const FILES_SHARE = 0.15;
/** The user's messages are shortened to the longest of these lengths with which all of them fit. */
const MESSAGE_CHARS = [4_000, 1_500, 500, 200];

type Ports = Pick<
  AssistantPorts,
  'store' | 'policy' | 'fileSystem' | 'trusted' | 'shellParsers' | 'gitSettings' | 'unattended' | 'commands'
>;

/**
 * Returns the digest of a session with at most about `most` characters. Paths that may not be read now are left out. The answer is left out
 * if the session contains anything that may not be read now, because the answer may repeat it. @throws MentionError if there is no such
 * session, or nothing in it
 */
export async function sessionDigest(id: string, workspace: Workspace, ports: Ports, most: number): Promise<string> {
  const logged = await ports.store.load(id);
  if (!logged) throw new MentionError('This session no longer exists.');
  const state = emptySession();
  const events = applyValidEvents(state, logged);
  const said = saidBy(state);
  if (said.length === 0) throw new MentionError('This session is empty.');
  const decideByRules = earlierCallJudge(ports, {
    settings: () => policySettings(ports),
    hides: workspace.fs.hides && ((at) => workspace.fs.hides?.(at) ?? false),
  });
  const history: History = { messages: state.messages, events, decideByRules };
  const files = changedFiles(state);
  const isWithheld = withheldPaths(workspace);
  const out = await Promise.all(files.map(async ({ paths }) => (await Promise.all(paths.map(isWithheld))).includes(true)));
  const shown = files.filter((_, index) => !out[index]).map(({ line }) => line);
  const answer = (await isFree(state, history, workspace)) ? lastAnswer(state) : undefined;

  const messages = fitted(said, most * MESSAGES_SHARE);
  const changed = shown.length > 0 ? within(shown, most * FILES_SHARE, 'files') : ['none that can be named'];
  const sections = [
    `An earlier session in this workspace, last used on ${new Date(state.at).toISOString().slice(0, 10)}. Files may have changed since then.`,
    `What the user wrote:\n${messages.join('\n')}`,
    `Files that were changed:\n${changed.map((line) => `- ${line}`).join('\n')}`,
  ];
  const left = most - sections.join('\n\n').length - 30;
  return [...sections, answer === undefined ? 'There is no last answer to show.' : `The last answer:\n${cut(answer, left)}`].join('\n\n');
}

/** Returns the user's messages as the user wrote them. */
function saidBy({ messages, runs }: SessionState): string[] {
  const prompts = new Map([...runs.values()].map(({ messagesBefore, prompt }) => [messagesBefore, prompt]));
  return messages.flatMap((message, index) => {
    const text = message.role === 'user' ? textOf(message).trim() : '';
    const prompt = prompts.get(index) ?? '';
    // The text that replaces /init was not written by the user.
    return text === '' ? [] : [/^(?:\/|kedge )init\b/.test(prompt) ? prompt : text];
  });
}

/** Returns one line for each file that the session changed, with the paths that the line names. */
function changedFiles({ staged }: SessionState): { line: string; paths: string[] }[] {
  const files = new Map<string, { before: string | undefined; after: string | undefined; from?: string }>();
  for (const { change, landed } of staged) {
    if (!landed) continue;
    const { path, from = path, before, after } = change;
    const earlier = files.get(from);
    files.delete(from);
    const origin = earlier?.from ?? (from === path ? undefined : from);
    files.set(path, { before: earlier ? earlier.before : before, after, ...(origin !== undefined && { from: origin }) });
  }
  return [...files].flatMap(([path, { before, after, from }]) => {
    const isMoved = from !== undefined && from !== path;
    if (before === after && !isMoved) return [];
    const kind = isMoved ? `moved from ${visibleLine(from)}` : before === undefined ? 'new' : after === undefined ? 'deleted' : 'edited';
    return [{ line: `${visibleLine(path)} (${kind})`, paths: [path, ...(isMoved ? [from] : [])] }];
  });
}

/** Returns true if everything that the model received in the session may be read now without approval. */
async function isFree({ messages }: SessionState, history: History, workspace: Workspace): Promise<boolean> {
  const notes = messages.flatMap(notesOf);
  if (notes.some(({ ref }) => ref?.secret)) return false;
  const isPathWithheld = withheldPaths(workspace);
  for (const { about, source } of notes)
    for (const path of about === 'rules' ? (source?.paths ?? []) : []) if (await isPathWithheld(path)) return false;
  const isWithheld = withheldEntries(history, workspace);
  for (const entry of await entriesOf(history, workspace))
    if (!entry.wasWithheld && (entry.isReduced || (await isWithheld(entry)))) return false;
  return true;
}

function lastAnswer({ messages }: SessionState): string | undefined {
  const answers = messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message).trim()] : []));
  return answers.findLast((text) => text !== '');
}

/** Shortens all messages until they fit. If this is not enough, only the first and the newest messages are kept. */
function fitted(messages: readonly string[], most: number): string[] {
  const lines = (limit: number) => messages.map((text) => `> ${cut(text, limit).replaceAll('\n', '\n> ')}`);
  const limit = MESSAGE_CHARS.find((each) => lines(each).join('\n').length <= most) ?? 200;
  const [first = '', ...others] = lines(limit);
  return [first, ...within(others.toReversed(), most - first.length, 'messages').toReversed()];
}

/** Returns the first lines that fit, and the number of the other lines. */
function within(lines: readonly string[], most: number, what: string): string[] {
  let size = 0;
  const count = lines.findIndex((line) => {
    size += line.length + 1;
    return size > most;
  });
  return count < 0 ? [...lines] : [...lines.slice(0, count), `[${lines.length - count} more ${what}]`];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`;
}
