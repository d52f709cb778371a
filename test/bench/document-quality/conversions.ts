/** Converts Markdown to PDF and docx, for the documents of a corpus. */
import type { Block } from '../../../src/documents/document.ts';
import { docx, paragraph, wordTable } from '../../support/documents/office.ts';
import { type PdfText, pdf } from '../../support/documents/pdf.ts';
import { readDocument } from '../../support/documents/reading.ts';

const STYLES = ['Heading1', 'berschrift2', 'Own'];

export async function asDocx(markdown: string): Promise<Buffer> {
  const { blocks } = await readDocument('a.md', markdown);
  return docx(blocks.map(wordBlock).join(''));
}

function wordBlock(block: Block): string {
  if (block.kind === 'table') return wordTable(block.rows);
  if (block.kind === 'heading') return paragraph(block.text, STYLES[Math.min(block.level, STYLES.length) - 1]);
  return block.text
    .split('\n')
    .map((line) => paragraph(line, block.kind === 'code' ? 'Code' : ''))
    .join('');
}

const [TOP, BOTTOM, WIDTH] = [740, 60, 90];

type Line = { text: string; size: number };

export async function asPdf(markdown: string): Promise<Buffer> {
  const { blocks } = await readDocument('a.md', markdown);
  const pages: PdfText[][] = [[]];
  let y = TOP;
  for (const block of blocks) {
    for (const { text, size } of pdfLines(block)) {
      y -= size * 1.3;
      if (y < BOTTOM) {
        pages.push([]);
        y = TOP - size * 1.3;
      }
      (pages.at(-1) as PdfText[]).push({ text, y, size });
    }
    y -= 8;
  }
  return pdf(pages, { isCompressed: true });
}

function pdfLines(block: Block): Line[] {
  if (block.kind === 'heading') return wrapped(block.text, 24 - 3 * Math.min(block.level, 4), 40);
  const text = block.kind === 'table' ? block.rows.map((row) => row.join(' | ')).join('\n') : block.text;
  return text.split('\n').flatMap((line) => wrapped(line, 10, WIDTH));
}

function wrapped(text: string, size: number, width: number): Line[] {
  const lines: Line[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last && last.text.length + word.length < width) last.text += ` ${word}`;
    else lines.push({ text: word, size });
  }
  return lines;
}
