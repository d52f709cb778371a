import assert from 'node:assert/strict';
import { pdf } from '../../../support/documents/pdf.ts';
import { problemOf, readDocument, shownBlocks } from '../../../support/documents/reading.ts';

describe('reading PDF files', () => {
  it('reads pages, headings by their size, and paragraphs', async () => {
    const pages = [
      [
        { text: 'The manual', y: 720, size: 24 },
        { text: 'This line is long enough to be divi-', y: 680 },
        { text: 'ded, and goes on here.', y: 667 },
        { text: 'Another paragraph.', y: 640 },
      ],
      [
        { text: 'Installation', y: 720, size: 16 },
        { text: 'Run the program with the option that you want.', y: 700 },
      ],
    ];
    const { title, blocks } = await readDocument('a.pdf', pdf(pages, { title: 'Größe', isCompressed: true }));
    assert.equal(title, 'Größe');
    assert.deepEqual(
      blocks.map((block, index) => [block.place.page, shownBlocks(blocks)[index]]),
      [
        [1, '# The manual'],
        [1, 'This line is long enough to be divided, and goes on here.'],
        [1, 'Another paragraph.'],
        [2, '## Installation'],
        [2, 'Run the program with the option that you want.'],
      ],
    );
  });

  it('takes headings from the outline, too', async () => {
    const page = [
      { text: '1.2 Options of the program', y: 720 },
      { text: 'There are many options.', y: 707 },
    ];
    const { blocks } = await readDocument('a.pdf', pdf([page], { outline: [{ title: 'Options of the program', page: 1 }] }));
    assert.deepEqual(shownBlocks(blocks), ['# 1.2 Options of the program', 'There are many options.']);
  });

  it('reads German, Chinese, Arabic and ligatures', async () => {
    // A PDF contains the glyphs from left to right.
    const arabic = 'مرحبا';
    const page = ['Größe und Übergang', '你好世界', [...arabic].reverse().join(''), 'the of\ufb01ce \ufb02oor'].map((text, index) => ({
      text,
      y: 700 - 60 * index,
    }));
    const { blocks } = await readDocument('a.pdf', pdf([page]));
    assert.deepEqual(shownBlocks(blocks), ['Größe und Übergang', '你好世界', arabic, 'the office floor']);
  });

  it('keeps the cells of a table apart', async () => {
    const page = [
      { text: 'name', x: 72, y: 700 },
      { text: 'value', x: 250, y: 700 },
      { text: 'a', x: 72, y: 686 },
      { text: '1', x: 250, y: 686 },
    ];
    assert.deepEqual(shownBlocks((await readDocument('a.pdf', pdf([page]))).blocks), ['name | value\na | 1']);
  });

  it('leaves out headers and footers that repeat, and the numbers of pages', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => [
      { text: 'The manual, version 7', y: 770 },
      { text: `Text of page ${'ABCDEF'[index]}.`, y: 600 },
      { text: `Page ${index + 1}`, y: 30 },
      { text: `${index + 1}`, y: 10 + 7 * index },
    ]);
    const { blocks } = await readDocument('a.pdf', pdf(pages));
    assert.deepEqual(
      shownBlocks(blocks),
      [...'ABCDEF'].map((name) => `Text of page ${name}.`),
    );
  });

  it('says which pages have no text', async () => {
    const { notes } = await readDocument('a.pdf', pdf([[{ text: 'Text', y: 700 }], 'image', 'image']));
    assert.deepEqual(notes, ['2 of 3 pages contain no text, only images or drawings.']);
  });

  it('tells encrypted, scanned, empty and damaged files apart', async () => {
    const page = [{ text: 'Secret', y: 700 }];
    assert.equal((await problemOf('a.pdf', pdf([page], { password: 'open' }))).problem, 'encrypted');
    assert.equal((await problemOf('a.pdf', pdf(['image', 'image']))).problem, 'scanned');
    assert.equal((await problemOf('a.pdf', pdf(['blank']))).problem, 'empty');
    assert.equal((await problemOf('a.pdf', '%PDF-1.7\nnothing')).problem, 'damaged');
    assert.equal((await problemOf('a.pdf', 'text')).problem, 'damaged');
  });

  it('reads a file whose password is empty', async () => {
    const { title, blocks } = await readDocument('a.pdf', pdf([[{ text: 'Open', y: 700 }]], { password: '', title: 'Title' }));
    assert.equal(title, 'Title');
    assert.deepEqual(shownBlocks(blocks), ['Open']);
  });
});
