/** Checks whether the paths and globs of a plan, rule or grant include a path. */
import { globMatcher } from './glob.ts';

/**
 * An entry is a literal path or a glob. A leading `!` is a literal character, so it cannot negate the glob. Brackets alone do not make an
 * entry a glob, and brackets around a name are literal in a glob too.
 */
export function inScope(path: string, scope: readonly string[]): boolean {
  return scope.some((entry) => {
    const clean = entry.replace(/^\.\//, '');
    return clean === path || (/[*?{]/.test(clean) && globMatcher(clean, { names: true })(path));
  });
}
