/**
 * Determines the indentation of new lines when a passage matched by ignoring indentation. For the old lines, the indentation in the model's
 * copy and in the file is known. A reading is one explanation of how the copy differs from the file, for all of these lines. When no
 * reading fits, or two readings indent a new line differently, the result is undefined; nothing is guessed.
 */
import { closesBlock, isNestedWell, leavesBlock, opensBlock } from './blocks.ts';
import { type Convert, findConversion, fromLineStart, isOneForSeveral, stepsOf } from './indent-steps.ts';
import type { Lines } from './lines.ts';
import { indentOf } from './match.ts';
import type { Op } from './op.ts';

/** A line of the passage, with its indentation in the model's copy and in the file. */
type OldLine = { index: number; old: string; file: string; text: string };
/** A line of the new text. `file` is its indentation in the file, if the change keeps the line. */
type NewLine = { index: number; indent: string; text: string; file?: string };
/** Maps the index of each diff entry of the new text to its indentation. */
type Indents = ReadonlyMap<number, string>;

/** `known` and `written` do not contain blank lines. */
type Passage = {
  ops: readonly Op[];
  known: readonly OldLine[];
  written: readonly NewLine[];
  /** The lines of the file, one for each diff entry that is not an addition. */
  region: readonly string[];
  lines: Lines;
};

/**
 * Returns the indentation of each line of the new text by the index of its diff entry, or undefined when it cannot be determined. `region`
 * is the matched passage of the file and `lines` is the whole file. `isContextFixed` is true when the model marked the lines that stay, so
 * that none of them may move.
 */
export function indentsFor(ops: readonly Op[], region: readonly string[], lines: Lines, isContextFixed = false): Indents | undefined {
  const passage = passageOf(ops, region, lines);
  const indents = readIndents(passage);
  const moves = passage.written.some(({ index, file }) => file !== undefined && indents?.get(index) !== file);
  return isContextFixed && moves ? undefined : indents;
}

function readIndents(passage: Passage): Indents | undefined {
  const { known, written } = passage;
  if (known.length === 1) return readBesideOneLine(passage);
  const asWritten = readAsWritten(passage);
  const readings = [readAsShifted(passage), readAsTrimmed(passage), asWritten].flatMap((indents) => indents ?? []);
  if (readings.length === 0) return pairByPosition(passage);
  const indents = agreeingIndents(readings) ?? agreeingIndents(readings.filter((each) => isNestedWell(linesWith(passage, each))));
  if (indents && asWritten && agreeingIndents([indents, asWritten])) return withBlankLines(passage, indents);
  // When all lines have the same indentation, the model may have lost the differences.
  const isFlat = new Set([...known.map(({ old }) => old), ...written.map(({ indent }) => indent)]).size === 1;
  return isFlat ? wellNested(indents, passage) : indents;
}

/** Adds blank lines with the blanks of the new text. It is used when the new text is indented like the file. */
function withBlankLines({ ops }: Passage, indents: Indents): Indents {
  const blank = ops.flatMap(({ sign, text }, index): [number, string][] =>
    sign === '+' && indentOf(text) === text ? [[index, text]] : [],
  );
  return new Map([...indents, ...blank]);
}

function passageOf(ops: readonly Op[], region: readonly string[], lines: Lines): Passage {
  const known: OldLine[] = [];
  const written: NewLine[] = [];
  let at = 0;
  for (const [index, { sign, text }] of ops.entries()) {
    const line = sign === '+' ? undefined : region[at++];
    const file = line && indentOf(line);
    const indent = indentOf(text);
    const words = text.slice(indent.length);
    if (words === '') continue;
    if (file !== undefined) known.push({ index, old: indent, file, text: words });
    if (sign !== '-') written.push({ index, indent, text: words, ...(file !== undefined && { file }) });
  }
  return { ops, known, written, region, lines };
}

