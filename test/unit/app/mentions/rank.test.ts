import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PathRanking } from '../../../../src/app/mentions/rank.ts';
import { assertCheap } from '../../../support/clock.ts';

const PATHS = [
  'README.md',
  'src/core/model/messages.ts',
  'src/core/session/message-queue.ts',
  'src/core/',
  'src/tide.ts',
  'src/tide-table.ts',
  'src/low/tides.ts',
  'src/deep/tide.ts',
  'test/tide.test.ts',
  'docs/tidal/index.md',
];
const search = (query: string, limit = 3, preferred: string[] = []) =>
  new PathRanking(PATHS).search(query, limit, (path) => preferred.includes(path));

describe('the ranking of paths', () => {
  it('prefers names to folders, beginnings to other positions, and short paths to long ones', () => {
    assert.deepEqual(search('tide'), ['src/tide.ts', 'src/deep/tide.ts', 'src/low/tides.ts']);
    assert.deepEqual(search('tide.ts', 2), ['src/tide.ts', 'src/deep/tide.ts']);
    assert.deepEqual(search('queue', 1), ['src/core/session/message-queue.ts']);
    assert.deepEqual(search('core', 2), ['src/core/', 'src/core/model/messages.ts']);
  });

  it('finds letters that are not adjacent, in upper or lower case and across folders', () => {
    assert.deepEqual(search('msgq', 1), ['src/core/session/message-queue.ts']);
    assert.deepEqual(search('CoMoMe', 1), ['src/core/model/messages.ts']);
    assert.deepEqual(search('deep\\tide', 1), ['src/deep/tide.ts']);
    assert.deepEqual(search('zzz'), []);
  });

  it('prefers open files among equals, but not before better matches', () => {
    assert.equal(search('tide', 1, ['src/deep/tide.ts'])[0], 'src/deep/tide.ts');
    assert.equal(search('tide.ts', 1, ['test/tide.test.ts'])[0], 'src/tide.ts');
  });

  it('searches 200,000 paths in some tens of milliseconds', () => {
    const words = 'app core model session policy tide harbor station widget view list panel editor reader writer parser'.split(' ');
    const word = (index: number) => words[index % words.length];
    const paths = Array.from({ length: 200_000 }, (_, index) => {
      const folders = [word(index), word(index >> 4), `${word(index >> 8)}${index % 50}`, word(index >> 12)];
      return `packages/${folders.join('/')}/${word(index * 7)}-${word(index * 3)}${index}.ts`;
    });
    const ranking = new PathRanking(paths);
    // A query that extends the query before it is searched only in the earlier results. No path contains `zqx`.
    const queries = ['s', 'tide', 'e', 'stctrl', 'prwr', 'core/mod'];
    for (const query of queries) assertCheap(() => [ranking.search('zqx', 1), ranking.search(query, 30)], 70);
  });

  it('finds exactly the paths that contain the letters in order, also when a query grows', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', 'É', '1'), maxLength: 6 });
    const contains = (path: string, query: string) => {
      let at = 0;
      for (const char of path.toLowerCase()) if (char === query.toLowerCase()[at]) at++;
      return at === query.length;
    };
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 12 }), letters, (paths, query) => {
        const ranking = new PathRanking(paths);
        for (let length = 0; length <= query.length; length++) {
          const part = query.slice(0, length);
          assert.deepEqual(ranking.search(part, 100).sort(), paths.filter((path) => contains(path, part)).sort());
        }
      }),
    );
  });
});
