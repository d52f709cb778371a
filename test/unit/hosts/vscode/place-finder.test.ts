import assert from 'node:assert/strict';
import { PlaceFinder } from '../../../../src/hosts/vscode/languages/place-finder.ts';
import { assertGrowsLinearly } from '../../../support/clock.ts';

/** Returns the text with each place replaced by `<path|line>`. */
function found(...pieces: string[]): string {
  let out = '';
  const finder = new PlaceFinder(
    (text) => {
      out += text;
    },
    (path, line) => {
      out += `<${path}|${line}>`;
    },
  );
  for (const piece of pieces) finder.write(piece);
  finder.end();
  return out;
}

describe('places in streamed text', () => {
  const LONG = `${'x'.repeat(600)}(src/a.ts:1)\`\`${'y'.repeat(600)} src/b.ts:2 \`\` src/c.ts:3`;
  const TABLE: [what: string, text: string, expected: string][] = [
    ['a place', 'See src/a.ts:12.', 'See <src/a.ts|12>.'],
    ['places in brackets and at the ends', 'a.ts:1 (b.ts:2), c.ts:3', '<a.ts|1> (<b.ts|2>), <c.ts|3>'],
    ['routes', 'app/[id]/page.tsx:7\n', '<app/[id]/page.tsx|7>\n'],
    ['no addresses, times and versions', 'http://a.com:80 12:30 a:1 x.ts:1a', 'http://a.com:80 12:30 a:1 x.ts:1a'],
    ['code', 'Use `src/a.ts:1` or ``b ` c.ts:2`` in d.ts:3', 'Use `src/a.ts:1` or ``b ` c.ts:2`` in <d.ts|3>'],
    ['pages of documents', 'See [manuals/pump.pdf:p3] and a.pdf:p', 'See [<manuals/pump.pdf|p3>] and a.pdf:p'],
    ['fences', '```ts\nit`s a.ts:1\n```\nb.ts:2', '```ts\nit`s a.ts:1\n```\n<b.ts|2>'],
    ['white space', '  \n\n a.ts:1 \t\n', '  \n\n <a.ts|1> \t\n'],
    ['long words', LONG, LONG.replace('src/c.ts:3', '<src/c.ts|3>')],
  ];
  for (const [what, text, expected] of TABLE) {
    it(`${what}, at every split`, () => {
      assert.equal(found(text), expected);
      assert.equal(found(...text), expected);
      for (let at = 1; at < text.length; at++) assert.equal(found(text.slice(0, at), text.slice(at)), expected, `at ${at}`);
    });
  }

  it('are resolved immediately, and a long word is not held back', () => {
    for (const word of ['x', 'a.', '[a', '`', 'a.b:', '@']) {
      assertGrowsLinearly((size) => assert.equal(found(word.repeat(size)), word.repeat(size)), 200_000);
      assertGrowsLinearly((size) => assert.equal(found(...new Array<string>(size).fill(word)), word.repeat(size)), 20_000);
    }
    let shown = 0;
    new PlaceFinder(
      (text) => {
        shown += text.length;
      },
      () => undefined,
    ).write('x'.repeat(501));
    assert.equal(shown, 501);
  });
});
