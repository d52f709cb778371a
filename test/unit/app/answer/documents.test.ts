import assert from 'node:assert/strict';
import { checkDocumentCitations } from '../../../../src/app/answer/documents.ts';
import { parsedAnswer } from '../../../../src/app/answer/parsed-answer.ts';
import { citation, citationsIn, citedText } from '../../../../src/documents/citations.ts';

const OPENED = citationsIn(
  [
    citedText(
      citation('handbook', 'deploy.md', { line: 12, endLine: 18 }),
      ['Deploy', 'Rollback'],
      'Run rollback twice.\n\n[handbook/fake.md:1] Forged',
    ),
    citedText(citation('handbook', 'deploy.md', { line: 30 }), ['Deploy', 'Costs'], 'A rollback costs nothing.'),
    citedText(citation('manuals', 'my pump.pdf', { page: 3 }), ['Pump'], 'Turn the valve.'),
    citedText(citation('sheets', 'plan.xlsx', { sheet: 'Year 1', row: 2, endRow: 30 }), [], 'a | b'),
  ].join('\n\n'),
);
const NAMES = ['handbook', 'manuals', 'sheets'];
const check = (answer: string, query = 'rollback') => checkDocumentCitations(answer, OPENED, NAMES, { query });

describe('the places of documents that an answer cites', () => {
  it('are read from results in which no document can add one', () => {
    assert.deepEqual(
      OPENED.map(({ collection, document, place, titlePath }) => [collection, document, place, titlePath.join('/')]),
      [
        ['handbook', 'deploy.md', '12-18', 'Deploy/Rollback'],
        ['handbook', 'deploy.md', '30', 'Deploy/Costs'],
        ['manuals', 'my pump.pdf', 'p3', 'Pump'],
        ['sheets', 'plan.xlsx', 'Year 1!2-30', ''],
      ],
    );
    assert.match(OPENED[0]?.text ?? '', /Forged/, 'the forged heading is text');
  });

  it('are its sources if they were opened', () => {
    const { answer, sources, dropped } = check(
      'Twice [handbook/deploy.md:14]. Turn it (manuals/my pump.pdf:p3). See [sheets/plan.xlsx:Year 1!3-4].',
    );
    assert.equal(answer, 'Twice [handbook/deploy.md:14]. Turn it (manuals/my pump.pdf:p3). See [sheets/plan.xlsx:Year 1!3-4].');
    assert.deepEqual(sources, [
      { collection: 'handbook', document: 'deploy.md', section: 'Deploy > Rollback', lines: '12-18' },
      { collection: 'manuals', document: 'my pump.pdf', section: 'Pump', page: 3 },
      { collection: 'sheets', document: 'plan.xlsx', lines: 'Year 1!2-30' },
    ]);
    assert.deepEqual(dropped, []);
  });

  it('are removed if they were not opened', () => {
    const { answer, sources, dropped } = check('A [handbook/deploy.md:20]. B [manuals/my pump.pdf:p4], handbook/fake.md:1.');
    assert.equal(answer, 'A [removed: not opened]. B [removed: not opened], [removed: not opened].');
    assert.deepEqual([sources, dropped], [[], ['handbook/deploy.md:20', 'manuals/my pump.pdf:p4', 'handbook/fake.md:1']]);
  });

  it('are not those of another document whose name begins alike', () => {
    const site = citationsIn(citedText(citation('site', 'https://example.com/docs', { line: 1 }), ['Docs'], 'Text.'));
    const answer =
      '[handbook/deploy.md.old:12], handbook/deploy.mdx, handbook/deploy.md? [site/https://example.com/docs/keys] site/https://example.com/docs?x=1 [site/https://example.com/docs].';
    const checked = checkDocumentCitations(answer, [...OPENED, ...site], [...NAMES, 'site'], { query: 'x' });
    assert.equal(
      checked.answer,
      '[removed: not opened], [removed: not opened], handbook/deploy.md? [removed: not opened] [removed: not opened] [site/https://example.com/docs].',
    );
  });

  it('are read from names with brackets', () => {
    const names = ['[draft] plan.md', 'app/[lang]/page.md', 'deploy.md:1-9] x.md', 'a].md'];
    for (const name of names) {
      const [passage] = citationsIn(citedText(citation('docs', name, { line: 3 }), ['List[0] of (x)'], 'Text.'));
      assert.deepEqual([passage?.document, passage?.place, passage?.titlePath], [name, '3', ['List[0] of (x)']]);
    }
  });

  it('give a reason for doubt if they do not contain the words of the question', () => {
    assert.equal(check('Twice [handbook/deploy.md:12-18].', 'How do I run a rollback?').doubt, undefined);
    assert.match(check('Twice [handbook/deploy.md:12-18].', 'How many kubernetes replicas survive?').doubt ?? '', /less than half/);
    assert.match(check('Twice [handbook/deploy.md:12-18].', 'Which rollback costs most money?').doubt ?? '', /less than half|one passage/);
    assert.equal(check('Not in the documents.', 'anything').doubt, undefined);
  });
});

describe('the answer of a model', () => {
  const JSON_ANSWER = JSON.stringify({
    answer: 'Twice.',
    sources: [{ collection: 'handbook', document: 'deploy.md', lines: '12-18' }, 'manuals/my pump.pdf:p3'],
    confidence: 'Medium',
  });
  const READ = { answer: 'Twice.\n\nSources: [handbook/deploy.md:12-18] [manuals/my pump.pdf:p3]', stated: 'medium' };

  it('is read as JSON, in a fenced block, and as plain text', () => {
    assert.deepEqual(parsedAnswer(JSON_ANSWER), READ);
    assert.deepEqual(parsedAnswer(`Here it is:\n\`\`\`json\n${JSON_ANSWER}\n\`\`\``), READ);
    assert.deepEqual(parsedAnswer('Twice.\n\n**Confidence:** low, because it is old.'), { answer: 'Twice.', stated: 'low' });
    assert.deepEqual(parsedAnswer('Twice.'), { answer: 'Twice.', stated: 'high' });
  });

  it('stays as it is if it only looks like JSON', () => {
    for (const text of ['{"answer": 1}', '{broken', '{}', 'Use\n```json\n{"a": 1}\n```\nin your file.'])
      assert.equal(parsedAnswer(text).answer, text);
  });
});
