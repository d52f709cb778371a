// Limits the size of the build. The tests read dist/, which `npm run build` creates.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { root } from '../../scripts/editor.ts';
import { staticSize } from '../bench/bundles.ts';

const LAZY = 'Load what is not needed at the start with import(), or use a smaller package.';
const SMALLER = 'Look for a new package or a large file that is not needed.';

/** Lists everything that .vscodeignore puts into the package. */
async function packagedFiles(): Promise<string[]> {
  const patterns = (await readFile(join(root, '.vscodeignore'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const files = globSync(patterns, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name));
}

/** The readers of document formats, which are loaded with the first document. They have a budget of their own. */
const isFormat = (file: string) => /[/\\]documents[.-][^/\\]*$/.test(file);
/** SQLite as WebAssembly, which is loaded with the first collection of documents. */
const isIndex = (file: string) => file.endsWith('sqlite3-wasm.wasm.br');
const isNoFormat = (file: string) => !isFormat(file) && !isIndex(file);

/** Bytes of the files of the package before they are compressed. */
async function packageSize(belongs: (file: string) => boolean): Promise<number> {
  const files = (await packagedFiles()).filter(belongs);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((total, size) => total + size, 0);
}

/** Bytes that the files take in the archive: each is compressed, and its name is written twice, with 92 bytes of headers. */
async function compressedSize(belongs: (file: string) => boolean): Promise<number> {
  const files = (await packagedFiles()).filter(belongs);
  const sizeOf = async (file: string) => deflateRawSync(await readFile(file)).length + 92 + 2 * `extension/${relative(root, file)}`.length;
  const sizes = await Promise.all(files.map(sizeOf));
  return sizes.reduce((total, size) => total + size, 0);
}

describe('the size of the build', () => {
  for (const [what, limit, size, advice] of [
    ['what the extension loads at activation', 130_000, () => staticSize('extension'), LAZY],
    ['what the terminal program loads at its start', 332_000, () => staticSize('program'), LAZY],
    // Colors of code, formulas and diagrams are bundles of their own.
    ['the script of the panel', 201_000, () => staticSize('panel'), SMALLER],
    ['the colors of code in the panel', 160_000, () => staticSize('panel-highlight'), SMALLER],
    ['the formulas of the panel', 285_000, () => staticSize('panel-math'), SMALLER],
    ['the diagrams of the panel', 1_300_000, () => staticSize('panel-diagram'), SMALLER],
    ['the package without document formats, before it is compressed', 5_600_000, () => packageSize(isNoFormat), SMALLER],
    ['the package without document formats, compressed', 2_000_000, () => compressedSize(isNoFormat), SMALLER],
    ['the document formats, before they are compressed', 1_800_000, () => packageSize(isFormat), SMALLER],
    ['the document formats, compressed', 570_000, () => compressedSize(isFormat), SMALLER],
    ['the index of documents, before it is compressed', 420_000, () => packageSize(isIndex), SMALLER],
    ['the index of documents, compressed', 420_000, () => compressedSize(isIndex), SMALLER],
    ['what the thread that reads documents loads at its start', 20_000, () => staticSize('documents'), LAZY],
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
