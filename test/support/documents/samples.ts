/** A valid document of each format, and documents that are built to take much time or memory. */
import { deflateRawSync } from 'node:zlib';
import type { DocumentFormat } from '../../../src/documents/document.ts';
import { docx, entryOfList, paragraph, pptx, wordTable, xlsx } from './office.ts';
import { file, pdf } from './pdf.ts';
import { zip } from './zip.ts';

export type Sample = { path: string; bytes: Buffer };

const TEXT = 'Reading takes time in proportion to the length of the document, größer or 小さい.';

/** The documents that malformed ones are made of. They have all parts that a reader looks at. */
export const SAMPLES: Readonly<Record<DocumentFormat, Sample>> = {
  markdown: {
    path: 'a.md',
    bytes: Buffer.from(
      `---\ntitle: Title\n---\n# One\n\n${TEXT}\n\n\`\`\`js\ncode()\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n  - y\n\nTwo\n---\n\n<p>html <b>x</b></p>\n\n[a](b) ![c](d.png)\n`.repeat(
        3,
      ),
    ),
  },
  html: {
    path: 'a.html',
    bytes: Buffer.from(
      `<!doctype html><title>T</title><nav><a href=x>y</a></nav><main><h1>H</h1>${`<p>${TEXT} <a href="https://a.b/c">l</a><ul><li>a<ol><li>b</ol></ul><table><tr><th>x<td>y</table><pre><code class=language-js>z</code></pre><img alt=q>`.repeat(3)}</main>`,
    ),
  },
  text: {
    path: 'a.rst',
    bytes: Buffer.from(`Title\n=====\n\n${TEXT}\n\n1.2 Part\n\n.. code-block:: c\n\n   int x;\n\nSub\n---\n`.repeat(4)),
  },
  csv: { path: 'a.csv', bytes: Buffer.from(`name,text\nx,"a ""b""\nc"\n${'1,2,3\n'.repeat(100)}`) },
  notebook: {
    path: 'a.ipynb',
    bytes: Buffer.from(
      JSON.stringify({
        metadata: { language_info: { name: 'python' } },
        cells: Array.from({ length: 6 }, (_, index) => ({
          cell_type: index % 2 ? 'code' : 'markdown',
          source: [`# H${index}\n`, TEXT],
          outputs: [{ text: ['out\n'] }],
        })),
      }),
    ),
  },
  code: { path: 'a.ts', bytes: Buffer.from(`/** Doc. */\nexport function a() {}\n\n/**\n * ${TEXT}\n */\nclass B {}\n// c\n`.repeat(5)) },
  docx: {
    path: 'a.docx',
    bytes: docx(
      `${paragraph('One', 'Heading1')}${paragraph(TEXT)}${entryOfList('x')}${wordTable([
        ['a', 'b'],
        ['1', '2'],
      ])}${paragraph('code', 'Code')}`.repeat(4),
      { title: 'T' },
    ),
  },
  pptx: {
    path: 'a.pptx',
    bytes: pptx(
      Array.from({ length: 4 }, (_, index) => ({ title: `S${index}`, lines: [TEXT], notes: 'n', table: [['a', 'b']], image: 'i' })),
      'T',
    ),
  },
  xlsx: {
    path: 'a.xlsx',
    bytes: xlsx({
      A: Array.from({ length: 30 }, (_, row) => [TEXT, row, { number: 45_000 + row, style: 1 }, { formula: 'A1', value: 'v' }]),
      B: [['x']],
    }),
  },
  pdf: {
    path: 'a.pdf',
    bytes: pdf(
      [
        [
          { text: 'Title', y: 720, size: 20 },
          { text: TEXT, y: 690 },
          { text: 'a', y: 660 },
          { text: 'b', x: 300, y: 660 },
        ],
        [{ text: 'Plain text', y: 700 }],
        'image',
      ],
      { title: 'T', outline: [{ title: 'Title', page: 1 }], isCompressed: true },
    ),
  },
};

/** Deflated zeros or repeated text of any length, made of pieces that are deflated once. */
function deflatedRepeat(piece: string, before: string, behind: string, times: number): { deflated: Buffer; size: number } {
  const unit = Buffer.from(piece.repeat(Math.ceil((8 << 20) / piece.length)));
  // A full flush lets deflated pieces be put together. The last one ends the stream.
  const flushed = deflateRawSync(unit, { level: 9, finishFlush: 3 });
  const first = deflateRawSync(Buffer.from(before), { finishFlush: 3 });
  const last = deflateRawSync(Buffer.from(behind));
  return { deflated: Buffer.concat([first, ...Array<Buffer>(times).fill(flushed), last]), size: unit.length * times };
}

const WORD_START = '<w:document><w:body>';
const WORD_END = '</w:body></w:document>';

