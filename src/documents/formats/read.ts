/** Reads one document. The reader of a format is loaded when the first document of that format arrives. */
import { DocumentError, type ParsedDocument } from '../document.ts';
import { Blocks, LimitReached } from './blocks.ts';
import { type Detected, detect, extensionOf } from './detect.ts';
import { MAX_BLOCKS, MAX_CELLS, MAX_CHARACTERS } from './limits.ts';
import type { OnPages } from './pdf/pdf.ts';

/**
 * Reads a document on this thread. Nothing limits the time and the memory of the packages that it uses, so foreign documents must be read
 * in a thread that can be ended.
 * @throws DocumentError
 */
export async function readContent(path: string, bytes: Uint8Array, onPages: OnPages = () => {}): Promise<ParsedDocument> {
  const detected = detect(path, bytes);
  const blocks = new Blocks();
  try {
    await readInto(blocks, path, detected, onPages);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    const most = `${MAX_CHARACTERS.toLocaleString('en')} characters, ${MAX_BLOCKS.toLocaleString('en')} paragraphs or ${MAX_CELLS.toLocaleString('en')} cells`;
    blocks.note(`Only the first part of the document was read, because it is longer than ${most}.`);
  }
  if (blocks.all.length === 0) throw new DocumentError('empty', 'The document contains no text.');
  return blocks.document();
}

async function readInto(blocks: Blocks, path: string, detected: Detected, onPages: OnPages): Promise<void> {
  switch (detected.format) {
    case 'markdown':
      return (await import('./marked-up/markdown.ts')).readMarkdown(detected.text, blocks);
    case 'html':
      return (await import('./marked-up/html.ts')).readHtml(detected.bytes, blocks);
    case 'text':
      return (await import('./text.ts')).readText(detected.text, extensionOf(path), blocks);
    case 'csv':
      return (await import('./csv.ts')).readCsv(detected.text, extensionOf(path), blocks);
    case 'notebook':
      return (await import('./notebook.ts')).readNotebook(detected.text, blocks);
    case 'code':
      return (await import('./code.ts')).readComments(detected.text, extensionOf(path), blocks);
    case 'docx':
      return (await import('./office/docx.ts')).readDocx(detected.archive, blocks);
    case 'pptx':
      return (await import('./office/pptx.ts')).readPptx(detected.archive, blocks);
    case 'xlsx':
      return (await import('./office/xlsx.ts')).readXlsx(detected.archive, blocks);
    case 'pdf':
      return (await import('./pdf/pdf.ts')).readPdf(detected.bytes, blocks, onPages);
  }
}
