/** What users can point at in a message: the limits, and how a mention is named. */
import type { MentionRef } from './messages.ts';

/** The maximum number of mentions in one message. */
export const MAX_MENTIONS = 20;
/** The maximum number of characters of one mention, and of all mentions of a message together. */
export const MAX_MENTION_CHARS = 16_000;
export const MAX_MENTIONS_CHARS = 100_000;

const MIN_MENTIONS_CHARS = 2_000;
/** A cautious estimate. */
const CHARS_PER_TOKEN = 3;

/** Returns how many characters all mentions of a message can have: at most a quarter of the model's context window, which is in tokens. */
export function maxMentionsChars(window: number | undefined): number {
  if (window === undefined) return MAX_MENTIONS_CHARS;
  return Math.max(MIN_MENTIONS_CHARS, Math.min(MAX_MENTIONS_CHARS, Math.floor((window * CHARS_PER_TOKEN) / 4)));
}

/** An entry in the list that completes a mention. `insert` is the text that replaces what the user has typed. */
export type MentionChoice = { ref: MentionRef; label: string; detail?: string; insert: string };

/** Returns the name of a mention as it is displayed and as the model reads it: `src/a.ts:10-20`, `problems`, `https://example.com`. */
export function mentionLabel({ kind, path, lines, name }: MentionRef): string {
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
  attachment: 'an attachment',
};

/** A file name can contain line breaks, which could make it look like text of its own. */
function inOneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, '\ufffd');
}

/** Whether two mentions point at the same content. */
export function isSameMention(a: MentionRef, b: MentionRef): boolean {
  return (
    a.path === b.path && a.name === b.name && a.lines?.from === b.lines?.from && a.lines?.to === b.lines?.to && isPlace(a) === isPlace(b)
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