function agreeingIndents([first, ...others]: readonly Indents[]): Indents | undefined {
  return others.every((other) => [...other].every(([index, indent]) => indent === first?.get(index))) ? first : undefined;
}

function wellNested(indents: Indents | undefined, passage: Passage): Indents | undefined {
  return indents && isNestedWell(linesWith(passage, indents)) ? indents : undefined;
}

/** Collects the indentation of all lines. Kept lines have the indentation of the file. */
function indentsBy({ written }: Passage, indentOfNew: (line: NewLine) => string | undefined): Indents | undefined {
  const indents = new Map<number, string>();
  for (const line of written) {
    const indent = line.file ?? indentOfNew(line);
    if (indent === undefined) return undefined;
    indents.set(line.index, indent);
  }
  return indents;
}

/** Reading: the model indented all lines in a different way. */
function readAsShifted(passage: Passage): Indents | undefined {
  const convert = conversion(passage, passage.known, passage.written);
  return convert && indentsBy(passage, ({ indent, text }) => convert(indent, text));
}

function conversion({ lines, region }: Passage, known: readonly OldLine[], written: readonly NewLine[]): Convert | undefined {
  return findConversion(known, { theirs: written.map(({ indent }) => indent), region, lines });
}

/** Reading: the copy begins after the indentation of its first line. The new text may begin after the indentation too. */
function readAsTrimmed(passage: Passage): Indents | undefined {
  const [head, ...below] = passage.written;
  const [first, ...rest] = passage.known;
  const isFlatCopy = new Set(passage.known.map(({ old }) => old)).size === 1;
  if (!first || isFlatCopy || below.some(({ index }) => index === first.index)) return undefined;
  const convert = conversion(passage, rest, below);
  const isTrimmed = first.file.endsWith(first.old) && first.file !== first.old;
  if (!convert || !isTrimmed || (convert(first.old, first.text) ?? '').length >= first.file.length) return undefined;
  return indentsBy(passage, (line) => {
    if (line !== head) return convert(line.indent, line.text);
    if (onlyReindents(passage)) return line.indent.startsWith(first.old) ? first.file + line.indent.slice(first.old.length) : undefined;
    if (line.indent === first.file) return first.file;
    // A line that moved up from below may have a different depth.
    const same = rest.find(({ text }) => text === line.text);
    return line.indent === first.old && (!same || same.file === first.file) ? first.file : undefined;
  });
}

/** Reading: only the copy lost its indentation, and the new text has the indentation of the file. */
function readAsWritten(passage: Passage): Indents | undefined {
  const { known, written } = passage;
  const [first, head] = [known[0], written[0]];
  if (!first || onlyReindents(passage)) return undefined;
  const isFlatCopy = new Set(known.map(({ old }) => old)).size === 1;
  const place = known.find(({ text }) => text === head?.text) ?? first;
  if (head?.indent !== place.file) return undefined;
  if (place.old === place.file && !(isFlatCopy && written.some(({ indent }) => indent !== place.old))) return undefined;
  return new Map(written.map(({ index, indent }) => [index, indent]));
}

/** Returns true if the change affects only indentation. */
function onlyReindents({ known, written }: Passage): boolean {
  return known.length === written.length && known.every(({ text }, index) => text === written[index]?.text);
}

/**
 * A passage of one line has two readings: the copy begins after its indentation and the following lines are indented in full, or all lines
 * are shifted.
 */
