import assert from 'node:assert/strict';
import type { DocumentError } from '../../../../src/documents/document.ts';
import { DocumentReader, type ReaderLimits } from '../../../../src/hosts/node/documents/reader.ts';
import { docx, paragraph } from '../../../support/documents/office.ts';
import { pdf } from '../../../support/documents/pdf.ts';
import { shownBlocks } from '../../../support/documents/reading.ts';

const bytesOf = (content: string | Uint8Array) => new Uint8Array(Buffer.from(content));

describe('the thread that reads documents', () => {
  let reader: DocumentReader;
  const use = (limits: Partial<ReaderLimits> = {}) => {
    // The time limit is tested separately, because a busy computer may need long for any document.
    reader = new DocumentReader({ timeoutMs: 600_000, ...limits });
    return (path: string, content: string | Uint8Array, signal = new AbortController().signal) =>
      reader.read(path, bytesOf(content), signal);
  };
  const problemOf = (error: unknown) => (error as DocumentError).problem;
  afterEach(() => reader.dispose());

  it('reads documents one after another', async () => {
    const read = use();
    const page = pdf([[{ text: 'In a PDF', y: 700 }]]);
    const documents = await Promise.all([read('a.md', '# Title'), read('b.pdf', page), read('c.docx', docx(paragraph('In Word')))]);
    assert.deepEqual(
      documents.map(({ blocks }) => shownBlocks(blocks)),
      [['# Title'], ['In a PDF'], ['In Word']],
    );
  });

  it('leaves the bytes to the caller', async () => {
    const read = use();
    const page = bytesOf(pdf([[{ text: 'Text', y: 700 }]]));
    await read('a.pdf', page);
    assert.ok(page.byteLength > 0);
    assert.equal((await read('a.pdf', page)).blocks.length, 1);
  });

  it('reports why a document cannot be read, and reads the next', async () => {
    const read = use();
    await assert.rejects(read('a.pdf', '%PDF-1.7'), (error) => problemOf(error) === 'damaged');
    assert.equal((await read('a.md', 'Text')).blocks.length, 1);
  });

  it('ends a document that takes too long, and reads the next with a new thread', async () => {
    const read = use({ timeoutMs: 0 });
    const large = 'A paragraph.\n\n'.repeat(1_000_000);
    await assert.rejects(read('a.md', large), (error) => problemOf(error) === 'too-slow');
    await assert.rejects(read('a.md', large), (error) => problemOf(error) === 'too-slow');
  });

  it('ends a document that needs too much memory', async () => {
    const byGrowth = use({ growthMb: 0 });
    await assert.rejects(byGrowth('a.md', 'a\n\n'.repeat(5_000_000)), (error) => problemOf(error) === 'too-large');
    await reader.dispose();
    const read = use({ heapMb: 1 });
    await assert.rejects(read('a.md', 'a\n\n'.repeat(5_000_000)), (error) => problemOf(error) === 'too-large');
  });

  it('stops when the signal aborts, also while another document is being read', async () => {
    const read = use();
    const [first, second] = [new AbortController(), new AbortController()];
    const large = 'A paragraph.\n\n'.repeat(1_000_000);
    const [running, waiting] = [read('a.md', large, first.signal), read('b.md', large, second.signal)];
    second.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    first.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await assert.rejects(read('c.md', 'Text', first.signal), { name: 'AbortError' });
    assert.equal((await read('d.md', 'Text')).blocks.length, 1);
  });
});
