import assert from 'node:assert/strict';
import { highlight } from '../../../webview-ui/lazy/highlight.ts';
import { lex, NOTHING } from '../../../webview-ui/markdown/blocks.ts';
import { codeInfo, withoutPathComment } from '../../../webview-ui/markdown/code-info.ts';
import type { AnyToken } from '../../../webview-ui/markdown/extensions.ts';
import { symbolOf, workspaceImageOf } from '../../../webview-ui/markdown/references.ts';
import { assertGrowsLinearly } from '../../support/clock.ts';

function tokens(text: string): AnyToken[] {
  const { chunks, recent, open } = lex(text, true);
  return [...chunks.flat(), ...recent, ...open] as AnyToken[];
}

/** The formulas and footnotes of a text, and whether each is a block. */
function extras(text: string): [string, string][] {
  const visit = (token: AnyToken): [string, string][] => {
    if (token.type === 'math') return [[token.isOpen ? 'open' : token.isBlock ? 'block' : 'inline', token.text]];
    if (token.type === 'footnote_ref') return [['ref', token.id]];
    const inner = 'tokens' in token ? ((token.tokens ?? []) as AnyToken[]).flatMap(visit) : [];
    return token.type === 'footnote' ? [['note', token.id], ...inner] : inner;
  };
  return tokens(text).flatMap(visit);
}

describe('formulas and footnotes in an answer', () => {
  it('refer to a footnote also before a colon', () => {
    assert.deepEqual(extras('It names[^1]:\n\n[^1]: The almanac.'), [
      ['ref', '1'],
      ['note', '1'],
    ]);
  });

  it('are found in lines and in blocks', () => {
    assert.deepEqual(extras('So $a_1 + b$ and \\(c\\), also $$d$$.'), [
      ['inline', 'a_1 + b'],
      ['inline', 'c'],
      ['block', 'd'],
    ]);
    assert.deepEqual(extras('Text\n$$\n- x\n= y\n$$\nmore\n\n\\[ z \\]'), [
      ['block', '- x\n= y'],
      ['block', 'z'],
    ]);
    assert.deepEqual(extras('One[^1] and two[^note].\n\n[^1]: See $x$.\n[^note]: Word'), [
      ['ref', '1'],
      ['ref', 'note'],
      ['note', '1'],
      ['inline', 'x'],
      ['note', 'note'],
    ]);
  });

  it('leave prices, variables and code alone', () => {
    for (const text of ['It costs $5 and 10$.', '$HOME/$PATH', 'echo $A $B', '`$x$`', 'a \\$5 b', '```\n$$\nx\n$$\n```', '[a](b) [^]'])
      assert.deepEqual(extras(text), [], text);
  });

  it('come out the same when the text was received in pieces', () => {
    const text = 'One $x$ and\n\n$$\na\n- b\n$$\n\nThen[^1].\n\n[^1]: A note\nin two lines.\n\nEnd.';
    for (const size of [1, 3, 7]) {
      let lexed = NOTHING;
      for (let at = size; at < text.length; at += size) lexed = lex(text.slice(0, at), false, lexed);
      const { chunks, recent, open } = lex(text, true, lexed);
      const raw = [...chunks.flat(), ...recent, ...open].map((token) => [token.type, token.raw.trim()]);
      assert.deepEqual(
        raw,
        tokens(text)
          .filter(({ type }) => type !== 'space')
          .map((token) => [token.type, token.raw.trim()]),
        String(size),
      );
    }
  });

  it('do not take long to find in hostile text', () => {
    for (const word of ['$', '$a ', '\\(', '\\[', '$$\n', '[^a', '[^a]: b\n'])
      assertGrowsLinearly((size) => lex(`${word.repeat(100)}\n\n`.repeat(size), true), 50);
  });
});

describe('code in an answer', () => {
  it('is colored without losing a character', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is colored
    const code = 'const a = `x ${b < 2 && "&amp;"}`; // <span class="hljs-x">\n';
    const spans = highlight(code, 'ts') ?? [];
    assert.equal(spans.map(({ text }) => text).join(''), code);
    assert.deepEqual(
      spans.filter(({ kind }) => kind === 'keyword').map(({ text }) => text),
      ['const'],
    );
    assert.equal(highlight(code, 'no-such-language'), undefined);
  });

  it('says its language and its file', () => {
    const file = { language: 'ts', path: 'src/tide.ts' };
    for (const fence of ['ts src/tide.ts', 'ts:src/tide.ts', 'TS title="./src/tide.ts"', 'ts {file=src/tide.ts}'])
      assert.deepEqual(codeInfo(fence, 'x'), file, fence);
    assert.deepEqual(codeInfo('ts', '// src/tide.ts\nx'), file);
    assert.deepEqual(codeInfo('py', '# a.py\nx'), { language: 'py', path: 'a.py' });
    assert.deepEqual(codeInfo('ts', '// returns 3.5\nx'), { language: 'ts' });
    assert.equal(withoutPathComment('// src/tide.ts\nx', 'src/tide.ts'), 'x');
    assert.equal(withoutPathComment('// a word\nx', 'src/tide.ts'), '// a word\nx');
  });
});

describe('names in an answer', () => {
  it('are symbols if they look like one', () => {
    for (const name of ['tideAt', 'Station.height', 'EPOCH_MS', 'readStations']) assert.equal(symbolOf(name), name);
    assert.equal(symbolOf('tide()'), 'tide');
    for (const text of ['true', 'npm test', 'a.b', '--flag', 'x', '3.5', 'https://a.b', 'const x = 1'])
      assert.equal(symbolOf(text), undefined, text);
  });

  it('are images of the workspace only without an address', () => {
    assert.equal(workspaceImageOf('./docs/a%20b.png'), 'docs/a b.png');
    for (const href of ['https://a.b/c.png', '//a.b/c.png', '/etc/x.png', 'data:image/png;base64,x', 'file:///a.png', 'a.txt', 'a.png?x'])
      assert.equal(workspaceImageOf(href), undefined, href);
  });
});
