/** Finds the search pattern among the arguments of `grep`, `sed` and `awk`. It may look like a path, but does not name a file. */

const VALUED: Record<string, RegExp> = {
  grep: /^-[a-zA-Z]*[mABCdD]$/,
  rg: /^-[a-zA-Z]*[mABCdgtTMjEr]$/,
};
const KNOWN = /^-(?:[a-zA-Z]+\d*|\d+)$/;
const LONG =
  /^--(?:[a-z-]+=.*|ignore-case|smart-case|word-regexp|line-number|recursive|count|files-with-matches|fixed-strings|extended-regexp|perl-regexp|only-matching|no-heading|invert-match|no-messages|with-filename|no-filename|quiet|hidden|json)$/;

/** Returns the index of the search pattern in `args`, or -1 if it cannot be determined with certainty. */
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
  // With `-e` or `-f`, the pattern is an option value and all operands are files.
  if (!valued || args.some((word) => /^-[^-]*[ef]|^--(?:re|fi|e|f)/.test(word) && !/^--(?:extended|fixed|files)/.test(word))) return -1;
  const at = args.findIndex((word, index) => !word.startsWith('-') && !valued.test(args[index - 1] ?? ''));
  return args.slice(0, Math.max(at, 0)).every((word) => !word.startsWith('-') || KNOWN.test(word) || LONG.test(word)) ? at : -1;
}
