/** How the indentation of a model's copy becomes that of the file, step by step; pure. */
import { type Lines, splitLines } from './replace-lines.ts';
import { indentOf } from './replace-match.ts';

/** undefined for an indentation that it says nothing of; `text` is what follows it. */
export type Convert = (indent: string, text: string) => string | undefined;
/** A line as both have it. */
type Level = { old: string; file: string; text: string };
/** One step of indentation in the copy and in the file. Without any, blanks are carried over as they are. */
type Step = { theirs: string; ours: string };

/** One blank more is how the stars of a comment are aligned: it is no step. */
const ALIGNED = 1;
const isStar = (text: string) => text.startsWith('*');
const STEPS = ['\t', '  ', '   ', '    '];
/** Some see a tab as eight blanks. */
const WIDE = ' '.repeat(8);
const VERBATIM: Step = { theirs: '', ours: '' };
const MAX_SEEN = 200_000;

/** The one conversion that these lines show; undefined where they show none. `theirs` are the indentations of the new text, `region` the lines of the passage, `lines` all of the file. */
export function readingOf(
  known: readonly Level[],
  { theirs, region, lines }: { theirs: readonly string[]; region: readonly string[]; lines: Lines },
): Convert | undefined {
  if (known.every(({ old, file }) => old === file)) return (indent) => indent;
  const levels = [...new Map(known.map((line) => [`${line.old}\n${line.file}\n${isStar(line.text)}`, line])).values()];
  if (isOneForSeveral(known)) return undefined;
  const base = levels.reduce((least, level) => (level.old.length < least.old.length ? level : least));
  const explains = (convert: Convert) => levels.every(({ old, file, text }) => convert(old, text) === file);
  const ours = stepsOf(region, lines);
  if (levels.some(({ old, text }) => old !== base.old && !(isStar(text) && old === base.old + ' '.repeat(ALIGNED)))) {
    const steps = STEPS.concat(WIDE).flatMap((step) => ours.map((own): Step => ({ theirs: step, ours: own })));
    const likely = steps.filter((step) => {
      if (step.theirs === step.ours) return false;
      return step.theirs !== WIDE || step.ours === '\t' || levels.every((level) => areAsDeep(level, step));
    });
    return [VERBATIM, ...likely].map((step) => convertBy(base, step)).find(explains);
  }
  const convert = fromOneLevel(base, stepOf(theirs, true) ?? stepOf([...theirs, ...known.map(({ old }) => old)]), ours[0]);
  return explains(convert) ? convert : undefined;
}

/** One indentation of the copy stands for several of the file. */
export function isOneForSeveral(known: readonly Level[]): boolean {
  return new Set(known.map(({ old }) => old)).size < new Set(known.map(({ old, file }) => `${old}\n${file}`)).size;
}

/** Only the steps that each side takes elsewhere tell how a line is indented that is deeper or less deep. */
function fromOneLevel(base: Level, theirs: string | undefined, ours: string | undefined): Convert {
  const verbatim = convertBy(base, VERBATIM);
  if (theirs === ours || ours === undefined) return verbatim;
  if (theirs === undefined || ![...STEPS, WIDE].includes(theirs))
    return ours === '\t' || theirs === '\t' ? (indent) => (indent === base.old ? base.file : undefined) : verbatim;
  const restepped = convertBy(base, { theirs, ours });
  const isOff = base.old.length % theirs.length > 0;
  if (!isOff && ((base.old !== '' && areAsDeep(base, { theirs, ours })) || theirs === '\t' || ours === '\t')) return restepped;
  return (indent, text) => (verbatim(indent, text) === restepped(indent, text) ? verbatim(indent, text) : undefined);
}

/** From blanks to tabs or back where only one side has tabs; else as it is. */
export function fromMargin(theirs: readonly string[], file: string, ours: string): Convert {
  const step = stepOf(theirs);
  const isMixed = step !== undefined && (step === '\t') !== file.includes('\t');
  return isMixed ? convertBy({ old: '', file: '', text: '' }, { theirs: step, ours }) : (indent) => indent;
}

/** As many steps in the one as in the other. */
function areAsDeep({ old, file }: Level, { theirs, ours }: Step): boolean {
  const levels = Math.floor(old.length / theirs.length);
  return old === theirs.repeat(levels) && file === ours.repeat(levels);
}

function convertBy(base: Level, step: Step): Convert {
  return (indent, text) => {
    if (indent.startsWith(base.old)) {
      const more = converted(indent.slice(base.old.length), step, isStar(text) ? ALIGNED : 0);
      return more === undefined ? undefined : base.file + more;
    }
    if (!base.old.startsWith(indent)) return undefined;
    const less = converted(base.old.slice(indent.length), step, 0);
    return less !== undefined && base.file.endsWith(less) ? base.file.slice(0, base.file.length - less.length) : undefined;
  };
}

function converted(blanks: string, { theirs, ours }: Step, most: number): string | undefined {
  if (theirs === '') return blanks;
  let levels = 0;
  while (blanks.startsWith(theirs, levels * theirs.length)) levels++;
  const rest = blanks.slice(levels * theirs.length);
  return rest.length <= most && !rest.includes('\t') ? ours.repeat(levels) + rest : undefined;
}

/** The steps that a file takes: the most frequent one first, then those of the region. */
export function stepsOf(region: readonly string[], lines: Lines): string[] {
  const near = region.filter((line) => line.trim() !== '').map(indentOf);
  const steps = [stepOf(near, true), ...inwardSteps(near).keys(), stepIn(lines)];
  return [...new Set(steps)].flatMap((step) => (step !== undefined && STEPS.includes(step) ? step : []));
}

const stepsOfFiles = new WeakMap<Lines, { step: string | undefined }>();

function stepIn(lines: Lines): string | undefined {
  const found = stepsOfFiles.get(lines);
  if (found) return found.step;
  const begin = splitLines(lines.text.slice(0, MAX_SEEN));
  const step = stepOf(begin.flatMap((line) => (line.trim() === '' ? [] : indentOf(line))));
  stepsOfFiles.set(lines, { step });
  return step;
}

/** How often lines go in, by how much. */
function inwardSteps(indents: readonly string[]): Map<string, number> {
  const inward = new Map<string, number>();
  for (const [index, indent] of indents.entries()) {
    const before = indents[index - 1] ?? indent;
    const step = indent.startsWith(before) ? indent.slice(before.length) : '';
    if (step.startsWith('\t')) inward.set('\t', (inward.get('\t') ?? 0) + 1);
    else if (step.length > ALIGNED) inward.set(step, (inward.get(step) ?? 0) + 1);
  }
  return inward;
}

/** One step of indentation: the blanks by which lines go in most often, or else by which any two differ least. */
export function stepOf(indents: readonly string[], isStrict = false): string | undefined {
  const [most] = [...inwardSteps(indents)].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length);
  if (most || isStrict) return most?.[0];
  if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
  const levels = [...new Set([0, ...indents.map(({ length }) => length)])].sort((a, b) => a - b);
  const steps = levels.slice(1).map((width, index) => width - (levels[index] as number));
  const least = Math.min(...steps.filter((step) => step > ALIGNED));
  return Number.isFinite(least) ? ' '.repeat(least) : undefined;
}
