/** Recognizes keys and passwords in texts by their form. */

type Form = readonly [what: string, pattern: RegExp];

/** Forms that almost nothing but a key has. */
const CERTAIN: readonly Form[] = [
  ['private keys', /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g],
  ['API keys', /\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_])*[A-Za-z0-9_-]{16,}/g],
  ['API keys', /\b(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|xox[abeprs]-|gsk_|xai-|r8_|pypi-|dop_v1_|shpat_|SG\.)[\w.-]{16,}/g],
  ['API keys', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/g],
  ['web tokens', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/g],
];

/** All forms. The last ones also match examples in documentation. */
export const KEYS: readonly Form[] = [
  ...CERTAIN,
  ['passwords in URLs', /(?<=:\/\/)[^\s/:@"']+:[^\s/@"']+(?=@)/g],
  ['authorization headers', /(?<=\b(?:bearer|basic) )[\w.~+/=-]{12,}/gi],
  ['passwords and tokens', /(?<=\b\w*(?:password|passwd|secret|token|api_?key|access_?key)\w*["']?\s*[:=]\s*["']?)[^\s"',;]{8,}/gi],
];

/** Returns true if a text contains something that looks like a key or a password. */
export function holdsKey(text: string): boolean {
  return KEYS.some(([, pattern]) => text.search(pattern) >= 0);
}

/** Replaces keys whose form is certain by a mark, so that a model does not receive them. Line breaks stay. */
export function withoutKeys(text: string): string {
  let marked = text;
  for (const [what, pattern] of CERTAIN)
    marked = marked.replace(pattern, (key) => `[left out by Kedge: ${what}]${'\n'.repeat(key.split('\n').length - 1)}`);
  return marked;
}
