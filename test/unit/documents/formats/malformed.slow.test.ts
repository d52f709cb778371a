/**
 * Reads malformed documents of every format. KEDGE_FUZZ_DOCUMENTS sets how many of each format, and KEDGE_FUZZ_SEED what they are made of.
 * KEDGE_FUZZ_REPORT=1 prints the longest time and the most memory.
 */
import assert from 'node:assert/strict';
import { DocumentError, type ParsedDocument } from '../../../../src/documents/document.ts';
import { readContent } from '../../../../src/documents/formats/read.ts';
import { DocumentReader } from '../../../../src/hosts/node/documents/reader.ts';
import { mutate, randomOf } from '../../../support/documents/mutate.ts';
import { BOMBS, SAMPLES, type Sample } from '../../../support/documents/samples.ts';

const COUNT = Number(process.env.KEDGE_FUZZ_DOCUMENTS ?? 20);
const SEED = Number(process.env.KEDGE_FUZZ_SEED ?? 20_261_123);
const MAX_GROWTH = 500 << 20;
const samples = Object.values(SAMPLES);

type Figures = { longestMs: number; mostMb: number; results: Map<string, number> };

describe('malformed documents', () => {
  let reader: DocumentReader;
  /** It has no limit of time, so that it shows the content of valid documents on a busy computer, too. */
  let patient: DocumentReader;
  before(() => {
    reader = new DocumentReader();
    patient = new DocumentReader({ timeoutMs: 600_000 });
  });
  after(() => Promise.all([reader.dispose(), patient.dispose()]));

  for (const [format, sample] of Object.entries(SAMPLES))
    it(`${format}: each is read, or a reason is given`, async () => {
      const figures = noFigures();
      const random = randomOf(SEED + format.length * 1_000 + (format.codePointAt(0) ?? 0));
      for (let index = 0; index < COUNT; index++) {
        const other = samples[random(samples.length)] as Sample;
        await tryReading(reader, mutate(sample, other, random), `${format} ${index}`, figures);
      }
      report(format, figures);
      assert.ok((figures.results.get('read') ?? 0) > 0, `None of the ${COUNT} documents could be read.`);
      assert.deepEqual(await contentOf(patient, sample), await readContent(sample.path, new Uint8Array(sample.bytes)));
    });

  for (const [name, make] of Object.entries(BOMBS))
    it(`${name}: does not stop Kedge`, async () => {
      const figures = noFigures();
      await tryReading(reader, make(), name, figures);
      report(name, figures);
      await tryReading(reader, { path: 'a.md', bytes: Buffer.from('# Next') }, 'the next document', figures);
    });
});

/** The reader alone decides when a document takes too long. @throws AssertionError for everything but a document or a reason */
async function tryReading(reader: DocumentReader, { path, bytes }: Sample, name: string, figures: Figures): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const begun = performance.now();
  let result = 'read';
  try {
    assertDocument(await reader.read(path, bytes, new AbortController().signal), name);
  } catch (error) {
    assert.ok(error instanceof DocumentError, `${name}: ${(error as Error).stack}`);
    assert.match(
      error.message,
      /^[A-Z].+\. [A-Z].+\.$|^The (document contains no text|file is empty|pages of the PDF are empty|presentation has no slides|workbook has no sheets with cells)\.$/,
      name,
    );
    result = error.problem;
  } finally {
    clearInterval(timer);
  }
  figures.longestMs = Math.max(figures.longestMs, performance.now() - begun);
  figures.mostMb = Math.max(figures.mostMb, (most - before) / (1 << 20));
  figures.results.set(result, (figures.results.get(result) ?? 0) + 1);
  assert.ok(most - before < MAX_GROWTH, `${name}: the memory grew by ${Math.round((most - before) / (1 << 20))} MB.`);
}

function assertDocument({ blocks, notes }: ParsedDocument, name: string): void {
  assert.ok(blocks.length > 0 || notes.length > 0, name);
  for (const block of blocks) {
    const texts = block.kind === 'table' ? block.rows.flat() : [block.text];
    assert.ok(
      texts.some((text) => text !== ''),
      `${name}: an empty block`,
    );
    assert.ok(
      texts.every((text) => !/[^\P{Cc}\n\t]/u.test(text)),
      `${name}: a control character`,
    );
    for (const [key, value] of Object.entries(block.place))
      assert.ok(typeof value === 'string' || value >= 1, `${name}: ${key} is ${value}`);
  }
}

/** Reads a document to show that the thread still works. */
async function contentOf(reader: DocumentReader, { path, bytes }: Sample): Promise<ParsedDocument> {
  return reader.read(path, bytes, new AbortController().signal);
}

function noFigures(): Figures {
  return { longestMs: 0, mostMb: 0, results: new Map() };
}

function report(name: string, { longestMs, mostMb, results }: Figures): void {
  if (process.env.KEDGE_FUZZ_REPORT !== '1') return;
  const counts = [...results].map(([result, count]) => `${result} ${count}`).join(', ');
  console.log(`${name}: at most ${Math.round(longestMs)} ms, ${Math.round(mostMb)} MB more; ${counts}`);
}
