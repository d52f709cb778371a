/** Evaluates the checks after a plan's last step, if a search can decide them. */

import { mask, valueAt } from '../quotes.ts';
import type { Substitution } from '../request.ts';
import { hitCount } from '../results.ts';
import { EVERYWHERE, scopeOf } from '../scope.ts';
import type { Skill } from '../script.ts';
import { affected } from './affected.ts';

const LEFT = /^no (whole-word )?(?:uses? of )?(\S+) (?:is|are) left(?: in (.+?))?\.?$/i;

/** Returns one line per check: whether it passes, or that Offline cannot evaluate it. */
export function* runChecks(checks: readonly string[]): Skill<{ lines: string[]; broken: number }> {
  const lines: string[] = [];
  let broken = 0;
  for (const check of checks) {
    const request = readCheck(check);
    const result = request && (yield* affected(request, request.scope, `Checking: ${check}.`));
    if (!result || 'problem' in result) {
      lines.push(`${check}: not checked${result ? ` (${result.problem})` : '; Offline cannot evaluate this check'}`);
      continue;
    }
    const remaining = hitCount(result.files);
    if (remaining > 0) broken += 1;
    const first = result.files[0];
    const rest = remaining > 1 ? ` and ${remaining - 1} more` : '';
    lines.push(`${check}: ${remaining === 0 ? 'passed' : `failed, see ${first?.path}:${first?.hits[0]?.line}${rest}`}`);
  }
  return { lines, broken };
}

/** Represents the check as a substitution, because substitutions support whole-word search. */
function readCheck(check: string): Substitution | undefined {
  const masked = mask(check);
  const [, word, name, place] = LEFT.exec(masked.text) ?? [];
  if (name === undefined) return undefined;
  const scope = place === undefined ? EVERYWHERE : scopeOf(place.split(/\s+and\s+/));
  const from = valueAt(name, masked);
  return scope && { kind: word ? 'rename' : 'replace', from, to: `${from}_`, scope };
}
