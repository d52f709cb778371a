/** Whether a path is among those that a plan, a rule or a grant names. */
import { globMatcher } from './glob.ts';

/**
 * A scope entry is a path, taken literally, or a glob; a leading `!` is a letter, and does not turn it into all other files. Brackets
 * alone make no glob of a path, and those around a name are letters in a glob too.
 */
export function inScope(path: string, scope: readonly string[]): boolean {
  return scope.some((entry) => {
    const clean = entry.replace(/^\.\//, '');
    return clean === path || (/[*?{]/.test(clean) && globMatcher(clean, { names: true })(path));
  });
}
