import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changeSet, diffOf, targetsOf } from '../../../src/workspace/changes.ts';
import { decodeText, encodeLike, encodeText, hashOf, sameBytes } from '../../../src/workspace/content.ts';
import { replacement } from '../../../src/workspace/hunks.ts';
import type { FileChange } from '../../../src/workspace/types.ts';

const change = (path: string, before: string | undefined, after: string | undefined, movedFrom?: string): FileChange => ({
  path,
  at: { folder: 0, path },
  before: before === undefined ? undefined : encodeText(before),
  after: after === undefined ? undefined : encodeText(after),
  ...(movedFrom && { movedFrom }),
});

describe('a change set', () => {
  it('describes the effect on each file', async () => {
    const { summaries } = await changeSet([
      change('new.txt', undefined, 'a\nb\n'),
      change('a.txt', 'one\n', 'two\n'),
      change('gone.txt', 'x\n', undefined),
      change('to.txt', undefined, 'x\n', 'gone.txt'),
    ]);
    assert.deepEqual(
      summaries.map(({ path, kind, from, added, removed }) => [path, kind, from, added, removed]),
      [
        ['new.txt', 'create', undefined, 2, 0],
        ['a.txt', 'edit', undefined, 1, 1],
        ['gone.txt', 'delete', undefined, 0, 0],
        ['to.txt', 'move', 'gone.txt', 0, 0],
      ],
    );
  });

  it('displays the content changes of a move once', async () => {
    const shown = async (...changes: FileChange[]) =>
      (await changeSet(changes)).summaries.map(({ path, kind, diff }) => [path, kind, diff]);
    assert.deepEqual(await shown(change('to', undefined, '1\n2\n', 'from'), change('from', '1\n', undefined)), [
      ['to', 'move', '@@ -1,1 +1,2 @@\n 1\n+2'],
      ['from', 'delete', ''],
    ]);
    assert.deepEqual(await shown(change('to', undefined, '1\0', 'from'), change('from', '1\0', undefined)), [
      ['to', 'move', ''],
      ['from', 'delete', ''],
    ]);
    assert.deepEqual(await shown(change('to', undefined, '1\n', 'from'), change('from', '1\n', '2\n')), [
      ['to', 'move', ''],
      ['from', 'edit', '@@ -1,1 +1,1 @@\n-1\n+2'],
    ]);
    assert.deepEqual(await shown(change('to', undefined, '1\n', 'nowhere')), [['to', 'move', '@@ -1,0 +1,1 @@\n+1']]);
  });

  it('writes files that exist afterwards, and deletes those that do not', async () => {
    const set = await changeSet([change('a', 'x', ''), change('b', '', undefined)]);
    assert.deepEqual(targetsOf(set), [
      { path: 'a', access: 'write' },
      { path: 'b', access: 'delete' },
    ]);
  });

  it('has a digest that differs for every effect', async () => {
    const digest = async (...changes: FileChange[]) => (await changeSet(changes)).digest;
    const one = await digest(change('a', 'x', 'y'), change('b', undefined, 'z'));
    assert.equal(await digest(change('b', undefined, 'z'), change('a', 'x', 'y')), one);
    const others = [
      [change('a', 'x', 'y')],
      [change('a', 'x', 'y2'), change('b', undefined, 'z')],
      [change('a', 'x2', 'y'), change('b', undefined, 'z')],
      [change('a', 'x', 'y'), change('c', undefined, 'z')],
      [change('a', 'x', 'y'), change('b', '', 'z')],
      [change('a', 'x', undefined), change('b', undefined, 'z')],
      [change('a', 'x', ''), change('b', undefined, 'z')],
    ];
    const digests = await Promise.all(others.map((changes) => digest(...changes)));
    assert.equal(new Set([one, ...digests]).size, others.length + 1);
  });
});

