/** Words that look like paths and are none: what `grep`, `sed` and `awk` look for, where their options leave no doubt. */

const VALUED: Record<string, RegExp> = {
  grep: /^-[a-zA-Z]*[mABCdD]$/,
  rg: /^-[a-zA-Z]*[mABCdgtTMjEr]$/,
};
const KNOWN = /^-(?:[a-zA-Z]+\d*|\d+)$/;
const LONG =
  /^--(?:[a-z-]+=.*|ignore-case|smart-case|word-regexp|line-number|recursive|count|files-with-matches|fixed-strings|extended-regexp|perl-regexp|only-matching|no-heading|invert-match|no-messages|with-filename|no-filename|quiet|hidden|json)$/;

/** @returns the place of the pattern among the arguments, -1 where it is not clear which word that is. */
export function patternAt(name: string, args: readonly string[]): number {
  if (args.includes('--')) return -1;
  if (name === 'sed') {
    const at = args.findIndex((word) => !word.startsWith('-'));
    return args.every((word) => !word.startsWith('-') || /^-[nErsuz]+$/.test(word)) ? at : -1;
  }
  if (name === 'awk') {
    let at = 0;
    while (/^-[Fv]/.test(args[at] ?? '')) at += /^-[Fv]$/.test(args[at] as string) ? 2 : 1;
    return args[at]?.startsWith('-') ? -1 : at;
  }
  const valued = VALUED[/^[ef]?grep$/.test(name) ? 'grep' : name];
  // With `-e` or `-f` there is none among the operands.
  if (!valued || args.some((word) => /^-[^-]*[ef]|^--(?:re|fi|e|f)/.test(word) && !/^--(?:extended|fixed|files)/.test(word))) return -1;
  const at = args.findIndex((word, index) => !word.startsWith('-') && !valued.test(args[index - 1] ?? ''));
  return args.slice(0, Math.max(at, 0)).every((word) => !word.startsWith('-') || KNOWN.test(word) || LONG.test(word)) ? at : -1;
}
