/** Markdown that grows at its end, cut into blocks. A block that is finished is lexed once and stays the same object. */
import { Lexer, type MarkedToken, type Tokens } from 'marked';

export type Lexed = {
  text: string;
  /** Finished blocks by the dozen; a chunk stays the same array, so that a long text is not compared block by block. */
  chunks: readonly (readonly MarkedToken[])[];
  /** Finished blocks that do not make a chunk yet. */
  recent: readonly MarkedToken[];
  /** What can still change. */
  open: readonly MarkedToken[];
  /** Where the open part begins in the text. */
  offset: number;
  /** The open part is a single block too long to be lexed in each frame; it is shown as plain text until it ends. */
  isPlain: boolean;
};

export const NOTHING: Lexed = { text: '', chunks: [], recent: [], open: [], offset: 0, isPlain: false };

const CHUNK = 24;
const LONG = 2500;

/** `complete` says that nothing more will come. */
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
  // Where the lexer wrote line ends anew, lengths do not add up: then nothing counts as finished.
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
 * The first block that what comes can still change: the last one, even with blank lines behind it, as a list's; and the one before it
 * while the last one's first line is not complete, for `#` may become `#5`, which belongs to the paragraph before.
 */
function openFrom(tokens: MarkedToken[], complete: boolean): number {
  const last = tokens.findLastIndex(isBlock);
  const raw = tokens[last]?.raw ?? '';
  if (complete || raw.includes('\n') || raw.length > LONG) return last;
  return Math.max(tokens.slice(0, Math.max(last, 0)).findLastIndex(isBlock), 0);
}

const isBlock = (token: MarkedToken) => token.type !== 'space';

/** More signs of emphasis in one paragraph, and deeper nesting, than anybody writes: reading them takes longer than anybody waits. */
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
  return new Lexer({ gfm: true }).lex(text) as MarkedToken[];
}

/** Where a long block can be taken for two without looking much different: a list before its last item, a paragraph at a line's or a word's end. */
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