describe('a diff', () => {
  const diff = (before: string | undefined, after: string | undefined) =>
    diffOf(before === undefined ? undefined : encodeText(before), after === undefined ? undefined : encodeText(after));

  it('shows changed lines with three lines of context', () => {
    assert.deepEqual(diff('1\n2\n3\n4\n5\n6\n', '1\n2\n3\n4\nfive\n6\n'), {
      added: 1,
      removed: 1,
      diff: '@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6',
    });
  });

  it('counts lines that begin with a sign correctly', () => {
    const { added, removed } = diff('-- a\n', '++ b\n+++ c\n');
    assert.deepEqual([added, removed], [2, 1]);
  });

  it('says when there is nothing to display', () => {
    assert.equal(diffOf(new Uint8Array([0]), encodeText('x')).diff, 'Binary file.');
    assert.equal(diffOf(encodeText('x'), new Uint8Array([0xff])).diff, 'Binary file.');
    assert.equal(diff('', '').diff, '');
  });

  it('is cut off when it is very long', () => {
    const { added, diff: text } = diff('', 'x\n'.repeat(5_000));
    assert.equal(added, 5_000);
    assert.match(text, /\n\\ 3001 more lines$/);
  });

  it('shows all old and all new lines when no diff can be computed in time', () => {
    const old = 'a\nb\n';
    assert.deepEqual(replacement(old, 'c\nd'), {
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 2,
      lines: ['-a', '-b', '+c', '+d', '\\ No newline at end of file'],
    });
    // Such a hunk can be accepted or refused as a whole, like any other.
    const lines = (sign: string) => Array.from({ length: 20_000 }, (_, index) => `${sign} ${(index * 7_919) % 20_011}`);
    const [before, after] = [lines('x').join('\n'), lines('y').toReversed().join('\n')];
    const { diff, added, removed } = diffOf(encodeText(before), encodeText(after), Number.POSITIVE_INFINITY);
    assert.deepEqual([added, removed, diff.split('\n').filter((line) => line.startsWith('@@')).length], [20_000, 20_000, 1]);
  }).timeout(30_000);
});

describe('text', () => {
  it('is decoded only when it can be encoded to the same bytes: UTF-8, and UTF-16 with a byte order mark', () => {
    const mark = fc.constantFrom([], [0xff, 0xfe], [0xfe, 0xff]);
    const anyText = fc.string({ unit: 'binary' });
    const rest = fc.oneof(
      fc.uint8Array(),
      anyText.map(encodeText),
      anyText.map((text) => Buffer.from(text, 'utf16le')),
    );
    fc.assert(
      fc.property(mark, rest, (mark, rest) => {
        const bytes = Uint8Array.from([...mark, ...rest]);
        const text = decodeText(bytes);
        assert.equal(text !== undefined, isText(bytes));
        if (text !== undefined) assert.ok(sameBytes(encodeLike(text, bytes), bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('that is absent is not the same as one that is empty', () => {
    assert.ok(!sameBytes(undefined, new Uint8Array()));
    assert.ok(sameBytes(undefined, undefined));
    assert.ok(sameBytes(new Uint8Array([1]), new Uint8Array([1])));
    assert.ok(!sameBytes(new Uint8Array([1]), new Uint8Array([1, 2])));
  });

  it('has the hash that sha256sum gives', async () => {
    assert.equal(await hashOf(encodeText('abc')), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

/** An independent implementation with Node's decoders, which replace invalid bytes instead of refusing them. */
function isText(bytes: Uint8Array): boolean {
  const order = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  if (order !== 'fffe' && order !== 'feff') return !bytes.includes(0) && Buffer.from(Buffer.from(bytes).toString()).equals(bytes);
  if (bytes.length % 2 !== 0) return false;
  const littleEndian = order === 'fffe' ? Buffer.from(bytes) : Buffer.from(bytes).swap16();
  const text = littleEndian.toString('utf16le');
  return text.isWellFormed() && !text.includes('\0');
}
