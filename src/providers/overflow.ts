/** Reads the numbers of tokens from errors that say that a request was too long for the context window. */

/** Numbers of tokens, if the error names them. */
export type Overflow = { window?: number; requested?: number };

const NUMBER = '(\\d[\\d,_]{2,12})';
/** A smaller number cannot be the window of a model, so it means something else. */
const MIN_WINDOW = 1_000;
const sizeOf = (what: string) => `[ _](?:${what})[ _](?:length|size|window|limit)(?: is| of)?(?: only)?\\W{0,3}${NUMBER}`;
/**
 * The most reliable pattern comes first. The pattern for a prompt or an input comes last, because it often matches the length of the
 * request.
 */
const WINDOWS = [
  `> ?${NUMBER}`,
  sizeOf('context'),
  `${NUMBER} (?:tokens? )?maximum`,
  `tokens allowed \\(${NUMBER}`,
  `n_ctx\\W{1,4}${NUMBER}`,
  sizeOf('model'),
  `(?:limit|maximum)(?: is| of)\\W{0,3}${NUMBER}`,
  sizeOf('prompt|input'),
].map((pattern) => new RegExp(pattern, 'i'));
const REQUESTS = [
  // This number does not include the tokens that are reserved for the answer.
  `${NUMBER} (?:tokens? )?in (?:the|your) (?:messages|prompt|input)`,
  `resulted in ${NUMBER}`,
  `requested (?:about )?${NUMBER}`,
  `(?:prompt|request) (?:contains|has) ${NUMBER}`,
  `token count \\(${NUMBER}`,
  `request \\(${NUMBER}`,
  `too long: ${NUMBER}`,
  `length ${NUMBER}\\) is longer`,
  `n_prompt_tokens\\W{1,4}${NUMBER}`,
  `first ${NUMBER} tokens`,
].map((pattern) => new RegExp(pattern, 'i'));

export function overflowIn(message: string): Overflow {
  const text = message.slice(0, 2_000);
  const window = firstNumber(WINDOWS, text, MIN_WINDOW);
  const requested = firstNumber(REQUESTS, text);
  const isLarger = requested !== undefined && requested > (window ?? 0);
  return { ...(window !== undefined && { window }), ...(isLarger && { requested }) };
}

function firstNumber(patterns: readonly RegExp[], text: string, min = 1): number | undefined {
  for (const pattern of patterns) {
    const number = Number(pattern.exec(text)?.[1]?.replace(/[,_]/g, ''));
    if (number >= min) return number;
  }
  return undefined;
}