function readBesideOneLine(passage: Passage): Indents | undefined {
  const { known, written, region, lines } = passage;
  const [line] = known as [OldLine];
  const [head, ...others] = written;
  const shifted = wellNested(readAsShifted(passage), passage);
  const isKeptBelow = others.some(({ file }) => file !== undefined);
  const isTrimmed = line.old === '' || others.every(({ indent }) => indent.startsWith(line.file));
  if (line.old === line.file || !line.file.endsWith(line.old) || !isTrimmed || isKeptBelow) return shifted;
  const [step = ''] = stepsOf(region, lines);
  const theirs = head?.indent === line.file ? [] : others.map(({ indent }) => indent);
  const absolute = fromLineStart(theirs, line.file, step);
  const literal = wellNested(
    indentsBy(passage, (each) => {
      if (each !== head) return absolute(each.indent, each.text);
      if (onlyReindents(passage)) return line.file + each.indent;
      return each.indent === line.old || each.indent === line.file ? line.file : undefined;
    }),
    passage,
  );
  if (!literal || (shifted && agreeingIndents([literal, shifted]))) return shifted;
  if (shifted && line.old !== '') return undefined;
  const goesIn = (indents: Indents) => (indents.get(others[0]?.index ?? -1) ?? '').length - (indents.get(head?.index ?? -1) ?? '').length;
  if (shifted && opensBlock(head?.text ?? '') && goesIn(literal) !== step.length && goesIn(shifted) === step.length) return shifted;
  return staysInside(line.file, others, literal) ? literal : undefined;
}

/** Returns true if no line is indented less than `depth`, except for lines that end an outer block and the lines after them. */
function staysInside(depth: string, lines: readonly NewLine[], indents: Indents): boolean {
  let least = depth;
  for (const { index, text } of lines) {
    const indent = indents.get(index) ?? '';
    if (indent.startsWith(least)) continue;
    if (!leavesBlock(text)) return false;
    least = indent;
  }
  return true;
}

/** When no reading fits, a new line can only have the indentation of the line that it replaces. */
function pairByPosition(passage: Passage): Indents | undefined {
  const { known, written } = passage;
  const runs = runsOf(passage);
  const isMixed = isOneForSeveral(known);
  if (isMixed && written.length > 0 && runs.some(({ removed, added }) => removed.length !== added.length)) return undefined;
  const replaced = new Map(
    runs.flatMap(({ removed, added }) =>
      removed.length === added.length ? added.map((line, index) => [line, removed[index]] as const) : [],
    ),
  );
  const below = new Map(known.map((line, index) => [line, known[index + 1]]));
  return indentsBy(passage, (line) => {
    const pair = replaced.get(line);
    return pair?.old === line.indent && (!isMixed || areAlike(pair, line, below.get(pair))) ? pair.file : undefined;
  });
}

/** Returns true if the two lines are alike: both or none of them begin a block, and both or none of them end a block. */
function areAlike(replaced: OldLine, { text }: NewLine, below: OldLine | undefined): boolean {
  if (opensBlock(replaced.text) !== opensBlock(text) || closesBlock(replaced.text) !== closesBlock(text)) return false;
  const word = (line: string) => /^\W*\w*/.exec(line)?.[0];
  const isInside = below !== undefined && below.file !== replaced.file && below.file.startsWith(replaced.file);
  return !isInside || word(replaced.text) === word(text);
}

/** Groups the removed and added lines between two kept lines. */
function runsOf({ ops, known, written }: Passage): { removed: OldLine[]; added: NewLine[] }[] {
  const runs: { removed: OldLine[]; added: NewLine[] }[] = [];
  const [knownAt, writtenAt] = [new Map(known.map((line) => [line.index, line])), new Map(written.map((line) => [line.index, line]))];
  let isOpen = false;
  for (const index of ops.keys()) {
    const [gone, come] = [knownAt.get(index), writtenAt.get(index)];
    if (!gone && !come) continue;
    if (gone && come) isOpen = false;
    else {
      if (!isOpen) runs.push({ removed: [], added: [] });
      isOpen = true;
      if (gone) runs.at(-1)?.removed.push(gone);
      if (come) runs.at(-1)?.added.push(come);
    }
  }
  return runs;
}

/** Returns the new lines with the given indentation. */
function linesWith({ written }: Passage, indents: Indents): { text: string; isNew: boolean }[] {
  return written.map(({ index, text, file }) => ({ text: (indents.get(index) ?? '') + text, isNew: file !== indents.get(index) }));
}
