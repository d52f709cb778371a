/** The limits of mentions, and how a mention is named. */
import type { MentionRef } from './messages.ts';

/** The maximum number of mentions in one message. */
export const MAX_MENTIONS = 20;
/** The maximum number of characters of one mention, and of all mentions of a message together. */
export const MAX_MENTION_CHARS = 16_000;
export const MAX_MENTIONS_CHARS = 100_000;

const MIN_MENTIONS_CHARS = 2_000;
/** A low estimate of the characters per token, so that mentions do not become too long. */
const CHARS_PER_TOKEN = 3;

/** Returns how many characters all mentions of a message can have: at most a quarter of the model's context window, which is in tokens. */
export function maxMentionsChars(window: number | undefined): number {
  if (window === undefined) return MAX_MENTIONS_CHARS;
  return Math.max(MIN_MENTIONS_CHARS, Math.min(MAX_MENTIONS_CHARS, Math.floor((window * CHARS_PER_TOKEN) / 4)));
}

/** An entry in the list that completes a mention. `insert` is the text that replaces the characters that the user has typed. */
export type MentionChoice = { ref: MentionRef; label: string; detail?: string; insert: string };

/** Returns true if a mention refers to a file or folder of the workspace. */
export function isInWorkspace({ kind, path }: MentionRef): boolean {
  return path !== undefined && kind !== 'url' && kind !== 'session' && kind !== 'resource' && kind !== 'collection';
}

/** Returns the name of a mention as it is displayed and as the model reads it: `src/a.ts:10-20`, `problems`, `https://example.com`. */
export function mentionLabel({ kind, path, lines, name, server }: MentionRef): string {
  if (kind === 'session') return inOneLine(`the session “${name ?? path ?? ''}”`);
  if (kind === 'resource') return inOneLine(`${server}:${path}`);
  if (kind === 'collection') return inOneLine(`the collection ${path}`);
  const range = lines ? `:${lines.from}${lines.to > lines.from ? `-${lines.to}` : ''}` : '';
  const place = path === undefined ? '' : `${path}${kind === 'folder' && path !== '.' ? '/' : ''}${range}`;
  return inOneLine([name, place].filter(Boolean).join(' in ') || NAMES[kind]);
}

const NAMES: Record<MentionRef['kind'], string> = {
  file: 'a file',
  folder: 'a folder',
  selection: 'the selection',
  symbol: 'a symbol',
  problems: 'problems',
  changes: 'changes',
  terminal: 'terminal output',
  url: 'a web page',
  session: 'a session',
  resource: 'a resource',
  collection: 'a collection',
  attachment: 'an attachment',
};

/** The name of a file can contain line breaks, which could make it look like other text of the message. */
function inOneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, '\ufffd');
}

/** The maximum number of characters of a label inside a note from Kedge. */
const MAX_QUOTED_LABEL = 300;

/**
 * Returns the label in quotes, for a note from Kedge to the model. Quotes inside the label are removed, so no part of it can be mistaken
 * for Kedge's own words.
 */
export function quotedLabel(ref: MentionRef): string {
  const label = mentionLabel(ref).replace(/["\u201c-\u201f\u00ab\u00bb\u300c-\u300f\uff02]/gu, "'");
  return `"${label.length > MAX_QUOTED_LABEL ? `${label.slice(0, MAX_QUOTED_LABEL).toWellFormed()}…` : label}"`;
}

/** Returns true if two mentions refer to the same content. */
export function isSameMention(a: MentionRef, b: MentionRef): boolean {
  return (
    a.path === b.path &&
    a.name === b.name &&
    a.server === b.server &&
    a.lines?.from === b.lines?.from &&
    a.lines?.to === b.lines?.to &&
    isPlace(a) === isPlace(b)
  );
}

/** A selection and a file with the same path and lines have the same content. */
function isPlace({ kind }: MentionRef): string {
  return kind === 'selection' || kind === 'file' || kind === 'folder' ? 'place' : kind;
}

/** A mention that was not sent. `reason` is a sentence for the user. */
export type RefusedMention = { ref: MentionRef; reason: string };

export function refusalText(refused: readonly RefusedMention[]): string {
  return refused.map(({ ref, reason }) => `${mentionLabel(ref)} was not sent: ${reason}`).join('\n');
}
