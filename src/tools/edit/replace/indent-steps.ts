/** Converts indentation as a model wrote it to the indentation of the file. */
import { type Lines, splitLines } from './lines.ts';
import { indentOf } from './match.ts';

/** Returns undefined for an indentation that cannot be converted. `text` is the line without its indentation. */
export type Convert = (indent: string, text: string) => string | undefined;
/** The indentation of one line in the model's copy (`old`) and in the file, and the line without indentation. */
type Level = { old: string; file: string; text: string };
/** One level of indentation as the model writes it (`theirs`) and in the file (`ours`). Empty steps mean that indentation is unchanged. */
type Step = { theirs: string; ours: string };

/** A single extra space, which aligns the stars of a comment or a line below a bracket. It is not a level of indentation. */
const ALIGNED = ' ';
const isStar = (text: string) => text.startsWith('*');
const STEPS = ['\t', '  ', '   ', '    '];
/** Some models write a tab as eight spaces. */
const WIDE = ' '.repeat(8);
const VERBATIM: Step = { theirs: '', ours: '' };
const MAX_SEEN = 200_000;

/**
 * Returns the conversion that explains all known lines, or undefined when there is none. `theirs` are the indentations of the new text,
 * `region` is the matched passage and `lines` is the whole file.
 */
export function findConversion(
  known: readonly Level[],
  { theirs, region, lines }: { theirs: readonly string[]; region: readonly string[]; lines: Lines },
): Convert | undefined {
  if (known.every(({ old, file }) => old === file)) return (indent) => indent;
  const levels = [...new Map(known.map((line) => [`${line.old}\n${line.file}\n${isStar(line.text)}`, line])).values()];
  if (isOneForSeveral(known)) return undefined;
  const base = levels.reduce((least, level) => (level.old.length < least.old.length ? level : least));
  const explains = (convert: Convert) => levels.every(({ old, file, text }) => convert(old, text) === file);
  const ours = stepsOf(region, lines);
  const usual = stepOf(theirs, true) ?? stepOf([...theirs, ...known.map(({ old }) => old)]);
  const areAligned = levels.some(({ old }) => old === base.old + ALIGNED);
  if (levels.some(({ old }) => old !== base.old && old !== base.old + ALIGNED)) {
    const steps = STEPS.concat(WIDE).flatMap((step) => ours.map((own): Step => ({ theirs: step, ours: own })));
    const likely = steps.filter((step) => {
      if (step.theirs === step.ours) return false;
      return step.theirs !== WIDE || step.ours === '\t' || levels.every((level) => haveSameDepth(level, step));
    });
    const matchingStep = [VERBATIM, ...likely].find((step) => explains(convertBy(base, step, areAligned)));
    // A difference that is not a multiple of a step, as in a continued line, does not show that the model and the file use the same steps.
    const isStep = levels.some(({ old }) => old !== base.old && (old.length - base.old.length) % (ours[0] ?? ' ').length === 0);
    if (matchingStep && (matchingStep !== VERBATIM || isStep || usual === ours[0])) return convertBy(base, matchingStep, areAligned);
    if (!matchingStep) return undefined;
  }
  const convert = fromOneLevel(base, usual, ours[0], areAligned);
  return explains(convert) ? convert : undefined;
}

/** Returns true if one indentation in the copy corresponds to several in the file. */
export function isOneForSeveral(known: readonly Level[]): boolean {
  return new Set(known.map(({ old }) => old)).size < new Set(known.map(({ old, file }) => `${old}\n${file}`)).size;
}

/** Converts by the usual steps of the model and of the file. It is used when all known lines have the same level. */
function fromOneLevel(base: Level, theirs: string | undefined, ours: string | undefined, areAligned: boolean): Convert {
  const verbatim = convertBy(base, VERBATIM, areAligned);
  if (theirs === ours || ours === undefined) return verbatim;
  if (theirs === undefined || ![...STEPS, WIDE].includes(theirs))
    return ours === '\t' || theirs === '\t' ? (indent) => (indent === base.old ? base.file : undefined) : verbatim;
  const restepped = convertBy(base, { theirs, ours }, areAligned);
  const isOff = base.old.length % theirs.length > 0;
  if (!isOff && ((base.old !== '' && haveSameDepth(base, { theirs, ours })) || theirs === '\t' || ours === '\t')) return restepped;
  return (indent, text) => (verbatim(indent, text) === restepped(indent, text) ? verbatim(indent, text) : undefined);
}

