/** Renders Markdown as text for a terminal. HTML and links stay text, so that nothing is hidden and nothing controls the terminal. */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { harmless, type Paint } from '../../output/terminal.ts';
import { widthOf, wrap } from './styled.ts';

/** Prose in longer lines is hard to read. */
const MAX_COLUMNS = 110;
const MAX_DEPTH = 8;
/** Emphasis characters in one paragraph, and signs of nesting, beyond which the lexer would take too long. */
const MAX_SIGNS = 800;
const TOO_DEEP = /^(?:[ \t]{100}|(?:[ \t]*(?:>|[-+*](?=\s)|\d+[.)](?=\s))){50})/m;

export function blocksOf(text: string): MarkedToken[] {
  return isTangled(text)
    ? [{ type: 'html', raw: text, text, pre: false, block: true }]
    : (new Lexer({ gfm: true }).lex(text) as MarkedToken[]);
}

function isTangled(text: string): boolean {
  const prose = text.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gm, '');
  const signs = (part: string) => part.match(/[*_~[\]`]/g)?.length ?? 0;
  return TOO_DEEP.test(prose) || prose.split(/\n[ \t]*\n/).some((part) => part.length > MAX_SIGNS && signs(part) > MAX_SIGNS);
}

/** Returns the lines of a block. */
export function blockLines(token: Token, columns: number, paint: Paint, depth = 0): string[] {
  const block = token as MarkedToken;
  const room = Math.max(10, Math.min(columns, MAX_COLUMNS));
  const hasColor = paint.bold('') !== '';
  if (depth > MAX_DEPTH) return wrap(harmless(block.raw.trimEnd()), room);
  switch (block.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading': {
      const text = inline(block.tokens, paint);
      return wrap(hasColor ? paint.bold(block.depth <= 2 ? paint.cyan(text) : text) : `${'#'.repeat(block.depth)} ${text}`, room);
    }
    case 'paragraph':
      return wrap(inline(block.tokens, paint), room);
    case 'text':
      return wrap(block.tokens ? inline(block.tokens, paint) : words(block), room);
    case 'code':
      return codeLines(block, paint);
    case 'blockquote':
      return blocks(block.tokens, room - 2, paint, depth + 1).map((line) => `${paint.dim('│')} ${line}`);
    case 'list':
      return listLines(block, room, paint, depth);
    case 'table':
      return tableLines(block, columns, paint);
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(room, 40)))];
    default:
      return wrap(harmless(block.raw.replace(/\n+$/, '')), room);
  }
}

function blocks(tokens: readonly Token[], columns: number, paint: Paint, depth: number, isTight = false): string[] {
  const all = tokens.map((token) => blockLines(token, columns, paint, depth)).filter((lines) => lines.length > 0);
  return all.flatMap((lines, index) => (index > 0 && !isTight ? ['', ...lines] : lines));
}

/** Code is indented and not wrapped, so that it can be copied. */
export function codeLines({ text, lang = '' }: Pick<Tokens.Code, 'text' | 'lang'>, paint: Paint): string[] {
  const name = lang.trim().split(/\s/, 1)[0];
  const lines = harmless(text).split('\n');
  return [...(name ? [paint.dim(`  ${harmless(name)}`)] : []), ...lines.map((line) => `  ${codeLine(line, name, paint)}`)];
}

/** A diff has its usual colors. */
export function codeLine(line: string, language: string | undefined, paint: Paint): string {
  if (language !== 'diff' && language !== 'patch') return line;
  if (line.startsWith('@@')) return paint.cyan(line);
  return line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
}

function listLines(list: Tokens.List, columns: number, paint: Paint, depth: number): string[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  const isLoose = list.loose && list.items.length > 1;
  return list.items.flatMap((item, index) => {
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const mark = `${list.ordered ? `${first + index}.` : '•'} ${box}`;
    // A task is displayed by its box, so its token is left out.
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox');
    const lines = blocks(tokens, columns - mark.length, paint, depth + 1, !list.loose);
    const all = (lines.length > 0 ? lines : ['']).map((line, at) =>
      at === 0 ? `${mark}${line}` : line && `${' '.repeat(mark.length)}${line}`,
    );
    return isLoose && index > 0 ? ['', ...all] : all;
  });
}

/** A table that is too wide is listed row by row. */
function tableLines({ header, rows, align }: Tokens.Table, columns: number, paint: Paint): string[] {
  const heads = header.map(({ tokens }) => inline(tokens, paint));
  const cells = rows.map((row) => row.map(({ tokens }) => inline(tokens, paint).replaceAll('\n', ' ')));
  const widths = heads.map((head, index) => Math.max(widthOf(head), ...cells.map((row) => widthOf(row[index] ?? ''))));
  const total = widths.reduce((sum, width) => sum + width + 3, -3);
  if (total > columns) {
    return cells.flatMap((row, at) => [
      ...(at > 0 ? [''] : []),
      ...row.flatMap((cell, index) => wrap(`${paint.bold(heads[index] ?? '')}: ${cell}`, columns, '  ')),
    ]);
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => {
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
        return align[index] === 'right' ? `${space}${cell}` : `${cell}${space}`;
      })
      .join(paint.dim(' │ '))
      .trimEnd();
  return [line(heads.map(paint.bold)), paint.dim(widths.map((width) => '─'.repeat(width)).join('─┼─')), ...cells.map(line)];
}

function inline(tokens: readonly Token[] = [], paint: Paint, depth = 0): string {
  const hasColor = paint.bold('') !== '';
  const inner = (token: { tokens?: Token[]; raw: string }) =>
    depth > MAX_DEPTH ? harmless(token.raw) : inline(token.tokens, paint, depth + 1);
  return tokens
    .map((each) => {
      const token = each as MarkedToken;
      switch (token.type) {
        case 'strong':
          return hasColor ? paint.bold(inner(token)) : `**${inner(token)}**`;
        case 'em':
          return hasColor ? paint.italic(inner(token)) : `*${inner(token)}*`;
        case 'codespan':
          return hasColor ? paint.cyan(harmless(token.text)) : `\`${harmless(token.text)}\``;
        case 'del':
          return `~~${inner(token)}~~`;
        case 'br':
          return '\n';
        case 'link':
          return linkText(inner(token), token, paint);
        case 'image':
          return linkText(`[image: ${harmless(token.text)}]`, token, paint);
        case 'escape':
          return harmless(token.text);
        case 'text':
          return token.tokens ? inner({ tokens: token.tokens, raw: token.raw }) : words(token);
        default:
          return harmless(token.raw);
      }
    })
    .join('');
}

/** The address is always shown, because a label could pretend to be another one. */
function linkText(label: string, { href, text }: { href: string; text: string }, paint: Paint): string {
  const address = harmless(href.replaceAll('\n', ' '));
  return href === text || href === `mailto:${text}` ? label : `${label} ${paint.dim(`(${address})`)}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'", '&nbsp;': ' ' };

function words({ text }: { text: string }): string {
  return harmless(text.replace(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity));
}
