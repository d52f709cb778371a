import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { MarkedToken } from 'marked';
import { type Lexed, lex, NOTHING } from '../../../webview-ui/markdown/blocks.ts';
import { isCitation, isWebLink, pieces, referenceOf } from '../../../webview-ui/markdown/references.ts';
import { assertGrowsLinearly } from '../../support/clock.ts';

const all = ({ chunks, recent, open }: Lexed): MarkedToken[] => [...chunks.flat(), ...recent, ...open];
const shape = (lexed: Lexed) => all(lexed).map(({ type, raw }) => [type, raw.trim()]);

function grown(parts: readonly string[]): Lexed {
  let text = '';
  let lexed = NOTHING;
  for (const part of parts) {
    text += part;
    lexed = lex(text, false, lexed);
  }
  return lex(text, true, lexed);
}

describe('Markdown that is streamed', () => {
  it('keeps finished blocks as the same objects', () => {
    const first = lex('# One\n\nTwo two.\n\nThree\nthr', false);
    const second = lex('# One\n\nTwo two.\n\nThree\nthree', false, first);
    assert.equal(all(first)[0], all(second)[0]);
    assert.equal(all(first)[1], all(second)[1]);
    assert.equal(all(second)[2]?.raw, 'Three\nthree');
  });

  it('is rendered as if it had been lexed at once, wherever it was split', async () => {
    const block = fc.constantFrom(
      '# Heading\n\n',
      'Some *words* here\nand `code`.\n\n',
      '- one\n- two\n',
      '- one\n\n- two\n\n',
      '1. first\n2. second\n\n',
      '```ts\nconst x = 1;\n\n# no heading\n```\n',
      '> quoted\n> more\n\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
      'Title\n===\n\n',
      '---\n\n',
      'para\n#5 is no heading\n\n',
      'a\n**b** c\n\n',
      '<div>html</div>\n\n',
      '- [x] done\n  nested\n',
    );
    await fc.assert(
      fc.property(
        fc.array(block, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        (blocks, cuts) => {
          const text = blocks.join('');
          const parts: string[] = [];
          for (let at = 0, cut = 0; at < text.length; cut++) {
            const size = cuts[cut % cuts.length] as number;
            parts.push(text.slice(at, at + size));
            at += size;
          }
          assert.deepEqual(shape(grown(parts)), shape(lex(text, true)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is lexed from the beginning if the text is replaced', () => {
    assert.deepEqual(shape(lex('Other', true, lex('One\n\nTwo', false))), [['paragraph', 'Other']]);
  });

  it('loses nothing of a text with line endings of another system', () => {
    assert.equal(
      all(grown(['One\r', '\n\r\nTwo', '\r\n- a\r\n- b']))
        .map(({ raw }) => raw)
        .join('')
        .replaceAll(/\s/g, ''),
      'OneTwo-a-b',
    );
  });

  for (const [name, piece] of [
    ['list', '- an item of a list\n'],
    ['paragraph', 'words and more words '],
    ['table', '| a | b |\n|---|---|\n'],
    ['quote', '> a line\n'],
  ] as const) {
    it(`is lexed in pieces and displayed completely: a long ${name}`, () => {
      const lexed = grown(Array.from({ length: 2000 }, () => piece));
      const text = piece.repeat(2000);
      assert.equal(
        all(lexed)
          .map(({ raw }) => raw)
          .join('')
          .replaceAll(/\s/g, ''),
        text.replaceAll(/\s/g, ''),
      );
    });
  }
});

describe('references to files', () => {
  const found = (text: string) =>
    pieces(text)
      .filter((piece) => typeof piece !== 'string')
      .map(({ text: label, path, line }) => [label, path, line]);

  it('are found as path:line in running text', () => {
    assert.deepEqual(found('See src/tide.ts:12, (lib/a-b.test.js:3-9) and README.md#L4.'), [
      ['src/tide.ts:12', 'src/tide.ts', 12],
      ['lib/a-b.test.js:3-9', 'lib/a-b.test.js', 3],
      ['README.md#L4', 'README.md', 4],
    ]);
    assert.deepEqual(found('Makefile:7 and src/Dockerfile:2'), [
      ['Makefile:7', 'Makefile', 7],
      ['src/Dockerfile:2', 'src/Dockerfile', 2],
    ]);
  });

  it('keep the text around them', () => {
    assert.equal(
      pieces('in src/a.ts:1 and b')
        .map((piece) => (typeof piece === 'string' ? piece : piece.text))
        .join(''),
      'in src/a.ts:1 and b',
    );
  });

  it('do not include other text', () => {
    for (const text of [
      'at 12:30',
      'http://localhost:3000/x',
      'https://example.com:8080',
      'ratio 3:4',
      'user@host.com:22',
      'version 1.2:3',
    ]) {
      assert.deepEqual(found(text), [], text);
    }
  });

  it('are found in inline code and in links', () => {
    assert.deepEqual(referenceOf('src/tide.ts'), { path: 'src/tide.ts' });
    assert.deepEqual(referenceOf('./src/tide.ts:12-20'), { path: 'src/tide.ts', line: 12 });
    assert.deepEqual(referenceOf('tide.ts:12'), { path: 'tide.ts', line: 12 });
    for (const text of ['tide.height', 'npm test', 'a/b', '**/*.ts', 'x', 'javascript:alert(1)', '../', 'src/'])
      assert.equal(referenceOf(text), undefined, text);
  });

  it('name places in documents, also on web pages', () => {
    const citations = (text: string) =>
      all(lex(text, true)).flatMap((token) =>
        'tokens' in token && token.tokens ? token.tokens.flatMap(({ type, raw }) => ((type as string) === 'citation' ? [raw] : [])) : [],
      );
    assert.deepEqual(citations('Twice [handbook/guide.md:12-18]. Red [manuals/my pump.pdf:p3], [sheets/plan.xlsx:Year 1!2-30].'), [
      '[handbook/guide.md:12-18]',
      '[manuals/my pump.pdf:p3]',
      '[sheets/plan.xlsx:Year 1!2-30]',
    ]);
    assert.deepEqual(citations('Hooks [react/https://react.dev/learn:10-12] and [handbook/report.docx]'), [
      '[react/https://react.dev/learn:10-12]',
      '[handbook/report.docx]',
    ]);
    assert.deepEqual(citations('[and/or] [a/b.md](https://example.com) [x] [1] [^1] `[a/b.md:1]`'), []);
    assert.ok(isCitation('manuals/pump.pdf:p3') && !isCitation('src/tide.ts:12') && !isCitation('a/b'));
  });

  it('only open web addresses otherwise', () => {
    assert.ok(isWebLink('https://example.com') && isWebLink('mailto:a@example.com'));
    for (const href of ['javascript:alert(1)', 'command:kedge.run', 'vscode://x', 'data:text/html,x', 'file:///etc/passwd'])
      assert.ok(!isWebLink(href), href);
  });

  it('are found quickly in malicious text', () => {
    for (const [word, end] of [
      ['a/', ''],
      ['(', '1'],
      ['a.', ':1'],
      ['x', '1'],
    ] as const)
      assertGrowsLinearly((size) => pieces(`${word.repeat(size)}${end}`), 20_000);
    for (const word of ['[a/', '[a/.a', ':1', '!1'])
      assertGrowsLinearly((size) => isCitation(`[a/${word.repeat(size)}`) || lex(`[a/b${word.repeat(size)}`, true), 500);
  });
});
