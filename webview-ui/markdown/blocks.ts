/** Splits streamed Markdown into blocks. A finished block is lexed only once and stays the same object. */
import type { MarkedToken, Tokens } from 'marked';
import { blockTokens } from './extensions.ts';

export type Lexed = {
  text: string;
  /** Finished blocks in chunks of fixed size. A chunk stays the same array, so that a long text is not compared block by block. */
  chunks: readonly (readonly MarkedToken[])[];
  /** Finished blocks that do not fill a chunk yet. */
  recent: readonly MarkedToken[];
  /** Blocks that can still change. */
  open: readonly MarkedToken[];
  /** The offset in the text at which the open part begins. */
  offset: number;
  /** True if the open part is a block that is too long to be lexed in each frame. It is shown as plain text until it ends. */
  isPlain: boolean;
};

export const NOTHING: Lexed = { text: '', chunks: [], recent: [], open: [], offset: 0, isPlain: false };

const CHUNK = 24;
const LONG = 2500;

/** `complete` means that the text will not grow. */
export function lex(text: string, complete: boolean, before: Lexed = NOTHING): Lexed {
  if (!text.startsWith(before.text)) return lex(text, complete);
  if (text === before.text && !(complete && before.isPlain)) return before;
  const { offset } = before;
  const tail = text.slice(offset);
  if (before.isPlain && !complete && !text.includes('\n\n', before.text.length - 1)) return { ...before, text, open: [plain(tail)] };

  const tokens = blocksOf(tail);
  const from = openFrom(tokens, complete);
  const open = tokens[from];
  let finished = tokens.slice(0, Math.max(from, 0));
  let end = finished.reduce((sum, token) => sum + token.raw.length, 0);
  // If the lexer normalized line ends, the lengths do not match the text, so no block counts as finished.
  if (!open || !tail.startsWith(open.raw, end)) return { ...before, text, open: tokens.filter(isBlock), isPlain: false };

  if (!complete && open.raw.length > LONG && open.type !== 'code') {
    const cut = cutOf(open);
    if (!cut) return { ...grow(before, finished), text, offset: offset + end, open: [plain(tail.slice(end))], isPlain: true };
    finished = [...finished, ...blocksOf(open.raw.slice(0, cut))];
    end += cut;
  }
  return { ...grow(before, finished), text, offset: offset + end, open: blocksOf(tail.slice(end)).filter(isBlock), isPlain: false };
}

/**
 * Returns the index of the first block that further text can still change. This is usually the last block: a list, for example, can
 * continue after blank lines. While the first line of the last block is incomplete, the block before it can change too: `#` may become
 * `#5`, which continues a paragraph.
 */
function openFrom(tokens: MarkedToken[], complete: boolean): number {
  const last = tokens.findLastIndex(isBlock);
  const raw = tokens[last]?.raw ?? '';
  if (complete || raw.includes('\n') || raw.length > LONG) return last;
  return Math.max(tokens.slice(0, Math.max(last, 0)).findLastIndex(isBlock), 0);
}

const isBlock = (token: MarkedToken) => token.type !== 'space';

/**
 * Limits for emphasis characters in one paragraph and for nesting. A text beyond these limits is shown as plain text, because the lexer
 * would take too long.
 */
const MAX_SIGNS = 4_000;
const TOO_DEEP = /^(?:[ \t]{100}|(?:[ \t]*(?:>|[-+*](?=\s)|\d+[.)](?=\s))){50})/m;

function isTangled(text: string): boolean {
  const prose = text.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gm, '');
  return (
    TOO_DEEP.test(prose) ||
    prose.split(/\n[ \t]*\n/).some((part) => part.length > MAX_SIGNS && (part.match(/[*_~]/g)?.length ?? 0) > MAX_SIGNS)
  );
}

function blocksOf(text: string): MarkedToken[] {
  if (isTangled(text)) return [plain(text)];
  return blockTokens(text);
}

/**
 * Returns the position at which a long block can be split: a list before its last item, a paragraph at the end of a line or word. Returns 0
 * if it cannot be split.
 */
function cutOf(token: MarkedToken): number {
  if (token.type === 'list') return token.raw.length - ((token as Tokens.List).items.at(-1)?.raw.length ?? 0);
  return token.type === 'paragraph' ? Math.max(token.raw.lastIndexOf('\n'), token.raw.lastIndexOf(' '), 0) : 0;
}

function grow({ chunks, recent }: Lexed, tokens: readonly MarkedToken[]): Pick<Lexed, 'chunks' | 'recent'> {
  const blocks = [...recent, ...tokens.filter(isBlock)];
  const full = [...chunks];
  while (blocks.length >= CHUNK) full.push(blocks.splice(0, CHUNK));
  return { chunks: full, recent: blocks };
}

function plain(text: string): MarkedToken {
  return { type: 'html', raw: text, text, pre: false, block: true };
}
