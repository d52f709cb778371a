import assert from 'node:assert/strict';
import { readDocument, shownBlocks } from '../../../support/documents/reading.ts';

describe('reading Markdown', () => {
  it('reads the title, headings, paragraphs, code, tables and images with their lines', async () => {
    const text = [
      '---',
      'title: "The handbook"',
      'layout: page',
      '---',
      '# First #',
      '',
      'A paragraph',
      'of two lines.',
      '',
      'Second',
      '---',
      '```ts title="a.ts"',
      '# no heading',
      '```',
      '',
      '| name | value |',
      '|------|:-----:|',
      '| a \\| b | `x|y` |',
      '| c | |',
      '',
      '![A picture](a.png)',
      '',
      '- one',
      '  - two',
      '',
      '    continued',
    ].join('\n');
    const { title, blocks } = await readDocument('a.md', text);
    assert.equal(title, 'The handbook');
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'First', place: { line: 5, endLine: 5 } },
      { kind: 'text', text: 'A paragraph\nof two lines.', place: { line: 7, endLine: 8 } },
      { kind: 'heading', level: 2, text: 'Second', place: { line: 10, endLine: 11 } },
      { kind: 'code', text: '# no heading', language: 'ts', place: { line: 12, endLine: 14 } },
      {
        kind: 'table',
        rows: [
          ['name', 'value'],
          ['a | b', '`x|y`'],
          ['c', ''],
        ],
        place: { line: 16, endLine: 19 },
      },
      { kind: 'image', text: 'A picture', place: { line: 21, endLine: 21 } },
      { kind: 'text', text: '- one\n  - two', place: { line: 23, endLine: 24 } },
      { kind: 'text', text: 'continued', place: { line: 26, endLine: 26 } },
    ]);
  });

  it('reads a heading below a line of HTML, except in preformatted text', async () => {
    const { blocks } = await readDocument('a.md', '<a name="first"></a>\n## First\n\n<pre>\n# no heading\n</pre>\n');
    assert.deepEqual(shownBlocks(blocks), ['## First', '`` # no heading']);
  });

  it('reads indented code, and HTML inside of Markdown', async () => {
    const { blocks } = await readDocument(
      'a.md',
      'Text\n\n    code\n\n    more\n\n<p align="center">\n<img alt="Logo" src="x.svg">\n<b>Bold</b></p>\n',
    );
    assert.deepEqual(shownBlocks(blocks), ['Text', '`` code\n\nmore', 'Bold', '! Logo']);
    assert.equal(blocks[2]?.place.line, 9);
  });

  it('leaves out long targets of links', async () => {
    const { blocks } = await readDocument('a.md', `See [the guide](guide.md) and [this](https://example.com/${'x'.repeat(80)}).`);
    assert.deepEqual(shownBlocks(blocks), ['See [the guide](guide.md) and [this].']);
  });

  it('repeats the head of a long table, so that each part has its lines', async () => {
    const rows = Array.from({ length: 100 }, (_, row) => `| ${row} | x |`);
    const { blocks } = await readDocument('a.md', ['| a | b |', '|---|---|', ...rows].join('\r\n'));
    assert.deepEqual(
      blocks.map((block) => block.place),
      [
        { line: 1, endLine: 42 },
        { line: 43, endLine: 82 },
        { line: 83, endLine: 102 },
      ],
    );
    for (const block of blocks) assert.deepEqual(block.kind === 'table' && block.rows[0], ['a', 'b']);
  });
});

describe('reading HTML', () => {
  const around = (content: string) =>
    `<!doctype html><html><head><title> The page </title><style>p{}</style></head><body><nav><a href="/">Home</a></nav>${content}<footer>Imprint</footer></body></html>`;

  it('reads the main content before navigation, and says the lines', async () => {
    const text = 'A long sentence about the subject of this page. '.repeat(6).trim();
    const page = around(`<div>Advertisement</div>\n<main>\n<h1>Title</h1>\n<p>${text}</p>\n<script>alert(1)</script></main>`);
    const { title, blocks } = await readDocument('page', page);
    assert.equal(title, 'The page');
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'Title', place: { line: 3, endLine: 3 } },
      { kind: 'text', text, place: { line: 4, endLine: 4 } },
    ]);
  });

  it('reads the whole page without navigation if there is no main part', async () => {
    const { blocks } = await readDocument('a.html', around('<header>Top</header><div>One<p>Two</div>'));
    assert.deepEqual(shownBlocks(blocks), ['One', 'Two']);
  });

  it('reads tables, code, lists and the names of images', async () => {
    const page = [
      '<table><thead><tr><th>a<th>b</thead><tr><td>1<td><p>2</p><p>3</p></table>',
      '<pre><code class="language-js">if (a) {\n  b();\n}</code></pre>',
      '<ol start=3><li>three<ul><li>inner</li></ul></li><li>four</ol>',
      '<p>Text <img src=a alt="A picture"> with <a href="https://example.com/a">a link</a> and <a href="b.html">another</a></p>',
    ];
    const { blocks } = await readDocument('a.html', `<html><body>${page.join('\n')}</body></html>`);
    assert.deepEqual(shownBlocks(blocks), [
      '| a | b |\n| 1 | 2 3 |',
      '`js` if (a) {\n  b();\n}',
      '3. three\n  - inner\n4. four',
      'Text with a link (https://example.com/a) and another',
      '! A picture',
    ]);
  });

  it('reads a page in the encoding that it states', async () => {
    const page = Buffer.from('<html><meta charset="iso-8859-2"><p>\u00b1</p></html>', 'latin1');
    assert.deepEqual(shownBlocks((await readDocument('a.html', page)).blocks), ['ą']);
  });

  it('leaves out the signs that link to headings', async () => {
    const page = '<html><h2><a href="#a">§</a>First</h2><h2>Second<a href="#b">¶</a></h2><h2>C#</h2></html>';
    assert.deepEqual(shownBlocks((await readDocument('a.html', page)).blocks), ['## First', '## Second', '## C#']);
  });

  it('leaves out what the page hides', async () => {
    const page = '<html><p hidden>a</p><p style="display: none">b</p><div aria-hidden=true><p>c</p></div><p>d</p></html>';
    assert.deepEqual(shownBlocks((await readDocument('a.html', page)).blocks), ['d']);
  });
});
