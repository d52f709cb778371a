import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { chunksInTurns, chunksOf } from '../../../src/documents/chunks/chunks.ts';
import { areSimilar, fingerprintOf } from '../../../src/documents/chunks/similarity.ts';
import type { Block, Place } from '../../../src/documents/document.ts';
import { readPlainDocument } from '../../support/plain-documents.ts';

const chunks = (blocks: Block[]) => chunksOf({ blocks, notes: [] });
const words = (count: number, word = 'tide') => Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ');
const read = async (text: string) => chunksOf(await readPlainDocument('a.md', Buffer.from(text), AbortSignal.timeout(60_000)));

describe('the chunks of a document', () => {
  it('are cut at headings, with the headings above them and their lines', async () => {
    const { chunks: all, sections } = await read(`# Guide\n\n${words(120)}\n\n## Install\n\n${words(120)}\n\n## Use\n\n${words(120)}\n`);
    assert.deepEqual(
      all.map(({ titlePath, place }) => [titlePath.join('/'), place]),
      [
        ['Guide', { line: 1, endLine: 3 }],
        ['Guide/Install', { line: 5, endLine: 7 }],
        ['Guide/Use', { line: 9, endLine: 11 }],
      ],
    );
    assert.deepEqual(
      sections.map(({ title, level, place }) => [title, level, place.line]),
      [
        ['Guide', 1, 1],
        ['Install', 2, 5],
        ['Use', 2, 9],
      ],
    );
  });

  it('merge small neighbors, and name only the headings that they have in common', async () => {
    const { chunks: all } = await read('# Guide\n\nShort.\n\n## Install\n\nOne line.\n\n## Use\n\nAnother line.\n');
    assert.equal(all.length, 1);
    assert.deepEqual(all[0]?.titlePath, ['Guide']);
    assert.deepEqual(all[0]?.headings, ['Guide', 'Install', 'Use']);
  });

  it('keep a table whole, and repeat the head of a large one', () => {
    const rows = (count: number) => [['Port', 'Depth'], ...Array.from({ length: count }, (_, index) => [`Port ${index}`, `${index} m`])];
    const place = (count: number) => ({ line: 1, endLine: count + 2 });
    assert.equal(chunks([{ kind: 'table', rows: rows(20), place: place(20) }]).chunks.length, 1);
    const { chunks: large } = chunks([{ kind: 'table', rows: rows(500), place: place(500) }]);
    assert.ok(large.length > 5);
    for (const { lead } of large.slice(1)) assert.equal(lead, '| Port | Depth |\n| --- | --- |\n');
    for (const { text, place: at } of large.slice(1)) {
      // The row “Port N” is in line N + 3: a head and a line of dashes are above it.
      const first = Number(/Port (\d+)/.exec(text)?.[1]);
      assert.equal(at.line, first + 3);
    }
  });

  it('keep code whole where possible', () => {
    const code = Array.from({ length: 60 }, (_, index) => `const level${index} = ${index};`).join('\n');
    const { chunks: all } = chunks([
      { kind: 'text', text: words(200), place: {} },
      { kind: 'code', text: code, language: 'ts', place: {} },
    ]);
    assert.ok(all.some(({ text }) => text.includes(code)));
  });

  it('are on one page each', () => {
    const page = (number: number): Block => ({ kind: 'text', text: `Page ${number}.`, place: { page: number } });
    assert.deepEqual(
      chunks([page(1), page(1), page(2)]).chunks.map(({ place }) => place.page),
      [1, 2],
    );
  });

  it('do not end with a heading, and repeat no endless title', () => {
    const { chunks: all } = chunks([
      { kind: 'text', text: words(150), place: {} },
      { kind: 'heading', level: 1, text: 'x'.repeat(100_000), place: {} },
      { kind: 'text', text: 'End.', place: {} },
    ]);
    assert.ok(all.length < 100);
    assert.match(all.at(-1)?.text ?? '', /End\.\n\n$/);
    for (const { titlePath } of all) assert.ok(titlePath.join('').length <= 200);
  });

  const place: fc.Arbitrary<Place> = fc.constant({});
  const text = fc.oneof(
    fc.string({ maxLength: 3_000 }),
    fc.string({ unit: 'grapheme', maxLength: 3_000 }),
    fc.nat(2_000).map((n) => words(n)),
  );
  const block: fc.Arbitrary<Block> = fc.oneof(
    fc.record({ kind: fc.constant('heading' as const), level: fc.constantFrom(1, 2, 3), text, place }),
    fc.record({ kind: fc.constant('text' as const), text, place }),
    fc.record({ kind: fc.constant('code' as const), text, place }),
    fc.record({ kind: fc.constant('image' as const), text, place }),
    fc.record({
      kind: fc.constant('table' as const),
      rows: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 20 }),
      place,
    }),
  );
  /** The letters and digits of a text, which no rendering changes. */
  const letters = (given: string) => (given.toWellFormed().match(/[\p{L}\p{N}]/gu) ?? []).join('');
  const lettersOf = (given: Block) =>
    given.kind === 'image'
      ? given.text.trim()
        ? `Image${letters(given.text)}`
        : ''
      : letters(given.kind === 'table' ? given.rows.flat().join('') : given.text);

  it('are the text of the document: nothing is lost, added or moved', async () => {
    await fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const { chunks: all, sections, length } = chunks(blocks);
        assert.equal(letters(all.map((each) => each.text).join('')), blocks.map(lettersOf).join(''));
        let at = 0;
        for (const { start, text: own } of all) {
          assert.equal(start, at);
          at += own.length;
        }
        assert.equal(length, at);
        for (const { start, end } of sections) assert.ok(start >= 0 && start <= end && end <= length);
      }),
      { numRuns: 150 },
    );
  });

  it('have the lines of their text', async () => {
    const line = fc.constantFrom('', 'tide', words(40), words(200), '- a list');
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 60 }), async (lines) => {
        const { chunks: all } = await read(lines.join('\n'));
        for (const { text: own, place: at } of all) {
          const [first = '', last = ''] = [own.trim().split('\n')[0]?.trim(), own.trim().split('\n').at(-1)?.trim()];
          assert.ok(lines[(at.line as number) - 1]?.includes(first), `${first} in line ${at.line}`);
          assert.ok(lines[(at.endLine as number) - 1]?.includes(last), `${last} in line ${at.endLine}`);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('code in a chunk', () => {
  it('has a fence that is longer than any in it', () => {
    const fenced = (text: string) => chunks([{ kind: 'code', text, language: 'md', place: {} }]).chunks[0]?.text;
    assert.equal(fenced('a'), '```md\na\n```\n\n');
    assert.equal(fenced('```` ```'), '`````md\n```` ```\n`````\n\n');
  });
});

describe('cutting a long document', () => {
  const blocks: Block[] = [{ kind: 'text', text: words(200_000), place: { line: 1, endLine: 1 } }];

  it('lets other work go on, with the same result', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const inTurns = await chunksInTurns({ blocks, notes: [] }, new AbortController().signal);
    clearInterval(timer);
    assert.ok(turns > 1, 'a timer ran meanwhile');
    assert.deepEqual(inTurns, chunks(blocks));
  });

  it('stops when it is told to', async () => {
    const stopping = new AbortController();
    setImmediate(() => stopping.abort());
    await assert.rejects(chunksInTurns({ blocks, notes: [] }, stopping.signal), { name: 'AbortError' });
  });
});

describe('repeated passages', () => {
  it('have nearly the same fingerprint', () => {
    const license = `Permission is hereby granted, free of charge, to any person. ${words(80)}`;
    assert.ok(areSimilar(fingerprintOf(license), fingerprintOf(license.toUpperCase().replaceAll('.', ' .\n'))));
    assert.ok(areSimilar(fingerprintOf(license), fingerprintOf(`${license} 2024`)));
    assert.ok(!areSimilar(fingerprintOf(license), fingerprintOf(words(90, 'harbor'))));
    assert.ok(!areSimilar(fingerprintOf(''), fingerprintOf('')));
  });
});
