import assert from 'node:assert/strict';
import { REMOVED } from '../../../../src/app/answer/checked-answer.ts';
import { checkCitations } from '../../../../src/app/answer/workspace-citations.ts';

const lines = (from: number, to: number) => new Set(Array.from({ length: to - from + 1 }, (_, index) => from + index));
const READ = new Map([
  ['src/a.ts', lines(1, 40)],
  ['src/deep/b.ts', new Set([5, 9])],
  ['docs/my notes.md', lines(1, 3)],
  ['logo.png', new Set<number>()],
]);
const sourcesOf = (text: string) => checkCitations(text, READ).sources;

describe('the places that an answer cites', () => {
  it('are its sources if they were read, with the lines that were read', () => {
    assert.deepEqual(sourcesOf('See `src/a.ts:10`, [here](./src/a.ts:12-14) and src/a.ts#L20-L21.'), [
      { path: 'src/a.ts', lines: '10, 12-14, 20-21' },
    ]);
    assert.deepEqual(sourcesOf('src/a.ts:30-60'), [{ path: 'src/a.ts', lines: '30-40' }], 'only the part that was read');
    assert.deepEqual(sourcesOf('deep/b.ts:1-9'), [{ path: 'src/deep/b.ts', lines: '5, 9' }], 'the first folders may be missing');
    assert.deepEqual(sourcesOf('/home/me/project/src/a.ts:1,3'), [{ path: 'src/a.ts', lines: '1, 3' }], 'and a path may be absolute');
    assert.deepEqual(sourcesOf('docs/my notes.md:2 says so.'), [{ path: 'docs/my notes.md', lines: '2' }]);
  });

  it('may be files without lines', () => {
    assert.deepEqual(sourcesOf('The picture logo.png, and src/a.ts as a whole.'), [
      { path: 'src/a.ts', lines: '1-40' },
      { path: 'logo.png' },
    ]);
  });

  for (const place of [
    'src/a.ts:41',
    'src/c.ts:1',
    'gone.py:3-4',
    'Makefile:2',
    'src/deep/b.ts:6',
    'x/y:7',
    '.env:1',
    '../a/b.md#L3',
    'src/my-a.ts:1',
    'packages/other/src/a.ts:1',
  ])
    it(`are removed if they were not read: ${place}`, () => {
      assert.deepEqual(checkCitations(`See ${place}, please.`, READ), { answer: `See ${REMOVED}, please.`, sources: [], dropped: [place] });
    });

  for (const text of [
    'at 12:30',
    'http://localhost:8080/x',
    'https://example.com:443',
    'example.com:443',
    'ratio 3:1',
    'key:5',
    '127.0.0.1:80',
    'std::vec',
  ])
    it(`are not seen in other text: ${text}`, () => {
      assert.deepEqual(checkCitations(text, READ), { answer: text, sources: [], dropped: [] });
    });
});
