// What the build may weigh. It reads dist/, which `npm run build` makes.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../scripts/editor.ts';
import { staticSize } from '../bench/bundles.ts';

const LAZY = 'Load what is not needed at the start with import(), or use a smaller package.';
const SMALLER = 'Look for a new package or a large file that is not needed.';

/** Bytes of everything that .vscodeignore puts into the package, before it is compressed. */
async function packageSize(): Promise<number> {
  const patterns = (await readFile(join(root, '.vscodeignore'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).replace(/\/\*$/, '/**'));
  const files = globSync(patterns, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size));
  return sizes.reduce((total, size) => total + size, 0);
}

describe('the size of the build', () => {
  for (const [what, limit, size, advice] of [
    ['what the extension loads at activation', 170_000, () => staticSize('extension'), LAZY],
    // It includes what every run needs of the adapters, so that a run loads fewer files.
    ['what the terminal program loads at its start', 335_000, () => staticSize('program'), LAZY],
    // 1,500 bytes of it keep messages until the host accepts them.
    ['the script of the panel', 176_000, () => staticSize('panel'), SMALLER],
    ['the package, before it is compressed', 5_850_000, packageSize, SMALLER],
  ] as const) {
    it(`${what}: at most ${limit.toLocaleString('en')} bytes`, async () => {
      const bytes = await size();
      assert.ok(
        bytes <= limit,
        `${what}: ${bytes.toLocaleString('en')} bytes, and the budget is ${limit.toLocaleString('en')}. ${advice} If the growth is worth it, raise the budget in this test.`,
      );
      assert.ok(
        bytes > limit / 2,
        `${what}: only ${bytes.toLocaleString('en')} bytes. Run npm run build, or lower the budget in this test.`,
      );
    });
  }
});
