/** Adds formulas, footnotes and places in documents to the lexer of GitHub Flavored Markdown. */
import { Lexer, type MarkedToken, type Token, type TokenizerThis } from 'marked';
import { isCitation } from './references.ts';

/** `isOpen` means that the end of the formula has not been received. */
export type MathToken = { type: 'math'; raw: string; text: string; isBlock: boolean; isOpen?: true };
export type FootnoteToken = { type: 'footnote'; raw: string; id: string; tokens: Token[] };
export type FootnoteRefToken = { type: 'footnote_ref'; raw: string; id: string };
export type CitationToken = { type: 'citation'; raw: string };
export type ExtraToken = MathToken | FootnoteToken | FootnoteRefToken | CitationToken;
export type AnyToken = MarkedToken | ExtraToken;

/** A formula between `$$` or `\[` and `\]`, which contains no blank line. It may be incomplete while text is being received. */
const BLOCK_MATH = /^ {0,3}(?:\$\$((?:(?!\$\$|\n[ \t]*\n)[\s\S])+)(\$\$)|\\\[((?:(?!\\\]|\n[ \t]*\n)[\s\S])+)(\\\]))[ \t]*(?:\n|$)/;
const OPEN_MATH = /^ {0,3}(?:\$\$|\\\[)[ \t]*\n(?:(?!\n[ \t]*\n)[\s\S])*$/;
/** An inline formula between two delimiters. */
const BRACKETS = [
  { from: '$$', to: '$$', isBlock: true },
  { from: '\\[', to: '\\]', isBlock: true },
  { from: '\\(', to: '\\)', isBlock: false },
] as const;
/**
 * An inline formula between dollar signs. As in other editors, an opening `$` must precede a character and a closing `$` must follow one,
 * so that prices and shell variables remain text.
 */
const DOLLAR_MATH = /^\$(?![\s$])((?:\\.|[^\\$\n]){1,500}?)(?<![\s\\])\$(?![\w$])/;
const PRICE = /^\d[\d.,]*(?:\s|$)/;
const FOOTNOTE = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]+([^\n]+(?:\n(?! {0,3}\[\^|[ \t]*(?:\n|$))[^\n]+)*)(?:\n|$)/;
const FOOTNOTE_REF = /^\[\^([^\]\s]{1,40})\](?!:[ \t]+\S)/;

function math(raw: string, text: string, isBlock: boolean): MathToken {
  return { type: 'math', raw, text: text.trim(), isBlock };
}

function blockMath(src: string): MathToken | undefined {
  const match = BLOCK_MATH.exec(src);
  if (match) return math(match[0], match[1] ?? match[3] ?? '', true);
  const [raw] = OPEN_MATH.exec(src) ?? [];
  return raw === undefined ? undefined : { ...math(raw, raw, true), isOpen: true };
}

function inlineMath(src: string): MathToken | undefined {
  const bracket = BRACKETS.find(({ from }) => src.startsWith(from));
  if (bracket) {
    const end = src.indexOf(bracket.to, 2);
    const text = end < 0 ? '' : src.slice(2, end);
    return text.trim() === '' ? undefined : math(src.slice(0, end + 2), text, bracket.isBlock);
  }
  const [raw, text] = DOLLAR_MATH.exec(src) ?? [];
  return raw !== undefined && text !== undefined && !PRICE.test(text) ? math(raw, text, false) : undefined;
}

function footnote(this: TokenizerThis, src: string): FootnoteToken | undefined {
  const [raw, id, text] = FOOTNOTE.exec(src) ?? [];
  if (raw === undefined || id === undefined || text === undefined) return undefined;
  const token: FootnoteToken = { type: 'footnote', raw, id, tokens: [] };
  this.lexer.inline(text, token.tokens);
  return token;
}

function footnoteRef(src: string): FootnoteRefToken | undefined {
  const [raw, id] = FOOTNOTE_REF.exec(src) ?? [];
  return raw === undefined || id === undefined ? undefined : { type: 'footnote_ref', raw, id };
}

/** A place in a document can contain a web address, which the lexer would otherwise make a link. */
function citation(src: string): CitationToken | undefined {
  const [raw] = /^\[[^[\]\n]+\](?![[(:])/.exec(src) ?? [];
  return raw !== undefined && isCitation(raw) ? { type: 'citation', raw } : undefined;
}

const indexOf = (text: string, pattern: RegExp) => {
  const at = text.search(pattern);
  return at < 0 ? undefined : at;
};

const extensions = {
  renderers: {},
  childTokens: {},
  block: [blockMath, footnote],
  // The lexer calls this to find where in a paragraph the next block may begin. The search ends with the paragraph, so that long texts take
  // no longer.
  startBlock: [(src: string) => indexOf(src.split('\n\n', 1)[0] ?? '', /(?<=\n) {0,3}(?:\$\$|\\\[|\[\^[^\]\s]+\]:)/)],
  inline: [inlineMath, footnoteRef, citation],
  startInline: [(src: string) => indexOf(src, /\$|\\[([]|\[[\^a-z\d]/)],
};

const MARKER = /\$|\\[([]|\[(?:\^|[a-z\d][\w.-]*\/)/;
/** The lexer would search longer paragraphs too often. */
const LONG_PARAGRAPH = 3_000;

export function blockTokens(text: string): MarkedToken[] {
  const isExtended = MARKER.test(text) && text.split('\n\n').every(({ length }) => length < LONG_PARAGRAPH);
  return new Lexer({ gfm: true, ...(isExtended && { extensions: extensions as never }) }).lex(text) as MarkedToken[];
}
