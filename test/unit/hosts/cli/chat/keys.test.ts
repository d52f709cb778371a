import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type Key, KeyReader } from '../../../../../src/hosts/cli/chat/input/keys.ts';

/** Returns the keys that are read if the terminal sends these chunks. */
async function keysOf(...chunks: string[]): Promise<Key[]> {
  const input = new PassThrough();
  const keys: Key[] = [];
  const reader = new KeyReader(
    input,
    () => undefined,
    (key) => void keys.push(key),
    () => undefined,
  );
  reader.start();
  for (const chunk of chunks) {
    input.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  reader.stop();
  return keys;
}

describe('the keys of a conversation', () => {
  it('are texts and names', async () => {
    assert.deepEqual(await keysOf('y', 'é', '😀', '\r', '\u0003', '\u001b[A'), [
      ...['y', 'é', '😀'].map((text) => ({ name: 'text', text })),
      ...['enter', 'ctrl+c', 'up'].map((name) => ({ name })),
    ]);
  });

  it('are a paste if several characters arrive at once, although the terminal does not mark it', async () => {
    assert.deepEqual(await keysOf('yes', 'y'), [
      { name: 'paste', text: 'yes' },
      { name: 'text', text: 'y' },
    ]);
    assert.deepEqual(await keysOf('ab\rc'), [{ name: 'paste', text: 'ab' }, { name: 'enter' }, { name: 'text', text: 'c' }]);
  });

  it('are one paste between its marks, in whatever pieces it arrives', async () => {
    assert.deepEqual(await keysOf('\u001b[20', '0~a\ry\u0003', '\nb\u001b[201', '~y'), [
      { name: 'paste', text: 'a\ny\u0003\nb' },
      { name: 'text', text: 'y' },
    ]);
  });
});
