/**
 * Generates realistic edits, with their correct results and with the variations that models write: other indentation, spaces or quotes than
 * the file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

export type Source = { name: string; kind: string; unit: string; lines: string[] };

/** `old` and `now` are the lines of the file before and after. */
export type TrueEdit = { source: Source; from: number; old: string[]; now: string[]; what: string };
export type Slip = { name: string; apply(edit: TrueEdit): { old: string[]; now: string[] } | undefined };

const indentOf = (line: string) => /^[ \t]*/.exec(line)?.[0] ?? '';
const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';
const width = (line: string) => indentOf(line).length;

const UNITS: Readonly<Record<string, string>> = { py: '    ', java: '    ', html: '    ', rs: '    ', go: '\t', mk: '\t', c: '\t' };

/** The form of a block in a language: the lines around it, and a line inside it. */
const BLOCKS: Readonly<Record<string, { open: string; close?: string; line: string }>> = {
  py: { open: 'if changed:', line: 'changed_call()' },
  yaml: { open: 'changed:', line: 'child: 1' },
  rb: { open: 'if changed', close: 'end', line: 'changed_call' },
  sh: { open: 'if changed; then', close: 'fi', line: 'changed_call' },
  html: { open: '<div class="changed">', close: '</div>', line: '<hr class="changed">' },
  go: { open: 'if changed {', close: '}', line: 'changedCall()' },
  rs: { open: 'if changed {', close: '}', line: 'changed_call();' },
  json: { open: '"changed": {', close: '},', line: '"child": 1,' },
};
const BRACES = { open: 'if (changed) {', close: '}', line: 'changedCall();' };

/** Returns the source files. Kedge's own code changes often, which would change the test cases, so it is used only with new seeds. */
export function sources(): { written: Source[]; used: Source[] } {
  const own = join(import.meta.dirname, 'sources');
  const written = readdirSync(own).map((name) => sourceOf(name.replace(/\.txt$/, ''), readFileSync(join(own, name), 'utf8')));
  const src = join(import.meta.dirname, '../../src');
  const rooms = process.env.KEDGE_SEED === undefined ? [] : ['core', 'tools', 'workspace'];
  const used = rooms.flatMap((room) =>
    readdirSync(join(src, room))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => sourceOf(name, readFileSync(join(src, room, name), 'utf8'))),
  );
  return { written, used };
}

function sourceOf(name: string, text: string): Source {
  const kind = name.split('.').at(-1) ?? '';
  return { name, kind, unit: UNITS[kind] ?? '  ', lines: text.replace(/\n$/, '').split('\n') };
}

const KEYWORD =
  /^(?:if|else|elif|then|fi|do|done|end|for|while|case|esac|break|continue|return|try|except|finally|switch|default|class|def)$/;

const CLOSING = /^\s*(?:[)\]}]|(?:end|fi|done|esac)\b|<\/)/;
/** Matches lines that are not complete statements. */
const BRANCH = /^\s*(?:[)\]}*]|(?:end|fi|done|esac|else|elif|case|default|when|except|finally|rescue|catch)\b|<\/)/;

type Change = (lines: string[], at: number, source: Source, after: string | undefined) => { lines: string[]; what: string } | undefined;

