import assert from 'node:assert/strict';
import fc from 'fast-check';
import { blockLines, blocksOf } from '../../../../../src/hosts/cli/chat/output/markdown.ts';
import { MarkdownStream } from '../../../../../src/hosts/cli/chat/output/markdown-stream.ts';
import { widthOf, wrap } from '../../../../../src/hosts/cli/chat/output/styled.ts';
import { paintFor } from '../../../../../src/hosts/cli/output/terminal.ts';

const plain = paintFor({ write: () => true }, {});
const color = paintFor({ write: () => true, isTTY: true }, {});

function render(text: string, columns = 60, paint = plain): string {
  return blocksOf(text)
    .map((token) => blockLines(token, columns, paint))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** Streams a text in the given pieces. Returns all printed lines. */
function stream(pieces: readonly string[], columns = 60): string {
  const lines: string[] = [];
  const markdown = new MarkdownStream(
    (more) => lines.push(...more),
    plain,
    () => columns,
  );
  for (const piece of pieces) {
    markdown.add(piece);
    markdown.openLines();
  }
  markdown.end();
  return lines.join('\n');
}

describe('Markdown in the terminal', () => {
  it('shows headings, emphasis, code, lists, quotes, tables and links', () => {
    const text = [
      '# Tides',
      'A **high** tide, *low* water and `level()`: see [the map](https://example.com/map).',
      '- one\n- two\n  1. inner\n- [x] done',
      '> quoted\n> words',
      '```ts\nconst a = 1;\n\n# no heading\n```',
      '| a | b |\n|---|--:|\n| 1 | 22 |',
    ].join('\n\n');
    assert.equal(
      render(text),
      [
        '# Tides',
        'A **high** tide, *low* water and `level()`: see the map\n(https://example.com/map).',
        '• one\n• two\n  1. inner\n• [x] done',
        '│ quoted\n│ words',
        '  ts\n  const a = 1;\n  \n  # no heading',
        'a │  b\n──┼───\n1 │ 22',
      ].join('\n\n'),
    );
  });

  it('uses styles in place of the marks where there are colors', () => {
    assert.equal(render('**high** and `level`', 60, color), '\u001b[1mhigh\u001b[22m and \u001b[36mlevel\u001b[39m');
  });

  it('shows HTML, and the address behind a label', () => {
    assert.match(render('<b onclick="x">bold</b> text'), /<b onclick="x">bold<\/b> text/);
    assert.equal(render('[https://bank.example](https://evil.example)'), 'https://bank.example (https://evil.example)');
  });

  it('lists a table that is too wide row by row', () => {
    const text = `| name | meaning |\n|---|---|\n| tide | ${'water '.repeat(12)} |`;
    for (const line of render(text, 40).split('\n')) assert.ok(widthOf(line) <= 40, line);
    assert.match(render(text, 40), /^name: tide\nmeaning: water/);
  });

  it('wraps at spaces, and keeps wide characters within the width', () => {
    assert.deepEqual(wrap('the tide is high', 8), ['the tide', 'is high']);
    assert.deepEqual(wrap('潮位潮位潮位', 5), ['潮位', '潮位', '潮位']);
    assert.deepEqual(wrap('\u001b[1mthe tide is\u001b[22m high', 8), ['\u001b[1mthe tide\u001b[22m', '\u001b[1mis\u001b[22m high']);
  });

  it('prints a block as soon as it is finished, and code line by line', () => {
    const printed: string[] = [];
    const markdown = new MarkdownStream(
      (lines) => printed.push(...lines),
      plain,
      () => 60,
    );
    markdown.add('First par');
    assert.deepEqual([printed, markdown.openLines()], [[], ['First par']]);
    markdown.add('agraph.\n\nSecond');
    markdown.add(' begins\n');
    assert.deepEqual(printed, ['First paragraph.']);
    assert.deepEqual(markdown.openLines(), ['', 'Second begins']);
    markdown.add('\n```js\nlet a;\nlet b');
    assert.deepEqual(printed.slice(1), ['', 'Second begins', '', '  js', '  let a;']);
    assert.deepEqual(markdown.openLines(), ['  let b']);
  });

  it('prints the same text in whatever pieces it arrives', () => {
    const block = fc.constantFrom(
      'A paragraph of *some* words.\n\n',
      '# Heading\n\n',
      '- one\n- two\n\n',
      '```\ncode\n\nmore\n```\n\n',
      '> quote\n\n',
      '1. a\n2. b\n\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
      'Setext\n===\n\n',
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.array(fc.nat(200), { maxLength: 12 }), (blocks, cuts) => {
        const text = blocks.join('');
        const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index]));
        assert.equal(stream(pieces), stream([text]));
      }),
    );
  });

  it('is limited: a text without line breaks, deep nesting and many marks take little time', () => {
    const texts = [
      'x'.repeat(100_000),
      `${'> '.repeat(5_000)}x`,
      '*a_'.repeat(30_000),
      '['.repeat(100_000),
      '- '.repeat(20_000),
      '~'.repeat(100_000),
    ];
    for (const text of texts) {
      const before = process.cpuUsage();
      stream(text.match(/[\s\S]{1,1000}/g) ?? []);
      const { user } = process.cpuUsage(before);
      assert.ok(user < 5_000_000, `${text.slice(0, 4)} took ${user} µs`);
    }
  });
});
