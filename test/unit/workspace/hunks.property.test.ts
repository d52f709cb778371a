import assert from 'node:assert/strict';
import fc from 'fast-check';
import { splitHunks } from '../../../src/core/run/hunk-revision.ts';
import { changeSet } from '../../../src/workspace/changes.ts';
import { encodeText } from '../../../src/workspace/content.ts';
import { hunksOf, linesOf, withoutHunks } from '../../../src/workspace/hunks.ts';

const text = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd', 'a\r\n', '\uFEFFe\n'), { maxLength: 60 })
  .map((lines) => lines.join(''));
/** Two texts that differ in a few places far apart. */
const pair = fc
  .array(fc.tuple(fc.array(fc.constantFrom('x\n', 'y\n', '\n'), { minLength: 5, maxLength: 12 }), text, text), { maxLength: 4 })
  .map((parts) => [parts.map(([same, a]) => same.join('') + a).join(''), parts.map(([same, , b]) => same.join('') + b).join('')] as const);
const choice = fc.array(fc.nat(8), { maxLength: 6 });

describe('hunks', () => {
  it('all accepted give the change, and all refused give nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(text, text), pair), ([before, after]) => {
        const all = (hunksOf(before, after) ?? []).map((_, index) => index);
        assert.equal(withoutHunks(before, after, []), after);
        assert.equal(withoutHunks(before, after, all), before);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of which some are refused apply the others, and keep every line around them', () => {
    fc.assert(
      fc.property(pair, choice, ([before, after], chosen) => {
        const hunks = hunksOf(before, after) ?? [];
        const refused = chosen.filter((index) => index < hunks.length);
        const landed = withoutHunks(before, after, refused);
        const expected: string[] = [];
        let at = 0;
        const [old, now] = [linesOf(before), linesOf(after)];
        for (const [index, hunk] of hunks.entries()) {
          expected.push(...old.slice(at, hunk.oldStart - 1));
          const [side, start, sign] = refused.includes(index) ? [old, hunk.oldStart, '-'] : [now, hunk.newStart, '+'];
          const shown = hunk.lines.filter((line) => line[0] === ' ' || line[0] === sign);
          const lines = side.slice(start - 1, start - 1 + shown.length);
          assert.deepEqual(
            lines.map((line) => line.replace(/\n$/, '')),
            shown.map((line) => line.slice(1)),
          );
          expected.push(...lines);
          at = hunk.oldStart - 1 + hunk.oldLines;
        }
        assert.equal(landed, [...expected, ...old.slice(at)].join(''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('that do not exist cannot be refused, so that choices are never mixed up', () => {
    assert.throws(() => withoutHunks('a\n', 'b\n', [1]), /^ToolError: This change has no hunk 2\./);
  });

  it('are separated only by line breaks of the diff, whatever a line contains', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index}\n`);
    const old = lines.join('');
    const now = lines.with(2, 'two\r@@ -1,1 +1,1 @@\n').with(3, 'three\u2028@@ x @@\n').with(25, 'y\n').join('');
    const { summaries } = await changeSet([{ path: 'a', at: { folder: 0, path: 'a' }, before: encodeText(old), after: encodeText(now) }]);
    assert.equal(splitHunks(summaries[0]?.diff ?? '').length, hunksOf(old, now)?.length);
  });

  it('give the same result when they are refused one by one and all at once', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const hunks = hunksOf(before, after) ?? [];
        if (hunks.length < 2) return;
        const last = hunks.length - 1;
        const once = withoutHunks(before, after, [0, last]);
        assert.equal(withoutHunks(before, withoutHunks(before, after, [last]), [0]), once);
      }),
      { numRuns: 300 },
    );
  });
});
