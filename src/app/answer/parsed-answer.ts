/** Reads the answer of a model: plain text with a line about its confidence, or JSON, which may be in a fenced block. */

export type Confidence = 'high' | 'medium' | 'low';
export const GRADES: readonly Confidence[] = ['low', 'medium', 'high'];

/** `stated` is the confidence that the model states, or `high` if it states none. */
export type ParsedAnswer = { answer: string; stated: Confidence };

const STATED = /^[*_ ]*confidence[*_ ]*:[*_ ]*(high|medium|low)\b.*$/im;
const FENCE = /^```(?:json)?[ \t]*\n/im;
const FENCE_END = /^```[ \t]*$/m;
const MAX_SOURCES = 50;

export function parsedAnswer(text: string): ParsedAnswer {
  const whole = text.trim();
  return jsonAnswer(whole) ?? jsonAnswer(fenced(whole)) ?? plainAnswer(whole);
}

/** Returns the content of the first fenced block. */
function fenced(text: string): string | undefined {
  const fence = FENCE.exec(text);
  const content = fence ? text.slice(fence.index + fence[0].length) : '';
  const end = content.search(FENCE_END);
  return end < 0 ? undefined : content.slice(0, end);
}

function plainAnswer(text: string): ParsedAnswer {
  return { answer: text.replace(STATED, '').trim(), stated: gradeOf(STATED.exec(text)?.[1]) ?? 'high' };
}

function jsonAnswer(text: string | undefined): ParsedAnswer | undefined {
  if (!text?.trimStart().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { answer, confidence, note, sources } = value as Record<string, unknown>;
  if (typeof answer !== 'string') return undefined;
  const { answer: words, stated } = plainAnswer(answer);
  const named = (Array.isArray(sources) ? sources.slice(0, MAX_SOURCES) : [])
    .map(sourceText)
    .filter((each) => each && !words.includes(each));
  const parts = [
    words,
    typeof note === 'string' ? note : '',
    named.length > 0 ? `Sources: ${named.map((each) => `[${each}]`).join(' ')}` : '',
  ];
  return { answer: parts.filter(Boolean).join('\n\n'), stated: gradeOf(confidence) ?? stated };
}

/** Writes a source as it is cited in text. */
function sourceText(source: unknown): string {
  if (typeof source === 'string') return source.trim().replace(/^\[(.*)\]$/, '$1');
  const { path, collection, document, lines, page, place } = (source ?? {}) as Record<string, unknown>;
  const file = [collection, document ?? path].filter((part) => typeof part === 'string').join('/');
  const at = typeof page === 'number' ? `p${page}` : [lines, place].find((part) => typeof part === 'string' || typeof part === 'number');
  return file && at !== undefined ? `${file}:${at}` : file;
}

function gradeOf(words: unknown): Confidence | undefined {
  return typeof words === 'string' ? GRADES.find((grade) => grade === words.trim().toLowerCase()) : undefined;
}
