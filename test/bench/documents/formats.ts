/** Measures how fast documents of each format are read, in the thread that reads them. */
import type { DocumentFormat } from '../../../src/documents/document.ts';
import { DocumentReader } from '../../../src/hosts/node/documents/reader.ts';
import { docx, paragraph, pptx, wordTable, xlsx } from '../../support/documents/office.ts';
import { pdf } from '../../support/documents/pdf.ts';
import { SAMPLES, type Sample } from '../../support/documents/samples.ts';

export type ReadingFigure = { format: DocumentFormat; megabytesPerSecond: number; documentsPerSecond: number; pagesPerSecond?: number };

const TEXT = 'The program reads the file and writes what it has found, which takes some time. ';
const PDF_PAGES = 200;

/** Documents of the size of a chapter or of a manual. */
function documents(): Partial<Record<DocumentFormat, Sample>> {
  const table = [
    ['name', 'value'],
    ['a', '1'],
  ];
  const chapters = (text: (index: number) => string) => Array.from({ length: 50 }, (_, index) => text(index)).join('');
  const page = (index: number) => [
    { text: `Chapter ${index}`, y: 740, size: 18 },
    ...Array.from({ length: 45 }, (_, line) => ({ text: TEXT, y: 710 - 14 * line })),
  ];
  return {
    markdown: {
      path: 'a.md',
      bytes: Buffer.from(
        chapters((index) => `# Chapter ${index}\n\n${`${TEXT.repeat(5)}\n\n`.repeat(8)}| a | b |\n|---|---|\n| 1 | 2 |\n\n`),
      ),
    },
    html: {
      path: 'a.html',
      bytes: Buffer.from(
        `<html><main>${chapters((index) => `<h2>Chapter ${index}</h2>${`<p>${TEXT.repeat(5)} <a href="/x">link</a></p>`.repeat(8)}`)}</main>`,
      ),
    },
    text: { path: 'a.txt', bytes: Buffer.from(chapters((index) => `${index} Chapter\n\n${`${TEXT.repeat(5)}\n\n`.repeat(8)}`)) },
    csv: { path: 'a.csv', bytes: Buffer.from('name,value,text\n'.repeat(5_000)) },
    docx: {
      path: 'a.docx',
      bytes: docx(chapters((index) => paragraph(`Chapter ${index}`, 'Heading1') + paragraph(TEXT.repeat(5)).repeat(8) + wordTable(table))),
    },
    pptx: {
      path: 'a.pptx',
      bytes: pptx(Array.from({ length: 50 }, (_, index) => ({ title: `Slide ${index}`, lines: [TEXT, TEXT], notes: TEXT }))),
    },
    xlsx: { path: 'a.xlsx', bytes: xlsx({ A: Array.from({ length: 2_000 }, (_, row) => [TEXT, row, { number: row, style: 1 }, true]) }) },
    pdf: {
      path: 'a.pdf',
      bytes: pdf(
        Array.from({ length: PDF_PAGES }, (_, index) => page(index)),
        { isCompressed: true },
      ),
    },
    notebook: SAMPLES.notebook,
    code: SAMPLES.code,
  };
}

export async function measureReading(rounds = 5): Promise<ReadingFigure[]> {
  const reader = new DocumentReader({ timeoutMs: 120_000 });
  const { signal } = new AbortController();
  const figures: ReadingFigure[] = [];
  try {
    for (const [format, { path, bytes }] of Object.entries(documents()) as [DocumentFormat, Sample][]) {
      // The first reading loads the parser.
      await reader.read(path, bytes, signal);
      const begun = performance.now();
      for (let round = 0; round < rounds; round++) await reader.read(path, bytes, signal);
      const documentsPerSecond = (1_000 * rounds) / (performance.now() - begun);
      const megabytesPerSecond = (documentsPerSecond * bytes.length) / 1e6;
      figures.push({
        format,
        documentsPerSecond,
        megabytesPerSecond,
        ...(format === 'pdf' && { pagesPerSecond: documentsPerSecond * PDF_PAGES }),
      });
    }
  } finally {
    await reader.dispose();
  }
  return figures;
}
