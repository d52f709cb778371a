import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeText } from '../../../src/workspace/content.ts';
import { linesOf } from '../../../src/workspace/hunks.ts';
import { mergeBytes, mergeText } from '../../../src/workspace/merge.ts';

const lines = (alphabet: string[]) => fc.array(fc.constantFrom(...alphabet), { maxLength: 20 });
const text = lines(['a\n', 'b\n', 'c\n', '\n']).map((all) => all.join(''));

/** Edits that replace, remove or insert lines. */
const edits = fc.array(fc.record({ at: fc.nat(25), removes: fc.nat(2), adds: fc.array(fc.nat(9), { maxLength: 2 }) }), { maxLength: 3 });
function edited(base: string, by: string, what: { at: number; removes: number; adds: number[] }[]): string {
  const all = linesOf(base);
  for (const { at, removes, adds } of what) all.splice(at % (all.length + 1), removes, ...adds.map((each) => `${by}${each}\n`));
  return all.join('');
}

describe('a merge', () => {
  it('takes one side when the other has no changes', () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        assert.equal(mergeText(base, side, base), side);
        assert.equal(mergeText(base, base, side), side);
        assert.equal(mergeText(base, side, side), side);
      }),
      { numRuns: 500 },
    );
  });

  it('loses no line of the user, and restores none that they removed', () => {
    fc.assert(
      fc.property(text, edits, edits, (base, mine, theirs) => {
        const [ours, other] = [edited(base, 'mine', mine), edited(base, 'theirs', theirs)];
        const merged = mergeText(base, ours, other);
        if (merged === undefined) return;
        const count = (of: string, by: string) =>
          linesOf(of)
            .filter((line) => line.startsWith(by))
            .sort();
        assert.deepEqual(count(merged, 'mine'), count(ours, 'mine'));
        assert.deepEqual(count(merged, 'theirs'), count(other, 'theirs'));
        const occurrences = (of: string, line: string) => linesOf(of).filter((each) => each === line).length;
        for (const line of new Set(linesOf(base))) {
          const lost = occurrences(base, line) - occurrences(ours, line) + (occurrences(base, line) - occurrences(other, line));
          // A line that both sides removed counts only once.
          assert.ok(occurrences(merged, line) >= occurrences(base, line) - lost);
          assert.ok(occurrences(merged, line) <= Math.max(occurrences(ours, line), occurrences(other, line), occurrences(base, line)));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('in part, keeps all of the user’s text and gives up only what conflicts with it', () => {
    fc.assert(
      fc.property(text, edits, edits, (base, mine, theirs) => {
        const [ours, other] = [edited(base, 'mine', mine), edited(base, 'theirs', theirs)];
        const [whole, part] = [mergeText(base, ours, other), mergeText(base, ours, other, true)];
        if (whole !== undefined) assert.equal(part, whole);
        const mineIn = (of = '') => linesOf(of).filter((line) => line.startsWith('mine'));
        if (part !== undefined) assert.deepEqual(mineIn(part), mineIn(ours));
      }),
      { numRuns: 1_000 },
    );
    assert.equal(mergeText('A\nb\nC\n', 'mine\nb\nC\n', 'a\nb\nc\n', true), 'mine\nb\nc\n');
  });

  it('is symmetric', () => {
    fc.assert(
      fc.property(text, edits, edits, (base, mine, theirs) => {
        const [ours, other] = [edited(base, 'mine', mine), edited(base, 'theirs', theirs)];
        assert.equal(mergeText(base, ours, other), mergeText(base, other, ours));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps a line that the user added next to a changed one', () => {
    assert.equal(mergeText('a\nB\nc\n', 'a\nB\nmine\nc\n', 'a\nb\nc\n'), 'a\nb\nmine\nc\n');
    assert.equal(mergeText('a\nB\nc\n', 'a\nmine\nB\nc\n', 'a\nb\nc\n'), 'a\nmine\nb\nc\n');
    assert.equal(mergeText('a\nadded\nc\n', 'a\nadded\nmine\nc\n', 'a\nc\n'), 'a\nmine\nc\n');
  });

  it('fails when both sides changed the same line, or added at the same place', () => {
    assert.equal(mergeText('a\n', 'b\n', 'c\n'), undefined);
    assert.equal(mergeText('a\nz\n', 'a\nb\nz\n', 'a\nc\nz\n'), undefined);
    assert.equal(mergeText('a\nb\nc\n', 'a\nb\nmine\nc\n', '\n'), undefined);
  });

  it('fails when a last line without a line break would be joined with another', () => {
    assert.equal(mergeText('a\n', 'a\nmine\n', 'a'), undefined);
    assert.equal(mergeText('a\nb', 'x\nb', 'a\nc'), 'x\nc');
  });

  it('is for text only', () => {
    assert.equal(mergeBytes(new Uint8Array([0]), new Uint8Array([0, 1]), new Uint8Array([1])), undefined);
    assert.deepEqual(mergeBytes(encodeText('a\nb\n'), encodeText('A\nb\n'), encodeText('a\nB\n')), encodeText('A\nB\n'));
  });
});
