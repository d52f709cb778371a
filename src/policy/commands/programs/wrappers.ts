/**
 * Programs that run another command, which is given as their arguments. If the wrapper does not change what the command does, only the
 * command is evaluated.
 */

import { asks, type Check } from '../program-check.ts';
import { isHarmlessAssignment } from '../shells/environment.ts';

type Form = {
  /** Harmless options without a value (`flags`), and harmless options whose value is the next word (`valued`). */
  flags?: RegExp;
  valued?: RegExp;
  /** The number of operands before the command, such as the seconds for `timeout`. */
  operands?: number;
};

const FORMS: Record<string, Form> = {
  timeout: { flags: /^(?:-v|--verbose|--foreground|--preserve-status|--kill-after=\w+|--signal=\w+)$/, valued: /^-[ks]$/, operands: 1 },
  time: { flags: /^-[plv]$/ },
  nice: { flags: /^(?:-\d+|-n-?\d+|--adjustment=-?\d+)$/, valued: /^-n$/ },
  ionice: { flags: /^(?:-t|-[cn]\d)$/, valued: /^-[cn]$/ },
  stdbuf: { flags: /^-[ioe][0L]$/, valued: /^-[ioe]$/ },
  builtin: {},
};

export const wrappers: Record<string, Check> = {
  ...Object.fromEntries(Object.entries(FORMS).map(([name, form]): [string, Check] => [name, (args) => unwrap(name, form, args)])),
  command: (args) => (/^-[vV]$/.test(args[0] ?? '') ? { reads: true } : unwrap('command', {}, args)),
  env: (args) => {
    const at = args.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    if (at < 0) return asks('shell-state', 'env');
    if ((args[at] as string).startsWith('-')) {
      const inner = args.findIndex((word, index) => index >= at && !word.startsWith('-') && !word.includes('='));
      return { ...asks('runs-other', `env ${args[at]}`), ...(inner < 0 ? {} : { inner: { at: inner + 1, isCovered: false } }) };
    }
    const set = args.slice(0, at).find((word) => !isHarmlessAssignment(word, args[at]));
    const concerns = set === undefined ? {} : asks('environment', set.split('=')[0] ?? set);
    return { ...concerns, inner: { at: at + 1, isCovered: false } };
  },
};

function unwrap(name: string, { flags, valued, operands = 0 }: Form, args: readonly string[]): ReturnType<Check> {
  let at = 0;
  while (args[at]?.startsWith('-')) {
    if (valued?.test(args[at] as string)) at += 2;
    else if (flags?.test(args[at] as string)) at += 1;
    else return { ...asks('runs-other', `${name} ${args[at]}`), ...innerAfter(args, at) };
  }
  at += operands;
  return at < args.length ? { inner: { at: at + 1, isCovered: false } } : { floor: 2 };
}

function innerAfter(args: readonly string[], from: number): ReturnType<Check> {
  const at = args.findIndex((word, index) => index > from && !word.startsWith('-') && !/^\d/.test(word));
  return at < 0 ? {} : { inner: { at: at + 1, isCovered: false } };
}
