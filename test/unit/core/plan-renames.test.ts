import assert from 'node:assert/strict';
import { renamesIn } from '../../../src/core/plan/renames.ts';

describe('the renames of symbols that a plan names', () => {
  const cases: [string, string[]][] = [
    ['Rename `calc` to `waterLevel`', ['calc waterLevel']],
    ['Rename calc to waterLevel in src/**, and calc into depth', ['calc waterLevel']],
    ['The names: `a` → `b`, `c`->`d`, `e` => `e`', ['a b', 'c d']],
    ['Rename `größe` to `$height_2`.', ['größe $height_2']],
    ['Rename src/a.ts to src/b.ts and `a.b` to `c`', []],
    ['Rename a to b.ts, prename x to y, change `p` to `q`', []],
  ];
  for (const [text, expected] of cases) {
    it(`${text}`, () => {
      const said = (plan: Parameters<typeof renamesIn>[0]) => renamesIn(plan).map(({ from, to }) => `${from} ${to}`);
      assert.deepEqual(said({ goal: text, steps: [] }), expected);
      assert.deepEqual(said({ goal: 'Tidy', steps: [{ title: text, detail: text, files: [] }] }), expected);
    });
  }
});
