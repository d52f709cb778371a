import assert from 'node:assert/strict';
import { hunksIn, keysAfterUndo, keysOf } from '../../../../src/hosts/vscode/review/hunks.ts';
import { diffOf } from '../../../../src/workspace/changes.ts';
import { encodeText } from '../../../../src/workspace/content.ts';

const filler = Array.from({ length: 12 }, (_, index) => `${index}\n`).join('');
const diff = (old: string, now: string) => diffOf(encodeText(old), encodeText(now)).diff;
const places = (text: string, side: 'old' | 'new') =>
  hunksIn(text, side).map(({ index, blocks }) => [index, ...blocks.map(({ from, to }) => [from, to])]);

describe('the hunks of a review', () => {
  it('are the lines of the side that is shown', () => {
    const text = diff(`a\n${filler}b\nc\n`, `x\ny\n${filler}c\n`);
    assert.deepEqual(places(text, 'new'), [
      [0, [0, 2]],
      [1, [14, 14]],
    ]);
    assert.deepEqual(places(text, 'old'), [
      [0, [0, 1]],
      [1, [13, 14]],
    ]);
  });

  it('are found in a new file, an emptied file and a file without a last line break', () => {
    assert.deepEqual(places(diff('', 'a\nb\n'), 'new'), [[0, [0, 2]]]);
    assert.deepEqual(places(diff('a\nb\n', ''), 'new'), [[0, [0, 0]]]);
    assert.deepEqual(places(diff('a\nb', 'a\nc'), 'new'), [[0, [1, 2]]]);
  });

  it('keep their keys when lines elsewhere change, and are told apart if they are alike', () => {
    const [before, after] = [`a\n${filler}a\n${filler}a\n`, `b\n${filler}b\n${filler}b\n`];
    const keys = hunksIn(diff(before, after), 'new').map(keysOf);
    assert.equal(new Set(keys.flat()).size, 3);
    assert.deepEqual(hunksIn(diff(`new\n${filler}${before}`, `new\n${filler}${after}`), 'new').map(keysOf), keys);
  });

  it('that were kept stay kept when one before them is undone', () => {
    const hunks = hunksIn(diff(`a\n${filler}a\n${filler}a\n`, `b\n${filler}b\n${filler}b\n`), 'new');
    const [first, second, third] = hunks;
    assert.ok(first && second && third);
    const left = hunksIn(diff(`a\n${filler}a\n`, `b\n${filler}b\n`), 'new').map(keysOf);
    assert.deepEqual(keysAfterUndo(keysOf(third), first), left[1]);
    assert.deepEqual(keysAfterUndo(keysOf(first), third), left[0]);
    assert.deepEqual(keysAfterUndo(keysOf(second), second), []);
  });
});
