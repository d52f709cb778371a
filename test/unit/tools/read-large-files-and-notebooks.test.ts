import assert from 'node:assert/strict';
import { open, truncate } from 'node:fs/promises';
import { readLinesInChunks } from '../../../src/workspace/chunked-lines.ts';
import { toolsOn } from '../../support/tools.ts';

const { signal } = new AbortController();

describe('reading a large file', () => {
  const line = (number: number) => `line ${number} of a file with very many lines`;
  const large = Array.from({ length: 250_000 }, (_, index) => `${line(index + 1)}\n`).join('');

  it('returns lines from anywhere in it, and says where to continue', async () => {
    await using disk = await toolsOn({ 'large.txt': large });
    const first = (await disk.use('read_file', { path: 'large.txt' })).split('\n');
    assert.equal(first.length, 1_001);
    assert.equal(first[0], `1\t${line(1)}`);
    assert.equal(first.at(-1), '[lines 1-1000; the file has 11 MB; read on with from_line 1001]');
    assert.equal(
      await disk.use('read_file', { path: 'large.txt', from_line: 200_000, to_line: 200_001 }),
      `200000\t${line(200_000)}\n200001\t${line(200_001)}\n[lines 200000-200001; the file has 11 MB]`,
    );
    assert.match(await disk.use('read_file', { path: 'large.txt', from_line: 249_999 }), /\[lines 249999-250000 of 250000\]$/);
    assert.equal(
      await disk.use('read_file', { path: 'large.txt', from_line: 250_001 }),
      'ERROR The file has only 250000 lines. Use a smaller from_line.',
    );
  });

  it('reads the beginning of a gigabyte, and no more of it', async () => {
    await using disk = await toolsOn({ 'huge.log': 'first\nsecond\n', 'zeros.bin': '' });
    const file = await open(`${disk.root}/huge.log`, 'a');
    await file.write('x'.repeat(5_000_000));
    await file.close();
    await truncate(`${disk.root}/zeros.bin`, 1_000_000_000);
    const before = process.memoryUsage.rss();
    assert.equal(await disk.use('read_file', { path: 'zeros.bin' }), 'zeros.bin is a binary file of 1000000000 bytes.');
    assert.ok(process.memoryUsage.rss() - before < 100_000_000);
  });

  it('does not hold the whole of a very long line in memory', async () => {
    await using disk = await toolsOn({ 'one.json': `{"a":"${'ä'.repeat(5_000_000)}"}\nend\n` });
    const [first, second, notice] = (await disk.use('read_file', { path: 'one.json' })).split('\n');
    assert.match(first as string, /^1\t\{"a":"ä+… \[\d+ more bytes\]$/);
    assert.equal(first?.replace(/… .*/, '').length, 2_002);
    assert.deepEqual([second, notice], ['2\tend', '[lines 1-2 of 2]']);
  });

  it('gives the same lines as splitting the text, wherever the chunks end', async () => {
    for (const text of ['a', 'a\n', '\n', 'a\r\nb', 'ä\n\nö\r\n\n', 'one\ntwo\nthree'])
      for (const from of [1, 2, 3, 9]) {
        const bytes = new TextEncoder().encode(text);
        const read = async (start: number, length: number) => bytes.slice(start, start + length);
        const all = text.split(/\r?\n/);
        if (all.at(-1) === '') all.pop();
        const limits = { from, to: 4, maxLines: 10, maxChars: 100, maxLine: 50 };
        const found = await readLinesInChunks(read, limits, signal);
        assert.deepEqual(
          found?.lines.map((each) => each.text),
          all.slice(from - 1, 4),
          JSON.stringify([text, from]),
        );
        assert.equal(found?.total, all.length);
      }
  });

  it('names the kind of a binary file', async () => {
    await using disk = await toolsOn({
      'a.pdf': new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0, 1]),
      'b.zip': new Uint8Array([0x50, 0x4b, 3, 4, 0]),
      'c.dat': new Uint8Array([1, 0, 2]),
    });
    const read = (path: string) => disk.use('read_file', { path });
    assert.equal(await read('a.pdf'), 'a.pdf is a binary file (PDF) of 7 bytes.');
    assert.equal(await read('b.zip'), 'b.zip is a binary file (zip archive) of 5 bytes.');
    assert.equal(await read('c.dat'), 'c.dat is a binary file of 3 bytes.');
  });
});

describe('reading a notebook', () => {
  const notebook = {
    nbformat: 4,
    metadata: { language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Tides\n', 'in two lines'] },
      {
        cell_type: 'code',
        source: 'print("high")\n1 / 0',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['high\n'] },
          { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(1_000) } },
          { output_type: 'execute_result', data: { 'text/plain': ['x'.repeat(5_000)] } },
          { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero', traceback: ['long'] },
        ],
      },
      { cell_type: 'raw', source: '' },
    ],
  };

  it('shows its cells, their outputs cut, and no JSON', async () => {
    await using disk = await toolsOn({ 'tides.ipynb': JSON.stringify(notebook) });
    assert.equal(
      await disk.use('read_file', { path: 'tides.ipynb' }),
      [
        '[cell 1: markdown]\n# Tides\nin two lines',
        `[cell 2: python]\nprint("high")\n1 / 0\n[output]\nhigh\n[output]\n(image/png)\n[output]\n${'x'.repeat(1_000)}… [4000 more characters]\n[output]\nZeroDivisionError: division by zero`,
        '[cell 3: raw]',
      ].join('\n\n'),
    );
    assert.equal(
      await disk.use('read_file', { path: 'tides.ipynb', from_line: 2, to_line: 3 }),
      '# Tides\nin two lines\n[lines 2-3 of 17]',
    );
  });

  it('shows an invalid notebook as text', async () => {
    await using disk = await toolsOn({ 'broken.ipynb': '{"cells": [', 'other.ipynb': '{"worksheets": []}', 'empty.ipynb': '{"cells":[]}' });
    assert.equal(await disk.use('read_file', { path: 'broken.ipynb' }), '1\t{"cells": [');
    assert.equal(await disk.use('read_file', { path: 'other.ipynb' }), '1\t{"worksheets": []}');
    assert.equal(await disk.use('read_file', { path: 'empty.ipynb' }), '[the notebook has no cells]');
  });
});