const CHANGES: Readonly<Record<string, Change>> = {
  replace(lines, at) {
    const line = lines[at] ?? '';
    const words = [...line.matchAll(/[A-Za-z_]\w{2,}/g)].filter(({ 0: word }) => !KEYWORD.test(word));
    const last = words.at(-1);
    if (isBlank(line) || !last) return undefined;
    return { lines: lines.with(at, `${line.slice(0, last.index)}changed${line.slice(last.index + last[0].length)}`), what: 'replace' };
  },
  insert(lines, at, source, after) {
    if (!isStatementEnd([...lines, after], at, source)) return undefined;
    const { line } = BLOCKS[source.kind] ?? BRACES;
    return { lines: lines.toSpliced(at + 1, 0, indentOf(lines[at] as string) + line), what: 'insert' };
  },
  insertBlock(lines, at, source, after) {
    if (!isStatementEnd([...lines, after], at, source)) return undefined;
    const { open, close, line } = BLOCKS[source.kind] ?? BRACES;
    const indent = indentOf(lines[at] as string);
    const block = [indent + open, indent + source.unit + line, ...(close ? [indent + close] : [])];
    return { lines: lines.toSpliced(at + 1, 0, ...block), what: 'insert a block' };
  },
  remove(lines, at, source, after) {
    if (!isStatementEnd([...lines, after], at, source)) return undefined;
    return { lines: lines.toSpliced(at, 1), what: 'remove' };
  },
  wrap(lines, at, source) {
    if (isBlank(lines[at]) || BRANCH.test(lines[at] as string) || ['mk', 'md', 'json', 'yaml'].includes(source.kind)) return undefined;
    let end = at + 1;
    while (end < lines.length && (isBlank(lines[end]) || width(lines[end] as string) > width(lines[at] as string))) end++;
    // The line that closes a block is indented like the line that opens it.
    if (end < lines.length && CLOSING.test(lines[end] as string)) end++;
    const { open, close } = BLOCKS[source.kind] ?? BRACES;
    const indent = indentOf(lines[at] as string);
    const body = lines.slice(at, end).map((line) => (isBlank(line) ? line : source.unit + line));
    return { lines: lines.toSpliced(at, end - at, indent + open, ...body, ...(close ? [indent + close] : [])), what: 'wrap' };
  },
  unwrap(lines, at) {
    const [head, first] = [lines[at] as string, lines[at + 1]];
    if (isBlank(head) || isBlank(first) || width(first as string) <= width(head)) return undefined;
    const less = width(first as string) - width(head);
    let end = at + 1;
    while (end < lines.length && (isBlank(lines[end]) || width(lines[end] as string) > width(head))) end++;
    const body = lines.slice(at + 1, end);
    if (body.some((line) => !isBlank(line) && width(line) < less)) return undefined;
    const closes = CLOSING.test(lines[end] ?? '');
    return { lines: lines.toSpliced(at, end - at + (closes ? 1 : 0), ...body.map((line) => line.slice(less))), what: 'unwrap' };
  },
};

/** Returns true if a statement with the same indentation could follow this line. */
function isStatementEnd(lines: readonly (string | undefined)[], at: number, source: Source): boolean {
  const [line, next] = [lines[at], lines.slice(at + 1).find((each) => !isBlank(each))];
  if (isBlank(line) || ['mk', 'md'].includes(source.kind)) return false;
  if (/[,([{\\:+]$|\||^\s*(?:[.|&?*]|\/\*)/.test(line as string) && source.kind !== 'yaml' && source.kind !== 'json') return false;
  if (source.kind === 'yaml' && !/^\s*\w[\w-]*: \S/.test(line as string)) return false;
  if (source.kind === 'json' && !/,$/.test(line as string)) return false;
  return next === undefined || width(next) <= width(line as string);
}

/** Generates one or two changes in a block of a source file. */
export function trueEdits(all: { written: readonly Source[]; used: readonly Source[] }): fc.Arbitrary<TrueEdit> {
  const change = fc.record({ kind: fc.constantFrom(...Object.keys(CHANGES)), at: fc.nat() });
  return fc
    .record({
      source: fc.oneof(...[all.written, all.used].filter(({ length }) => length > 0).map((each) => fc.constantFrom(...each))),
      from: fc.nat(),
      height: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 14 })),
      changes: fc.array(change, { minLength: 1, maxLength: 2 }),
    })
    .map(({ source, from: start, height, changes }) => {
      const from = start % source.lines.length;
      const old = source.lines.slice(from, from + height);
      while (isBlank(old.at(-1)) && old.length > 0) old.pop();
      const after = source.lines.slice(from + old.length).find((line) => !isBlank(line));
      let now = old;
      const what: string[] = [];
      for (const { kind, at } of changes) {
        // Removing one line and adding another could also be one changed line.
        if (now.length === 0 || what.includes('remove') || (what.length > 0 && kind === 'remove')) continue;
        const changed = CHANGES[kind]?.(now, at % Math.max(1, now.length), source, after);
        if (!changed) continue;
        now = changed.lines;
        what.push(changed.what);
      }
      return { source, from, old, now, what: what.join(' and ') };
    })
    .filter(({ source, old, now, what }) => what !== '' && !isBlank(old[0]) && !isBlank(now[0]) && isOnce(old, source.lines));
}

/** Returns true if the words of the block occur nowhere else, regardless of indentation. */
function isOnce(block: readonly string[], lines: readonly string[]): boolean {
  const words = (each: readonly string[]) => each.map((line) => line.trim()).join('\n');
  return words(lines).split(words(block)).length === 2;
}

const eachLine = (map: (line: string) => string) => (lines: readonly string[]) => lines.map((line) => (isBlank(line) ? '' : map(line)));
const least = (lines: readonly string[]) => Math.min(...lines.filter((line) => !isBlank(line)).map(width));

