import assert from 'node:assert/strict';
import type { Bytes } from '../../../src/providers/answer.ts';
import { type LineRules, throughLines } from '../../../src/providers/lines.ts';

/** Creates a body of these chunks that records how many were requested and whether it was canceled. */
function bodyOf(chunks: readonly string[]) {
  const seen = { asked: 0, cancelled: undefined as unknown };
  const body: Bytes = {
    read: () => {
      const chunk = chunks[seen.asked++];
      return Promise.resolve(chunk === undefined ? undefined : new TextEncoder().encode(chunk));
    },
    cancel(reason) {
      seen.cancelled = reason ?? true;
    },
  };
  return { body, seen };
}

/** Lines of lower-case letters are not changed, other lines are put in brackets, and `!` throws an error. */
const RULES: LineRules = {
  isUsual: (bytes, start, end) => /^[a-z]*$/.test(new TextDecoder().decode(bytes.subarray(start, end))),
  rewrite(line) {
    if (line === '!') throw new Error('No.');
    return `[${line}]\n`;
  },
  end: () => 'end',
};

async function textOf(body: Bytes): Promise<string> {
  let text = '';
  for (let bytes = await body.read(); bytes; bytes = await body.read()) text += new TextDecoder().decode(bytes);
  return text;
}

describe('a body read line by line', () => {
  it('is the same for any chunks', async () => {
    const text = 'one\nGröße\n\ntwo\nA\nB\nlast';
    const bytes = [...text];
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = bytes.flatMap((_, at) => (at % size === 0 ? [bytes.slice(at, at + size).join('')] : []));
      assert.equal(
        await textOf(throughLines(bodyOf(chunks).body, RULES)),
        'one\n[Größe]\n\ntwo\n[A]\n[B]\nlastend',
        `in pieces of ${size}`,
      );
    }
  });

  it('is read on demand, up to the end of a line', async () => {
    const { body, seen } = bodyOf(['a\n', 'b', 'c', 'd\n', 'e\n', 'f\n']);
    const reader = throughLines(body, RULES);
    const read = async () => new TextDecoder().decode(await reader.read());
    assert.deepEqual([await read(), seen.asked], ['a\n', 1]);
    assert.deepEqual([await read(), seen.asked], ['bcd\n', 4]);
    reader.cancel('enough');
    assert.deepEqual([seen.asked, seen.cancelled], [4, 'enough']);
  });

  it('passes on the text before an error, then fails and cancels the source', async () => {
    const { body, seen } = bodyOf(['a\nb\n!\nc\n', 'd\n']);
    const reader = throughLines(body, RULES);
    assert.equal(new TextDecoder().decode(await reader.read()), 'a\nb\n');
    await assert.rejects(reader.read(), /No\./);
    assert.match(String(seen.cancelled), /No\./);
  });
});
