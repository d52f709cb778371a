/** Reads documents on the thread of the test. */
import type { Block, DocumentError, ParsedDocument } from '../../../src/documents/document.ts';
import { readContent } from '../../../src/documents/formats/read.ts';

export function readDocument(path: string, content: string | Uint8Array): Promise<ParsedDocument> {
  return readContent(path, new Uint8Array(Buffer.from(content)));
}

/** Returns the problem and the message of a document that cannot be read. */
export async function problemOf(path: string, content: string | Uint8Array): Promise<{ problem: string; message: string }> {
  try {
    await readDocument(path, content);
  } catch (error) {
    const { problem, message } = error as DocumentError;
    return { problem, message };
  }
  return { problem: 'none', message: '' };
}

/** Shows blocks as lines of text, without their places. */
export function shownBlocks(blocks: readonly Block[]): string[] {
  return blocks.map((block) => {
    if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
    if (block.kind === 'table') return block.rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
    if (block.kind === 'code') return `\`${block.language ?? ''}\` ${block.text}`;
    return block.kind === 'image' ? `! ${block.text}` : block.text;
  });
}
