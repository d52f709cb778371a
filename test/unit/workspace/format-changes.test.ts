import assert from 'node:assert/strict';
import { decodeText, encodeText } from '../../../src/workspace/content.ts';
import { formatChanges } from '../../../src/workspace/format-changes.ts';
import type { FileChange } from '../../../src/workspace/types.ts';

const change = (path: string, before: string | undefined, after: string | undefined, movedFrom?: string): FileChange => ({
  path,
  at: { folder: 0, path },
  before: before === undefined ? undefined : encodeText(before),
  after: after === undefined ? undefined : encodeText(after),
  ...(movedFrom !== undefined && { movedFrom }),
});
const upper = async (_: unknown, text: string) => text.toUpperCase();
const textsOf = (changes: readonly FileChange[]) => changes.map(({ after }) => after && decodeText(after));

describe('a formatted proposal', () => {
  it('formats edited and created files, and nothing else', async () => {
    const changes = [
      change('edited', 'a', 'b'),
      change('made', undefined, 'c'),
      change('gone', 'd', undefined),
      change('moved', undefined, 'e', 'from'),
      change('from', 'e', undefined),
      change('rewritten', undefined, 'g', 'other'),
      change('other', 'f', undefined),
      change('dir/', undefined, ''),
    ];
    const result = await formatChanges(changes, upper);
    assert.deepEqual(textsOf(result.changes), ['B', 'C', undefined, 'e', undefined, 'G', undefined, '']);
    assert.deepEqual(result.formatted, ['edited', 'made', 'rewritten']);
  });

  it('keeps a byte order mark and the encoding', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, 0x61, 0]);
    const { changes } = await formatChanges([change('a', 'x', '\uFEFFa'), { ...change('b', 'x', ''), after: utf16 }], upper);
    assert.deepEqual(textsOf(changes), ['\uFEFFA', '\uFEFFA']);
    assert.deepEqual(changes[1]?.after, new Uint8Array([0xff, 0xfe, 0x41, 0]));
  });

  it('is unchanged when formatting fails, or when a file is too large or binary', async () => {
    const fail = async () => Promise.reject(new Error('no'));
    const one = [change('a', 'x', 'y')];
    assert.deepEqual(await formatChanges(one, fail), { changes: one, formatted: [] });
    const large = [change('a', 'x', 'y'.repeat(600_000))];
    assert.deepEqual(await formatChanges(large, upper), { changes: large, formatted: [] });
    const binary = [{ ...change('a', 'x', ''), after: new Uint8Array([0, 1]) }];
    assert.deepEqual(await formatChanges(binary, upper), { changes: binary, formatted: [] });
    const many = Array.from({ length: 51 }, (_, index) => change(`f${index}`, 'x', 'y'));
    assert.deepEqual((await formatChanges(many, upper)).formatted, []);
  });
});