/** Converts lines that have their complete indentation between spaces and tabs, if only the model or only the file uses tabs. */
export function fromLineStart(theirs: readonly string[], file: string, ours: string): Convert {
  const step = stepOf(theirs);
  const isMixed = step !== undefined && (step === '\t') !== file.includes('\t');
  return isMixed ? convertBy({ old: '', file: '', text: '' }, { theirs: step, ours }) : (indent) => indent;
}

/** Returns true if a line has the same number of levels in the model's copy (`old`) and in the file. */
function haveSameDepth({ old, file }: Level, { theirs, ours }: Step): boolean {
  const levels = Math.floor(old.length / theirs.length);
  return old === theirs.repeat(levels) && file === ours.repeat(levels);
}

function convertBy(base: Level, step: Step, areAligned = false): Convert {
  return (indent, text) => {
    if (indent.startsWith(base.old)) {
      const more = converted(indent.slice(base.old.length), step, areAligned || isStar(text));
      return more === undefined || isForeign(more, base) ? undefined : base.file + more;
    }
    if (!base.old.startsWith(indent)) return undefined;
    const less = converted(base.old.slice(indent.length), step, false);
    return less !== undefined && base.file.endsWith(less) ? base.file.slice(0, base.file.length - less.length) : undefined;
  };
}

/** Returns true if `blanks` uses tabs in a file that uses spaces, or spaces in a file that uses tabs. */
function isForeign(blanks: string, { old, file }: Level): boolean {
  if (file === '' || blanks === ALIGNED) return false;
  return file.includes('\t') ? blanks.startsWith('  ') && !old.includes('\t') : blanks.includes('\t');
}

function converted(blanks: string, { theirs, ours }: Step, isAligned: boolean): string | undefined {
  if (theirs === '') return blanks;
  let levels = 0;
  while (blanks.startsWith(theirs, levels * theirs.length)) levels++;
  const rest = blanks.slice(levels * theirs.length);
  return rest === '' || (isAligned && rest === ALIGNED) ? ours.repeat(levels) + rest : undefined;
}

/** Returns the indentation steps of a file: the most frequent one of the region first, the most frequent one of the file last. */
export function stepsOf(region: readonly string[], lines: Lines): string[] {
  const near = region.filter((line) => line.trim() !== '').map(indentOf);
  const steps = [stepOf(near, true), ...inwardSteps(near).keys(), stepIn(lines)];
  return [...new Set(steps)].flatMap((step) => (step !== undefined && STEPS.includes(step) ? step : []));
}

const stepsOfFiles = new WeakMap<Lines, { step: string | undefined }>();

function stepIn(lines: Lines): string | undefined {
  const cachedStep = stepsOfFiles.get(lines);
  if (cachedStep) return cachedStep.step;
  const begin = splitLines(lines.text.slice(0, MAX_SEEN));
  const step = stepOf(begin.flatMap((line) => (line.trim() === '' ? [] : indentOf(line))));
  stepsOfFiles.set(lines, { step });
  return step;
}

/** Counts, for each step, how often a line is indented by that step more than the line before it. */
function inwardSteps(indents: readonly string[]): Map<string, number> {
  const inward = new Map<string, number>();
  for (const [index, indent] of indents.entries()) {
    const before = indents[index - 1] ?? indent;
    const step = indent.startsWith(before) ? indent.slice(before.length) : '';
    if (step.startsWith('\t')) inward.set('\t', (inward.get('\t') ?? 0) + 1);
    else if (step.length > ALIGNED.length) inward.set(step, (inward.get(step) ?? 0) + 1);
  }
  return inward;
}

/**
 * Determines one step of indentation: the most frequent difference between a line and the less indented line before it or, failing that,
 * the smallest difference between any two lines. `isStrict` skips the fallback.
 */
export function stepOf(indents: readonly string[], isStrict = false): string | undefined {
  const [most] = [...inwardSteps(indents)].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length);
  if (most || isStrict) return most?.[0];
  if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
  const levels = [...new Set([0, ...indents.map(({ length }) => length)])].sort((a, b) => a - b);
  const steps = levels.slice(1).map((width, index) => width - (levels[index] as number));
  const least = Math.min(...steps.filter((step) => step > ALIGNED.length));
  return Number.isFinite(least) ? ' '.repeat(least) : undefined;
}
