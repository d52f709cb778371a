/** Lets the user approve a proposed change hunk by hunk. */

import { countHunks, fileRevision, goesWithMove, splitHunks } from '../../../core/run/hunk-revision.ts';
import type { ChangeSummary, Revision } from '../../../core/session/effects.ts';
import type { ApprovalAnswer } from '../../../core/session/events.ts';
import { diffText } from './diff-text.ts';
import { oneLine, type Paint } from './terminal.ts';

/** Returns true if there is more than one hunk to choose from. */
export function canChoose(changes: readonly ChangeSummary[]): boolean {
  return changes.filter((change) => !goesWithMove(change, changes)).reduce((sum, change) => sum + countHunks(change), 0) > 1;
}

/**
 * `show` prints a hunk. `ask` resolves to the typed line. If the input has ended, it resolves to undefined, and the remaining hunks are
 * rejected.
 */
export async function chooseHunks(
  changes: readonly ChangeSummary[],
  show: (text: string) => void,
  ask: (prompt: string) => Promise<string | undefined>,
  paint: Paint,
): Promise<ApprovalAnswer> {
  const revised: Revision = {};
  let accepted = 0;
  let rest: 'a' | 'd' | undefined;
  for (const change of changes) {
    if (goesWithMove(change, changes)) continue;
    const total = countHunks(change);
    const hunks = splitHunks(change.diff);
    const refused: number[] = [];
    for (let index = 0; index < total; index++) {
      if (!rest) show(diffText([withOneHunk(change, hunks[index])], paint));
      const name = total === 1 ? oneLine(change.path) : `hunk ${index + 1} of ${total} in ${oneLine(change.path)}`;
      const letter =
        rest ?? (await letterOf(`Apply ${name}? y = yes, n = no, a = yes to all remaining hunks, d = no to all remaining hunks > `, ask));
      if (letter === 'a' || letter === 'd') rest = letter;
      if (letter === 'y' || letter === 'a') accepted++;
      else refused.push(index);
    }
    const revision = fileRevision(total, refused);
    if (revision) revised[change.path] = revision;
  }
  if (accepted === 0) return { approve: false };
  return { approve: true, ...(Object.keys(revised).length > 0 && { revised }) };
}

/** Returns the change reduced to one hunk, with the line counts of that hunk. */
function withOneHunk(change: ChangeSummary, hunk: string | undefined): ChangeSummary {
  if (hunk === undefined) return change;
  const linesWith = (sign: string) => hunk.split('\n').filter((line) => line.startsWith(sign)).length;
  return { ...change, diff: hunk.trimEnd(), added: linesWith('+'), removed: linesWith('-') };
}

async function letterOf(prompt: string, ask: (prompt: string) => Promise<string | undefined>): Promise<'y' | 'n' | 'a' | 'd'> {
  for (;;) {
    const line = await ask(prompt);
    const [, word = ''] = /^\s*(y|yes|n|no|a|all|d)\s*$/i.exec(line ?? 'd') ?? [];
    if (word) return word[0]?.toLowerCase() as 'y' | 'n' | 'a' | 'd';
  }
}
