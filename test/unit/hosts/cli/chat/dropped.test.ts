import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { droppedImage } from '../../../../../src/hosts/cli/chat/input/dropped.ts';
import { remove } from '../../node/folder.ts';

describe('an image that is dragged into the terminal', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-dropped-'));
    await mkdir(join(folder, 'a folder.png'));
    for (const name of ['plain.png', "the boat's mast.jpg", 'notes.txt']) await writeFile(join(folder, name), '');
  });
  after(() => remove(folder));

  it('becomes a mention, however the terminal writes its path', () => {
    const plain = join(folder, 'plain.png');
    const boat = join(folder, "the boat's mast.jpg");
    assert.equal(droppedImage(`${plain} `), `@${plain} `);
    const forms = [boat, `"${boat}"`, pathToFileURL(boat).href];
    const shell = [boat.replace(/[ ']/g, '\\$&'), `'${boat.replaceAll("'", "'\\''")}'`];
    for (const form of [...forms, ...(process.platform === 'win32' ? [] : shell)]) assert.equal(droppedImage(form), `@"${boat}" `, form);
  });

  it('is nothing else: no other file, folder, text or relative path', () => {
    const texts = ['notes.txt', 'a folder.png', 'missing.png', 'plain.png\nplain.png', 'plain.png\u001b[2J'].map((name) =>
      join(folder, name),
    );
    for (const text of [...texts, 'plain.png', 'file://evil.example/plain.png', 'See plain.png', '', `${'/x'.repeat(5_000)}.png`])
      assert.equal(droppedImage(text), undefined, text);
  });
});
