import assert from 'node:assert/strict';
import { docx, entryOfList, oldContainer, paragraph, pptx, wordTable, xlsx } from '../../../support/documents/office.ts';
import { problemOf, readDocument, shownBlocks } from '../../../support/documents/reading.ts';
import { zip } from '../../../support/documents/zip.ts';

describe('reading documents of Word', () => {
  it('reads headings by their styles, lists, tables, code and images', async () => {
    const picture = '<w:p><w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A chart"/></w:drawing></w:r></w:p>';
    const body = [
      paragraph('Handbuch für Größen', 'Heading1'),
      paragraph('你好, مرحبا & <tags>'),
      paragraph('Second', 'berschrift2'),
      paragraph('Third', 'Own'),
      entryOfList('one'),
      entryOfList('two', 1),
      wordTable([
        ['a', 'b'],
        ['1', '2'],
      ]),
      paragraph('if (a)', 'Code'),
      paragraph('  b();', 'Code'),
      picture,
      '<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>twice</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>',
      '<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>',
    ];
    const { title, blocks } = await readDocument('a.docx', docx(body.join(''), { title: 'The title' }));
    assert.equal(title, 'The title');
    assert.deepEqual(shownBlocks(blocks), [
      '# Handbuch für Größen',
      '你好, مرحبا & <tags>',
      '## Second',
      '### Third',
      '- one',
      '- two',
      '| a | b |\n| 1 | 2 |',
      '`` if (a)\n  b();',
      '! A chart',
      'once',
    ]);
  });

  it('says the pages if Word stored them', async () => {
    const body = `${paragraph('One')}<w:p><w:r><w:lastRenderedPageBreak/><w:t>Two</w:t></w:r></w:p>`;
    const { blocks } = await readDocument('a.docx', docx(body));
    assert.deepEqual(
      blocks.map(({ place }) => place),
      [{ page: 1 }, { page: 2 }],
    );
  });

  it('reads footnotes', async () => {
    const notes = `<w:footnotes xmlns:w="x">${paragraph('A note')}</w:footnotes>`;
    const { blocks } = await readDocument('a.docx', docx(paragraph('Text'), { more: { 'word/footnotes.xml': notes } }));
    assert.deepEqual(shownBlocks(blocks), ['Text', 'A note']);
  });

  it('recognizes a document whatever its name is', async () => {
    assert.deepEqual(shownBlocks((await readDocument('download', docx(paragraph('Text')))).blocks), ['Text']);
  });
});

describe('reading presentations', () => {
  it('reads the slides in their order, with titles, tables, images and notes', async () => {
    const slides = [
      { title: 'First', lines: ['a', 'b'], notes: 'Say hello' },
      {
        title: 'Zweite Ü',
        lines: [],
        table: [
          ['x', 'y'],
          ['1', '2'],
        ],
        image: 'A chart',
      },
    ];
    const { title, blocks } = await readDocument('a.pptx', pptx(slides, 'The talk'));
    assert.equal(title, 'The talk');
    assert.deepEqual(
      blocks.map((block, index) => [block.place.slide, shownBlocks(blocks)[index]]),
      [
        [1, '# First'],
        [1, 'a\nb'],
        [1, 'Notes: Say hello'],
        [2, '# Zweite Ü'],
        [2, '| x | y |\n| 1 | 2 |'],
        [2, '! A chart'],
      ],
    );
  });
});

describe('reading workbooks', () => {
  it('reads numbers, dates, percentages and the values of formulas, with sheets and rows', async () => {
    const rows = [
      ['date', undefined, 'value', 'other'],
      [{ number: 45_292, style: 1 }, undefined, { number: 0.25, style: 2 }, true],
      [],
      [{ number: 45_292.75, style: 3 }, undefined, { formula: 'SUM(A1:A2)', value: 0.30000000000000004 }, { formula: 'A1', value: 'text' }],
    ];
    const { blocks } = await readDocument('a.xlsx', xlsx({ Übersicht: rows, Empty: [] }));
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'Übersicht', place: { sheet: 'Übersicht', row: 1 } },
      {
        kind: 'table',
        rows: [
          ['date', 'value', 'other'],
          ['2024-01-01', '25%', 'TRUE'],
          ['2024-01-01 18:00', '0.3', 'text'],
        ],
        place: { sheet: 'Übersicht', row: 1, endRow: 4 },
      },
    ]);
  });

  it('gives a sheet a name that cannot look like a place', async () => {
    const { blocks } = await readDocument('a.xlsx', xlsx({ 'A]\n[docs/b.md:1]\u001b[2J': [['x']] }));
    assert.deepEqual(blocks[0]?.place, { sheet: 'A docs b.md 1 2J', row: 1 });
  });

  it('does not believe the size that a sheet states', async () => {
    const content =
      '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData></worksheet>';
    const { blocks } = await readDocument('a.xlsx', xlsx({ A: [['x']] }, { more: { 'xl/worksheets/sheet1.xml': content } }));
    assert.deepEqual(blocks.at(-1), { kind: 'table', rows: [['7']], place: { sheet: 'A', row: 1_048_576, endRow: 1_048_576 } });
  });

  it('keeps cells that are far apart from filling the memory', async () => {
    const letters = (column: number): string =>
      (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
    const cells = Array.from({ length: 3_000 }, (_, at) => `<row r="${at + 1}"><c r="${letters(at)}${at + 1}"><v>${at}</v></c></row>`);
    const content = `<worksheet><sheetData>${cells.join('')}</sheetData></worksheet>`;
    const { blocks, notes } = await readDocument('a.xlsx', xlsx({ A: [['x']] }, { more: { 'xl/worksheets/sheet1.xml': content } }));
    assert.ok(blocks.length < 20);
    assert.match(notes.join(), /^Only the first part of the document was read/);
  });
});

describe('files of Office that cannot be read', () => {
  for (const [what, content, problem, message] of [
    ['a document with a password', oldContainer('EncryptedPackage'), 'encrypted', /Save a copy without a password/],
    ['a .doc file', oldContainer('WordDocument'), 'unsupported', /\(\.doc\)\. Save it as \.docx/],
    ['an .xls file', oldContainer('Workbook'), 'unsupported', /\(\.xls\)\. Save it as \.xlsx/],
    ['a .ppt file', oldContainer('PowerPoint Document'), 'unsupported', /\(\.ppt\)\. Save it as \.pptx/],
    [
      'an OpenDocument file',
      zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<a/>' }),
      'unsupported',
      /Save it as \.docx/,
    ],
    ['an archive', zip({ 'a.txt': 'a' }), 'unsupported', /Unpack it/],
    ['an encrypted archive', zip({ 'word/document.xml': '<a/>' }, { isEncrypted: true }), 'encrypted', /without a password/],
    ['a document that is cut off', docx(paragraph('Text')).subarray(0, 400), 'damaged', /cut off or damaged/],
    ['a document without text', docx(paragraph('')), 'empty', /no text/],
    ['text that is named as a document', Buffer.from('text'), 'damaged', /contains text/],
  ] as const)
    it(what, async () => {
      const found = await problemOf('a.docx', content);
      assert.equal(found.problem, problem);
      assert.match(found.message, message);
    });

  it('an XML document type, which could declare entities', async () => {
    const laughs = `<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><w:document><w:body>${paragraph('&c;')}</w:body></w:document>`;
    assert.equal((await problemOf('a.docx', zip({ 'word/document.xml': laughs }))).problem, 'damaged');
  });
});
