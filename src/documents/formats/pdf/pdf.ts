/**
 * Reads PDF files with pdf.js: the text of the pages, with headings from the outline and by their size. Nothing is drawn, and no fonts,
 * images or scripts are loaded.
 */
import { getDocument, PasswordException, type PDFDocumentProxy } from 'unpdf/pdfjs';
import { DocumentError } from '../../document.ts';
import type { Blocks } from '../blocks.ts';
import { MAX_PAGES } from '../limits.ts';
import { checkMemory } from '../memory.ts';
import { Headings } from './headings.ts';
import { outlineOf } from './outline.ts';
import { joinedLines, type Line, linesOf, paragraphsOf, type TextPiece } from './page-lines.ts';
import { repeatedLines } from './repeated-lines.ts';

/** pdf.js keeps what it has read of each page until it is told to forget it. */
const CLEAN_EVERY = 20;
/** A page takes at least this much of a file. */
const MIN_PAGE_BYTES = 300;
const MAX_CHARACTERS_PER_PAGE = 200_000;

/** Receives the number of pages, so that a long document may take longer. */
export type OnPages = (count: number) => void;

type Page = { number: number; lines: Line[] };

export async function readPdf(bytes: Uint8Array, blocks: Blocks, onPages: OnPages): Promise<void> {
  // The length is read first, because pdf.js detaches the buffer of the bytes.
  const most = Math.ceil(bytes.length / MIN_PAGE_BYTES);
  const pdf = await open(bytes);
  try {
    const count = Math.min(pdf.numPages, MAX_PAGES);
    if (pdf.numPages > MAX_PAGES)
      blocks.note(`Only the first ${MAX_PAGES.toLocaleString('en')} of ${pdf.numPages.toLocaleString('en')} pages were read.`);
    // A page that a small file contains many times does not count.
    onPages(Math.min(count, most));
    const { info } = await pdf.getMetadata().catch(() => ({ info: {} as { Title?: unknown } }));
    blocks.title = titleIn(info as { Title?: unknown });
    const { pages, empty, damaged } = await readPages(pdf, count);
    if (pages.every(({ lines }) => lines.length === 0)) throw await withoutText(pdf, count, damaged);
    addBlocks(pages, new Headings(pages, await outlineOf(pdf)), blocks);
    if (empty > 0) blocks.note(`${empty} of ${count} pages contain no text, only images or drawings.`);
    if (damaged > 0) blocks.note(`${damaged} of ${count} pages are damaged and could not be read.`);
  } finally {
    await pdf.loadingTask.destroy().catch(() => {});
  }
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      // pdf.js takes the memory of the array, so it must not be part of another one.
      data: bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes) ? bytes : new Uint8Array(bytes),
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      useWorkerFetch: false,
      enableXfa: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      maxImageSize: 1 << 20,
      disableRange: true,
      disableStream: true,
      disableAutoFetch: true,
    }).promise;
  } catch (error) {
    if (error instanceof PasswordException || (error as Error).name === 'PasswordException')
      throw new DocumentError('encrypted', 'The PDF is protected by a password. Save a copy without a password and add the copy.');
    throw new DocumentError('damaged', 'The PDF is damaged and cannot be opened. Fetch it again, or save it again in its program.');
  }
}

/** Reads the lines of all pages. A page that is damaged does not prevent the others from being read. */
async function readPages(pdf: PDFDocumentProxy, count: number): Promise<{ pages: Page[]; empty: number; damaged: number }> {
  const pages: Page[] = [];
  let [empty, damaged] = [0, 0];
  for (let number = 1; number <= count; number++) {
    try {
      const page = await pdf.getPage(number);
      const lines = linesOf(await piecesOf(page));
      if (lines.length === 0) empty++;
      pages.push({ number, lines });
      page.cleanup();
      if (number % CLEAN_EVERY === 0) await pdf.cleanup();
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      damaged++;
    }
  }
  return { pages, empty, damaged };
}

type PdfPage = Awaited<ReturnType<PDFDocumentProxy['getPage']>>;

async function piecesOf(page: PdfPage): Promise<TextPiece[]> {
  const reader = (page.streamTextContent() as ReadableStream<{ items: (TextPiece | { type: string })[] }>).getReader();
  const pieces: TextPiece[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    checkMemory();
    for (const item of part.value.items) {
      if (!('str' in item)) continue;
      pieces.push(item);
      length += item.str.length + 1;
    }
    if (length <= MAX_CHARACTERS_PER_PAGE) continue;
    await reader.cancel(new Error('The page is too long.'));
    break;
  }
  return pieces;
}

function addBlocks(pages: readonly Page[], headings: Headings, blocks: Blocks): void {
  const repeated = repeatedLines(pages);
  for (const { number, lines } of pages) {
    const own = lines.filter((line) => !repeated.has(line));
    for (const paragraph of paragraphsOf(own)) {
      const place = { page: number };
      const level = headings.levelOf(paragraph, number);
      if (level !== undefined) {
        blocks.heading(level, joinedLines(paragraph), place);
        continue;
      }
      // A heading can directly precede its text in the same size.
      const first = paragraph.length > 1 ? headings.levelOf(paragraph.slice(0, 1), number, true) : undefined;
      if (first !== undefined) blocks.heading(first, paragraph[0]?.text ?? '', place);
      blocks.add({ kind: 'text', text: joinedLines(first === undefined ? paragraph : paragraph.slice(1)), place });
    }
  }
}

/** Distinguishes scanned PDFs from empty and damaged ones. */
async function withoutText(pdf: PDFDocumentProxy, count: number, damaged: number): Promise<DocumentError> {
  if (damaged === count)
    return new DocumentError('damaged', 'No page of the PDF can be read. Fetch it again, or save it again in its program.');
  const page = await pdf.getPage(1).catch(() => undefined);
  const operators = await page?.getOperatorList().catch(() => undefined);
  if (operators && operators.fnArray.length === 0) return new DocumentError('empty', 'The pages of the PDF are empty.');
  return new DocumentError('scanned', 'The PDF contains only images of text. Recognize its text (OCR), and add the resulting PDF.');
}

function titleIn({ Title: title }: { Title?: unknown }): string | undefined {
  // Many programs state the name of a file, or nothing.
  return typeof title === 'string' && !/^untitled|\.(docx?|tex|indd|pptx?|qxd)$|^Microsoft Word - /i.test(title.trim())
    ? title.trim()
    : undefined;
}
