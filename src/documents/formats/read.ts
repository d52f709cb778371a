/** Reads one document. The reader of a format is loaded when the first document of that format arrives. */
import { DocumentError, type ParsedDocument } from '../document.ts';
import { Blocks, LimitReached } from './blocks.ts';
import { type Detected, detect, extensionOf } from './detect.ts';
import { MAX_BLOCKS, MAX_CELLS, MAX_CHARACTERS } from './limits.ts';
import type { OnPages } from './pdf/pdf.ts';

/** Functions that are called while a document is read. */
export type ReadingHooks = {
  /** The parser is loaded, and the reading begins. */
  onReading?(): void;
  onPages?: OnPages;
};

/**
 * Reads a document on this thread. Nothing limits the time and the memory of the packages that it uses, so foreign documents must be read
 * in a thread that can be ended.
 * @throws DocumentError
 */
export async function readContent(path: string, bytes: Uint8Array, { onReading, onPages }: ReadingHooks = {}): Promise<ParsedDocument> {
  const read = await readerOf(detect(path, bytes), extensionOf(path), onPages);
  onReading?.();
  const blocks = new Blocks();
  try {
    await read(blocks);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    const most = `${MAX_CHARACTERS.toLocaleString('en')} characters, ${MAX_BLOCKS.toLocaleString('en')} paragraphs or ${MAX_CELLS.toLocaleString('en')} cells`;
    blocks.note(`Only the first part of the document was read, because it is longer than ${most}.`);
  }
  if (blocks.all.length === 0) throw new DocumentError('empty', 'The document contains no text.');
  return blocks.document();
}

type Reader = (blocks: Blocks) => void | Promise<void>;

async function readerOf(detected: Detected, extension: string, onPages: OnPages = () => {}): Promise<Reader> {
  switch (detected.format) {
    case 'markdown': {
      const { readMarkdown } = await import('./marked-up/markdown.ts');
      return (blocks) => readMarkdown(detected.text, blocks);
    }
    case 'html': {
      const { readHtml } = await import('./marked-up/html.ts');
      return (blocks) => readHtml(detected.bytes, blocks);
    }
    case 'text': {
      const { readText } = await import('./text.ts');
      return (blocks) => readText(detected.text, extension, blocks);
    }
    case 'csv': {
      const { readCsv } = await import('./csv.ts');
      return (blocks) => readCsv(detected.text, extension, blocks);
    }
    case 'notebook': {
      const { readNotebook } = await import('./notebook.ts');
      return (blocks) => readNotebook(detected.text, blocks);
    }
    case 'code': {
      const { readComments } = await import('./code.ts');
      return (blocks) => readComments(detected.text, extension, blocks);
    }
    case 'docx': {
      const { readDocx } = await import('./office/docx.ts');
      return (blocks) => readDocx(detected.archive, blocks);
    }
    case 'pptx': {
      const { readPptx } = await import('./office/pptx.ts');
      return (blocks) => readPptx(detected.archive, blocks);
    }
    case 'xlsx': {
      const { readXlsx } = await import('./office/xlsx.ts');
      return (blocks) => readXlsx(detected.archive, blocks);
    }
    case 'pdf': {
      const { readPdf } = await import('./pdf/pdf.ts');
      return (blocks) => readPdf(detected.bytes, blocks, onPages);
    }
  }
}
