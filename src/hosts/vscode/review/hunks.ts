/** The hunks of a review as places in the current text of a file. It does not depend on VS Code. */
import { createHash } from 'node:crypto';
import { splitHunks } from '../../../core/run/hunk-revision.ts';
import { withoutCut } from '../../../core/view/approval-details.ts';

/**
 * Lines that were replaced, added or removed together. `from` (inclusive) and `to` (exclusive) count lines of the displayed side from 0.
 */
export type Block = { from: number; to: number; removed: readonly string[]; added: readonly string[]; key: string };

/** `index` is the position of the hunk in the diff. */
export type Hunk = { index: number; blocks: readonly Block[] };

/**
 * Returns the hunks of a unified diff. `side` is the side whose lines are displayed: the new text of a file that was changed, or the old text
 * of a file for which a change is proposed. The `key` of a block stays the same while the user edits other lines.
 */
export function hunksIn(diff: string, side: 'old' | 'new'): Hunk[] {
  const repeats = new Map<string, number>();
  return splitHunks(withoutCut(diff).shown).map((hunk, index) => {
    const [header = '', ...lines] = hunk.replace(/\n$/, '').split('\n');
    const [, old = '1', now = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
    let at = Math.max(0, Number(side === 'old' ? old : now) - 1);
    const blocks: Block[] = [];
    let removed: string[] = [];
    let added: string[] = [];
    const close = () => {
      if (removed.length + added.length === 0) return;
      const shown = side === 'old' ? removed : added;
      const hash = createHash('sha1')
        .update(JSON.stringify([removed, added]))
        .digest('base64');
      const nth = repeats.get(hash) ?? 0;
      repeats.set(hash, nth + 1);
      blocks.push({ from: at - shown.length, to: at, removed, added, key: `${nth} ${hash}` });
      [removed, added] = [[], []];
    };
    for (const line of lines) {
      const [sign, rest] = [line[0], line.slice(1)];
      if (sign === '\\') continue;
      if (sign === '-') removed.push(rest);
      else if (sign === '+') added.push(rest);
      else close();
      if (sign === (side === 'old' ? '-' : '+') || (sign !== '-' && sign !== '+')) at += 1;
    }
    close();
    return { index, blocks };
  });
}

/** Returns the line above which the buttons of a hunk are shown. */
export function firstLine({ blocks }: Hunk): number {
  return blocks[0]?.from ?? 0;
}

export function keysOf({ blocks }: Hunk): string[] {
  return blocks.map(({ key }) => key);
}

/**
 * Returns the keys of the blocks that stay marked after the hunk `undone` was undone. Blocks with the same text are numbered, so those after
 * the hunk get the number of the one before them.
 */
export function keysAfterUndo(kept: readonly string[], undone: Hunk): string[] {
  const gone = undone.blocks.map(({ key }) => split(key));
  return kept.flatMap((key) => {
    const { nth, hash } = split(key);
    const same = gone.filter((each) => each.hash === hash);
    if (same.some((each) => each.nth === nth)) return [];
    return `${nth - same.filter((each) => each.nth < nth).length} ${hash}`;
  });
}

function split(key: string): { nth: number; hash: string } {
  const [nth, hash = ''] = key.split(' ');
  return { nth: Number(nth), hash };
}
