import assert from 'node:assert/strict';
import { problemOf, readDocument, shownBlocks } from '../../../support/documents/reading.ts';

describe('reading plain text', () => {
  it('takes underlined and numbered lines as headings, and no other lines', async () => {
    const text = [
      'The title',
      '=========',
      '',
      '1 Introduction',
      '',
      'Some text.',
      '',
      '1. An entry of a list that is a whole sentence.',
      '',
      '2.1 Installation',
      '',
      '2024 was a year',
      'of changes',
    ].join('\n');
    const { blocks } = await readDocument('a.txt', text);
    assert.deepEqual(shownBlocks(blocks), [
      '# The title',
      '# 1 Introduction',
      'Some text.',
      '1. An entry of a list that is a whole sentence.',
      '## 2.1 Installation',
      '2024 was a year\nof changes',
    ]);
    assert.deepEqual(blocks.at(-1)?.place, { line: 12, endLine: 13 });
  });

  it('reads the headings and the code of reStructuredText', async () => {
    const text = [
      '=====',
      'Title',
      '=====',
      '',
      'Part',
      '----',
      '',
      'Example::',
      '',
      '    code()',
      '',
      '.. code-block:: python',
      '   :linenos:',
      '',
      '   x = 1',
      '',
      'Next',
      '~~~~',
      'End.',
    ];
    const { blocks } = await readDocument('a.rst', text.join('\n'));
    assert.deepEqual(shownBlocks(blocks), ['# Title', '## Part', 'Example::', '`` code()', '`python` x = 1', '### Next', 'End.']);
  });

  it('reads the headings and the code of AsciiDoc', async () => {
    const text = ['= Title', ':toc:', '', '== Part', 'Text.', '', '[source,java]', '----', 'int x;', '----'];
    assert.deepEqual(shownBlocks((await readDocument('a.adoc', text.join('\n'))).blocks), ['# Title', '## Part', 'Text.', '`java` int x;']);
  });

  it('removes control characters', async () => {
    assert.deepEqual(shownBlocks((await readDocument('a.txt', 'a\u001b[31mb\u0007')).blocks), ['a[31mb']);
  });
});

describe('the encodings of text', () => {
  const text = 'Grüße, 你好, مرحبا';
  const utf16be = () => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

  for (const [name, bytes] of [
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big-endian', utf16be()],
    ['UTF-16 of odd length', Buffer.concat([Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from('x')])],
  ] as const)
    it(name, async () => {
      const [block] = shownBlocks((await readDocument('a.txt', bytes)).blocks);
      assert.equal(block?.replace('\ufffd', ''), text);
    });

  it('UTF-16 without a byte order mark', async () => {
    const bytes = Buffer.from('This is text in English.', 'utf16le');
    assert.deepEqual(shownBlocks((await readDocument('a.txt', bytes)).blocks), ['This is text in English.']);
  });

  it('Windows-1252', async () => {
    const bytes = Buffer.from('Gr\u00fc\u00dfe \u0080 5', 'latin1');
    assert.deepEqual(shownBlocks((await readDocument('a.txt', bytes)).blocks), ['Grüße € 5']);
  });
});

describe('reading comma-separated values', () => {
  it('reads quoted fields, and says lines and rows', async () => {
    const { blocks } = await readDocument('a.csv', 'name;text\r\nx;"a ""b""; c\nd"\r\n\r\ny;2\r\n');
    assert.deepEqual(blocks, [
      {
        kind: 'table',
        rows: [
          ['name', 'text'],
          ['x', 'a "b"; c\nd'],
          ['y', '2'],
        ],
        place: { line: 1, endLine: 5, row: 1, endRow: 3 },
      },
    ]);
  });

  it('reads tab-separated values', async () => {
    assert.deepEqual(shownBlocks((await readDocument('a.tsv', 'a, b\tc\n1\t2')).blocks), ['| a, b | c |\n| 1 | 2 |']);
  });

  it('says that a quoted field does not end', async () => {
    const { notes } = await readDocument('a.csv', 'a,b\n1,"2\n3,4');
    assert.deepEqual(notes, ['The quoted field that begins on line 2 is not closed.']);
  });
});

describe('reading notebooks', () => {
  it('reads Markdown, code, and the beginning of outputs', async () => {
    const notebook = {
      nbformat: 4,
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', '\n', 'Text'] },
        {
          cell_type: 'code',
          source: 'print(1)',
          outputs: [
            { output_type: 'stream', text: ['1\n', 'x'.repeat(5_000)] },
            { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': '<Figure>' } },
            { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['\u001b[31mtrace'] },
          ],
        },
        { cell_type: 'raw', source: 'raw' },
      ],
    };
    const { blocks } = await readDocument('a.ipynb', JSON.stringify(notebook));
    assert.deepEqual(shownBlocks(blocks), [
      '# Title',
      'Text',
      '`python` print(1)',
      `\`output\` 1\n${'x'.repeat(1_998)}\n…`,
      '`output` <Figure>',
      '`output` ValueError: bad',
      'raw',
    ]);
  });

  it('says that a notebook is damaged', async () => {
    for (const text of ['{"cells": [', '[]', '{"a": 1}', '7']) assert.equal((await problemOf('a.ipynb', text)).problem, 'damaged', text);
  });
});

describe('reading the comments of source code', () => {
  it('reads documentation with the declaration that it describes', async () => {
    const code = [
      '/**',
      ' * Adds numbers.',
      ' * @returns the sum',
      ' */',
      'export function add(a: number) {',
      '  // A detail.',
      '  return a;',
      '}',
    ];
    const { blocks } = await readDocument('a.ts', code.join('\n'));
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 2, text: 'export function add(a: number)', place: { line: 1, endLine: 4 } },
      { kind: 'text', text: 'Adds numbers.\n@returns the sum', place: { line: 1, endLine: 4 } },
    ]);
  });

  it('reads docstrings of Python', async () => {
    const code = [
      '"""The module."""',
      'class A:',
      '    def b(self,',
      '          c):',
      '        """Does b.',
      '',
      '        Twice."""',
      '        x = """no doc"""',
    ];
    const { blocks } = await readDocument('a.py', code.join('\n'));
    assert.deepEqual(shownBlocks(blocks), ['The module.', '## def b(self,', 'Does b.\n\n        Twice.']);
  });

  it('reads comments of Rust and Go', async () => {
    const { blocks: rust } = await readDocument('a.rs', '/// Opens it.\n#[inline]\npub fn open() {');
    assert.deepEqual(shownBlocks(rust), ['## pub fn open()', 'Opens it.']);
    const { blocks: go } = await readDocument('a.go', 'package a\n\n// Open opens.\nfunc Open() {');
    assert.deepEqual(shownBlocks(go), ['## func Open()', 'Open opens.']);
  });
});