/** Converts indentation levels from the unit of the source to another unit. Additional alignment stays. */
function inUnit({ unit }: Source, other: string): (line: string) => string {
  return (line) => {
    const indent = indentOf(line);
    let levels = 0;
    while (indent.startsWith(unit, levels * unit.length)) levels++;
    return other.repeat(levels) + line.slice(levels * unit.length);
  };
}

const both = (map: (lines: readonly string[], edit: TrueEdit) => string[] | undefined) => (edit: TrueEdit) => {
  const [old, now] = [map(edit.old, edit), map(edit.now, edit)];
  return old && now && { old, now };
};
const dedented = (edit: TrueEdit, by = least([...edit.old, ...edit.now])) => ({
  ...edit,
  old: edit.old.map((line) => line.slice(by)),
  now: edit.now.map((line) => line.slice(by)),
});
const trimFirst = ([first = '', ...rest]: readonly string[]) => [first.trimStart(), ...rest];
/** Without its indentation, a first line that is not in the place of the old one cannot be indented correctly. */
const isTrimmable = ({ old, now }: TrueEdit) => indentOf(old[0] ?? '') === indentOf(now[0] ?? '');
/** When only the old text has another indentation, a moved line cannot be distinguished from an unchanged one. */
const alone =
  (slip: Slip['apply']): Slip['apply'] =>
  (edit) =>
    isTrimmable(edit) && !edit.what.includes('unwrap') ? slip(edit) : undefined;
const trimmable =
  (slip: Slip['apply']): Slip['apply'] =>
  (edit) =>
    isTrimmable(edit) ? slip(edit) : undefined;
const trimAll = eachLine((line) => line.trimStart());

const typographic = (line: string) => line.replace(/"([^"]*)"/g, '“$1”').replaceAll("'", '’');
/** Without typographic quotes in the old lines, nothing shows which quotes the new lines should have. */
const hasPlainQuotes = ({ old }: TrueEdit) => old.some((line) => typographic(line) !== line) && !old.some((line) => /[‘’“”]/.test(line));

export const SLIPS: readonly Slip[] = [
  { name: 'none', apply: both((lines) => [...lines]) },
  { name: 'the whole is dedented', apply: (edit) => dedented(edit) },
  { name: 'old is dedented alone', apply: alone((edit) => ({ old: dedented(edit, least(edit.old)).old, now: edit.now })) },
  { name: 'the whole is deeper', apply: both(eachLine((line) => `    ${line}`)) },
  { name: 'the whole is half out', apply: (edit) => dedented(edit, Math.floor(least([...edit.old, ...edit.now]) / 2)) },
  { name: 'the first line is trimmed', apply: trimmable(both(trimFirst)) },
  { name: 'the first line of old is trimmed', apply: trimmable(({ old, now }) => ({ old: trimFirst(old), now })) },
  // A line that moves from one block into another cannot be recognized without indentation.
  { name: 'all indentation is gone', apply: (edit) => (/unwrap and|and unwrap/.test(edit.what) ? undefined : both(trimAll)(edit)) },
  { name: 'all indentation of old is gone', apply: alone(({ old, now }) => ({ old: trimAll(old), now })) },
  ...['\t', '  ', '   ', '    ', '        '].map((unit) => ({
    name: `the unit is ${unit === '\t' ? 'a tab' : `${unit.length} blanks`}`,
    apply: both((lines, { source }) => (source.unit === unit ? undefined : eachLine(inUnit(source, unit))(lines))),
  })),
  ...['\t', '  ', '    '].map((unit) => ({
    name: `the whole is dedented and the unit is ${unit === '\t' ? 'a tab' : `${unit.length} blanks`}`,
    apply: (edit: TrueEdit) => {
      if (edit.source.unit === unit) return undefined;
      const { old, now, source } = dedented(edit);
      return { old: eachLine(inUnit(source, unit))(old), now: eachLine(inUnit(source, unit))(now) };
    },
  })),
  { name: 'every line ends with a blank', apply: both(eachLine((line) => `${line} `)) },
  {
    name: 'the whole is dedented and every line ends with a blank',
    apply: (edit) => both(eachLine((line) => `${line} `))({ ...edit, ...dedented(edit) }),
  },
  { name: 'quotes are typographic', apply: (edit) => (hasPlainQuotes(edit) ? both(eachLine(typographic))(edit) : undefined) },
  {
    name: 'the first line is trimmed and the unit is another',
    apply: trimmable(both((lines, { source }) => trimFirst(eachLine(inUnit(source, source.unit === '\t' ? '    ' : '\t'))(lines)))),
  },
];
