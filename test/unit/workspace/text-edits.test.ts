import assert from 'node:assert/strict';
import fc from 'fast-check';
import { differingLines } from '../../../src/workspace/text-edits.ts';

const text = fc.array(fc.constantFrom('a\n', 'b\r\n', 'ab\n', '\n', '\r\n', 'c'), { maxLength: 8 }).map((lines) => lines.join(''));

describe('the lines in which two texts differ', () => {
  it('turn one text into the other, and are whole lines of both', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { from, to, text } = differingLines(before, after);
        assert.equal(before.slice(0, from) + text + before.slice(to), after);
        for (const at of [from, to]) assert.ok(at === 0 || at === before.length || before[at - 1] === '\n', `${at}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found when a text begins with an empty line', () => {
    assert.deepEqual(differingLines('\nfoo', 'bar\nfoo'), { from: 0, to: 1, text: 'bar\n' });
  });
});