/** Each is made when it is needed, because some are large. */
export const BOMBS: Readonly<Record<string, () => Sample>> = {
  'zip: 10 GB of zeros': () => ({ path: 'a.docx', bytes: zip({ 'word/document.xml': deflatedRepeat('\0', '', '', 1_280) }) }),
  'zip: 10 GB of paragraphs': () => ({
    path: 'a.docx',
    bytes: zip({ 'word/document.xml': deflatedRepeat(paragraph('text'), WORD_START, WORD_END, 1_280) }),
  }),
  'zip: an archive in an archive': () => {
    const inner = zip({ 'word/document.xml': deflatedRepeat('\0', '', '', 128) });
    return { path: 'a.docx', bytes: zip({ 'a.zip': zip({ 'b.zip': inner }), 'word/document.xml': inner }) };
  },
  'zip: many entries that overlap': () => {
    const { deflated, size } = deflatedRepeat(' ', '', '', 3);
    const slides = Array.from({ length: 200 }, (_, index) => [`ppt/slides/slide${index}.xml`, { deflated, size }]);
    const ids = slides.map((_, index) => `<p:sldId r:id="r${index}"/>`).join('');
    const relations = slides.map(([path], index) => `<Relationship Id="r${index}" Type="/slide" Target="/${path}"/>`).join('');
    const entries = { 'ppt/presentation.xml': `<p>${ids}</p>`, 'ppt/_rels/presentation.xml.rels': `<R>${relations}</R>` };
    return { path: 'a.pptx', bytes: zip({ ...entries, ...Object.fromEntries(slides) }) };
  },
  'zip: 60,000 entries': () => ({
    path: 'a.docx',
    bytes: zip(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`e${at}`, '']))),
  }),
  'xml: billion laughs': () => {
    const entities = Array.from({ length: 30 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join('');
    return {
      path: 'a.docx',
      bytes: zip({ 'word/document.xml': `<!DOCTYPE x [<!ENTITY l0 "ha">${entities}]><w:document>&l30;</w:document>` }),
    };
  },
  'xml: quadratic blow-up': () => {
    const content = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100_000)}">]><w:document><w:t>${'&a;'.repeat(100_000)}</w:t></w:document>`;
    return { path: 'a.docx', bytes: zip({ 'word/document.xml': content }) };
  },
  'xml: 1,000,000 levels': () => ({ path: 'a.docx', bytes: zip({ 'word/document.xml': '<w:p>'.repeat(1_000_000) }, { isStored: true }) }),
  'xml: endless attributes': () => ({
    path: 'a.docx',
    bytes: zip(
      { 'word/document.xml': `<w:document ${Array.from({ length: 500_000 }, (_, at) => `a${at}=""`).join(' ')}>` },
      { isStored: true },
    ),
  }),
  'docx: 1,000,000 empty paragraphs': () => ({ path: 'a.docx', bytes: docx('<w:p/>'.repeat(1_000_000)) }),
  'docx: nested tables': () => ({ path: 'a.docx', bytes: docx('<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(80)) }),
  'xlsx: a huge dimension': () => ({ path: 'a.xlsx', bytes: xlsx({ A: [['x']] }, { dimension: 'A1:XFD1048576' }) }),
  'xlsx: a long text in many cells': () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(200_000);
    return {
      path: 'a.xlsx',
      bytes: xlsx({ A: [['x'.repeat(32_000)]] }, { more: { 'xl/worksheets/sheet1.xml': `<s><row>${cells}</row></s>` } }),
    };
  },
  'xlsx: a cell in each column and row': () => {
    const rows = Array.from({ length: 16_000 }, (_, at) => `<row><c r="${lettersOf(at)}${at + 1}"><v>1</v></c></row>`);
    return { path: 'a.xlsx', bytes: xlsx({ A: [['x']] }, { more: { 'xl/worksheets/sheet1.xml': `<s>${rows.join('')}</s>` } }) };
  },
  'notebook: 100,000 levels': () => ({ path: 'a.ipynb', bytes: Buffer.from(`{"cells":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) }),
  'notebook: 8,000,000 levels that do not end': () => ({ path: 'a.ipynb', bytes: Buffer.from(`{"cells":${'['.repeat(8_000_000)}`) }),
  'notebook: 8,000,000 empty cells': () => ({ path: 'a.ipynb', bytes: Buffer.from(`{"cells":[${'0,'.repeat(8_000_000)}0]}`) }),
  'csv: a quoted field that does not end': () => ({ path: 'a.csv', bytes: Buffer.from(`a,b\n"${'x,\n'.repeat(5_000_000)}`) }),
  'csv: quotes': () => ({ path: 'a.csv', bytes: Buffer.from('"'.repeat(16_000_000)) }),
  'csv: delimiters': () => ({ path: 'a.csv', bytes: Buffer.from(','.repeat(16_000_000)) }),
  'csv: line breaks': () => ({ path: 'a.csv', bytes: Buffer.from('\n'.repeat(16_000_000)) }),
  'text: UTF-16 of odd length': () => ({ path: 'a.txt', bytes: Buffer.concat([Buffer.from('\ufefftext', 'utf16le'), Buffer.from([1])]) }),
  'text: one line': () => ({ path: 'a.txt', bytes: Buffer.from('x'.repeat(16_000_000)) }),
  'text: underlines': () => ({ path: 'a.rst', bytes: Buffer.from('a\n=\n'.repeat(4_000_000)) }),
  'markdown: quotes': () => ({ path: 'a.md', bytes: Buffer.from('> '.repeat(8_000_000)) }),
  'markdown: brackets': () => ({ path: 'a.md', bytes: Buffer.from('[]('.repeat(5_000_000)) }),
  'markdown: fences': () => ({ path: 'a.md', bytes: Buffer.from('```\n~~~\n'.repeat(2_000_000)) }),
  'markdown: bars and backticks': () => ({ path: 'a.md', bytes: Buffer.from(`|a|\n|-|\n${'|`'.repeat(7_000_000)}`) }),
  'markdown: headings': () => ({ path: 'a.md', bytes: Buffer.from(`# a${' #'.repeat(7_000_000)}`) }),
  'markdown: elements': () => ({ path: 'a.md', bytes: Buffer.from('<p>\n\n'.repeat(3_000_000)) }),
  'html: nested lists': () => ({ path: 'a.html', bytes: Buffer.from('<ul><li>'.repeat(1_000_000)) }),
  'html: 100,000 levels with text': () => ({ path: 'a.html', bytes: Buffer.from('<div>x'.repeat(100_000)) }),
  'html: nested tables': () => ({ path: 'a.html', bytes: Buffer.from('<table><tr><td>x'.repeat(700_000)) }),
  'html: nested links': () => ({ path: 'a.html', bytes: Buffer.from('<a href=http://a>x'.repeat(700_000)) }),
  'html: endless attributes': () => ({ path: 'a.html', bytes: Buffer.from(`<p ${'a=b '.repeat(4_000_000)}`) }),
  'html: many attributes': () => ({
    path: 'a.html',
    bytes: Buffer.from(`<p ${Array.from({ length: 1_000_000 }, (_, at) => `a${at}`).join(' ')}>x`),
  }),
  'html: comments': () => ({ path: 'a.html', bytes: Buffer.from('<!--'.repeat(4_000_000)) }),
  'html: entities': () => ({ path: 'a.html', bytes: Buffer.from(`<p>${'&amp'.repeat(4_000_000)}`) }),
  'code: comments that do not end': () => ({ path: 'a.ts', bytes: Buffer.from('/**\n'.repeat(4_000_000)) }),
  'code: docstrings': () => ({ path: 'a.py', bytes: Buffer.from('"""\n:\n'.repeat(2_500_000)) }),
  'pdf: an object that refers to itself': () => rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '2 0 R']),
  'pdf: a tree of pages that contains itself': () =>
    rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 1000000/Kids[2 0 R 2 0 R]/Parent 2 0 R>>']),
  'pdf: one page a million times': () => {
    const kids = (object: number) => `${object} 0 R `.repeat(1_000);
    return rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Count 1000000/Kids[${kids(3)}]>>`,
      `<</Type/Pages/Count 1000/Parent 2 0 R/Kids[${kids(4)}]>>`,
      '<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]/Contents 5 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>',
      { dictionary: '', stream: Buffer.from(`BT /F1 9 Tf ${'(text) Tj '.repeat(2_000)} ET`) },
    ]);
  },
  'pdf: a form that draws itself': () =>
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 4 0 R>>>>>>',
      { dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 4 0 R>>>>', stream: Buffer.from('/X Do /X Do') },
    ]),
  'pdf: an outline that contains itself': () =>
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
      '<</First 5 0 R/Last 5 0 R>>',
      '<</Title(a)/Next 5 0 R/First 5 0 R/Parent 4 0 R/Dest[3 0 R/Fit]>>',
    ]),
  'pdf: 10 GB of zeros as a page': () => pageOf(deflatedRepeat('\0', '', '', 1_280).deflated),
  'pdf: 10 GB of text as a page': () => pageOf(deflatedRepeat('(text) Tj ', 'BT /F1 9 Tf ', ' ET', 1_280).deflated),
  'pdf: 100,000 levels of arrays': () => rawPdf(['<</Type/Catalog/Pages 2 0 R>>', `<</Type/Pages/Kids${'['.repeat(100_000)}>>`]),
  'pdf: filters on filters': () =>
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
      { dictionary: `/Filter[${'/ASCIIHexDecode '.repeat(20_000)}]`, stream: Buffer.from('00'.repeat(1_000)) },
    ]),
};

function rawPdf(objects: Parameters<typeof file>[0]): Sample {
  return { path: 'a.pdf', bytes: file(objects, '/Root 1 0 R') };
}

/** A PDF with one page, whose content is deflated without the header of zlib. */
function pageOf(deflated: Buffer): Sample {
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>',
    { dictionary: '/Filter/FlateDecode', stream: Buffer.concat([Buffer.from([0x78, 0x9c]), deflated]) },
  ]);
}

function lettersOf(column: number): string {
  return (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
}
