/** Writes small documents of Word, PowerPoint and Excel for tests, with the parts and the names that Office uses. */
import { type Entry, zip } from './zip.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:wp="urn:wp" xmlns:mc="urn:mc"';
const SLIDE = `xmlns:a="urn:a" xmlns:p="urn:p" xmlns:r="${RELATIONS}"`;

export const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const core = (title: string) =>
  `${HEAD}<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc"><dc:title>${escapeXml(title)}</dc:title></cp:coreProperties>`;

const relations = (targets: readonly [id: string, type: string, target: string][]) =>
  `${HEAD}<Relationships>${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** A paragraph with a style, such as "Heading1". */
export const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;

export const entryOfList = (text: string, level = 0) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`;

export const wordTable = (rows: readonly string[][]) =>
  `<w:tbl>${rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;

/** A document of Word. The names of the styles are in German, as an installation in German writes their ids. */
export function docx(body: string, { title = '', more = {} as Record<string, Entry> } = {}): Buffer {
  const style = (id: string, name: string, rest = '') => `<w:style w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`;
  return zip({
    '[Content_Types].xml': `${HEAD}<Types/>`,
    'docProps/core.xml': core(title),
    'word/document.xml': `${HEAD}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `${HEAD}<w:styles ${WORD}>${[
      style('Heading1', 'heading 1'),
      style('berschrift2', 'heading 2'),
      style('Own', 'Chapter', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
      style('Code', 'Source Code'),
    ].join('')}</w:styles>`,
    ...more,
  });
}

export type Slide = { title: string; lines: readonly string[]; notes?: string; table?: readonly string[][]; image?: string };

const shape = (kind: string, lines: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${lines
    .map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

/** A presentation. The files of the slides are numbered backwards, because only the presentation states their order. */
export function pptx(slides: readonly Slide[], title = ''): Buffer {
  const file = (index: number) => `slide${slides.length - index}.xml`;
  const entries: Record<string, Entry> = {
    '[Content_Types].xml': `${HEAD}<Types/>`,
    'docProps/core.xml': core(title),
    'ppt/presentation.xml': `${HEAD}<p:presentation ${SLIDE}><p:sldIdLst>${slides
      .map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/${file(index)}`])),
  };
  for (const [index, { title: heading, lines, notes, table, image }] of slides.entries()) {
    const cells = (row: string[]) =>
      row.map((cell) => `<a:tc><a:txBody><a:p><a:r><a:t>${escapeXml(cell)}</a:t></a:r></a:p></a:txBody></a:tc>`);
    const grid = table ? `<a:tbl>${table.map((row) => `<a:tr>${cells(row).join('')}</a:tr>`).join('')}</a:tbl>` : '';
    const picture = image ? `<p:pic><p:nvPicPr><p:cNvPr id="9" name="p" descr="${escapeXml(image)}"/></p:nvPicPr></p:pic>` : '';
    entries[`ppt/slides/${file(index)}`] =
      `${HEAD}<p:sld ${SLIDE}>${shape('title', [heading])}${shape('body', lines)}${grid}${picture}${shape('sldNum', ['7'])}</p:sld>`;
    if (notes === undefined) continue;
    entries[`ppt/slides/_rels/${file(index)}.rels`] = relations([['rId1', 'notesSlide', `../notesSlides/notes${index}.xml`]]);
    entries[`ppt/notesSlides/notes${index}.xml`] = `${HEAD}<p:notes ${SLIDE}>${shape('body', [notes])}</p:notes>`;
  }
  return zip(entries);
}

/** A cell is text, a number with a style, a formula with its value, or nothing. */
export type Cell = string | number | boolean | { number: number; style: number } | { formula: string; value: string | number } | undefined;

/** The styles of cells: 0 plain, 1 date, 2 percentage, 3 date and time by a format of the file. */
const STYLES = `${HEAD}<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs></styleSheet>`;

export function xlsx(
  sheets: Readonly<Record<string, readonly Cell[][]>>,
  { title = '', dimension = 'A1', more = {} as Record<string, Entry> } = {},
): Buffer {
  const strings: string[] = [];
  const names = Object.keys(sheets);
  const entries: Record<string, Entry> = {
    '[Content_Types].xml': `${HEAD}<Types/>`,
    'docProps/core.xml': core(title),
    'xl/workbook.xml': `${HEAD}<workbook xmlns:r="${RELATIONS}"><sheets>${names
      .map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, index): [string, string, string] => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`]),
      ['rId90', 'sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/styles.xml': STYLES,
  };
  for (const [index, rows] of Object.values(sheets).entries()) {
    const content = rows.map(
      (row, at) => `<row r="${at + 1}">${row.map((cell, column) => cellXml(cell, column, at + 1, strings)).join('')}</row>`,
    );
    entries[`xl/worksheets/sheet${index + 1}.xml`] =
      `${HEAD}<worksheet><dimension ref="${dimension}"/><sheetData>${content.join('')}</sheetData></worksheet>`;
  }
  entries['xl/sharedStrings.xml'] = `${HEAD}<sst>${strings
    .map((text) => `<si><r><t xml:space="preserve">${escapeXml(text)}</t></r><rPh><t>furigana</t></rPh></si>`)
    .join('')}</sst>`;
  return zip({ ...entries, ...more });
}

function cellXml(cell: Cell, column: number, row: number, strings: string[]): string {
  const reference = `${column > 25 ? String.fromCharCode(64 + Math.floor(column / 26)) : ''}${String.fromCharCode(65 + (column % 26))}${row}`;
  if (cell === undefined) return '';
  if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'string') return `<c r="${reference}" t="s"><v>${strings.push(cell) - 1}</v></c>`;
  if ('number' in cell) return `<c r="${reference}" s="${cell.style}"><v>${cell.number}</v></c>`;
  const type = typeof cell.value === 'string' ? ' t="str"' : '';
  return `<c r="${reference}"${type}><f>${escapeXml(cell.formula)}</f><v>${escapeXml(String(cell.value))}</v></c>`;
}

/** The beginning of a container of Office before 2007 with an entry of this name. */
export function oldContainer(entry: string): Buffer {
  const bytes = Buffer.alloc(2_048);
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(bytes);
  Buffer.from(entry, 'utf16le').copy(bytes, 1_024);
  return bytes;
}
