import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeText, encodeLike, encodeText, sameBytes } from '../../../src/workspace/content.ts';

describe('text and its bytes', () => {
  it('decoded bytes are encoded to the same bytes', () => {
    const mark = fc.constantFrom([], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf]);
    fc.assert(
      fc.property(mark, fc.uint8Array({ maxLength: 60 }), (mark, rest) => {
        const bytes = Uint8Array.from([...mark, ...rest]);
        const text = decodeText(bytes);
        if (text !== undefined) assert.ok(sameBytes(encodeLike(text, bytes), bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps UTF-16 in its byte order', () => {
    for (const [mark, encoded] of [
      [
        [0xff, 0xfe],
        [0x41, 0x00, 0xe9, 0x00],
      ],
      [
        [0xfe, 0xff],
        [0x00, 0x41, 0x00, 0xe9],
      ],
    ] as const) {
      const bytes = Uint8Array.from([...mark, ...encoded]);
      assert.equal(decodeText(bytes), '\uFEFFAé');
      assert.deepEqual(encodeLike('\uFEFFAé', bytes), bytes);
    }
  });

  it('does not guess at other encodings', () => {
    assert.equal(decodeText(Uint8Array.from([0x63, 0xe9])), undefined);
    assert.equal(decodeText(Uint8Array.from([0x63, 0x00])), undefined);
    assert.equal(decodeText(Uint8Array.from([0xff, 0xfe, 0x41])), undefined);
    assert.equal(decodeText(Uint8Array.from([0xff, 0xfe, 0x00, 0x00])), undefined);
    assert.equal(decodeText(encodeText('é')), 'é');
  });
});
