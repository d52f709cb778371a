import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type CorpusFile, corpusIn } from '../../bench/document-quality/corpus.ts';
import { QUESTIONS } from '../../bench/document-quality/questions/index.ts';
import { LATER_QUESTIONS } from '../../bench/document-quality/questions/later.ts';
import { SHORT_QUESTIONS } from '../../bench/document-quality/questions/short.ts';
import { unanswered } from '../../bench/document-quality/questions/unanswered.ts';
import { Sections } from '../../bench/document-quality/sections.ts';

describe('The questions of the benchmark of documents', () => {
  let corpus: CorpusFile[];

  before(async () => {
    corpus = await corpusIn(join(import.meta.dirname, '../../..'));
  });

  it('are asked about at least 1,500 documents, in the same order each time', () => {
    const keys = corpus.map(({ key }) => key);
    assert.ok(keys.length >= 1_500, `${keys.length} documents`);
    assert.deepEqual(new Set(keys).size, keys.length);
    for (const extension of ['.md', '.d.ts', '.html', '.pdf', '.docx'])
      assert.ok(
        keys.some((key) => key.endsWith(extension)),
        extension,
      );
  });

  it('have an answer in a section that contains the expected phrase', async () => {
    const sections = new Sections(corpus);
    const missing: string[] = [];
    for (const { text, answers } of [...QUESTIONS, ...SHORT_QUESTIONS, ...LATER_QUESTIONS])
      for (const answer of answers)
        if ((await sections.find(answer)).length === 0)
          missing.push(`${text}: ${answer.document} > ${answer.section} has no “${answer.phrase}”`);
    assert.deepEqual(missing, []);
  });

  it('are at least 80, and a quarter more has no answer', () => {
    assert.ok(QUESTIONS.length >= 80);
    assert.ok(unanswered.length >= QUESTIONS.length / 4);
    const texts = [...[...QUESTIONS, ...SHORT_QUESTIONS, ...LATER_QUESTIONS].map(({ text }) => text), ...unanswered];
    assert.equal(new Set(texts).size, texts.length);
  });
});
