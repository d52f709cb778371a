import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CitationChecker } from '../../../../src/app/answer/document-citations.ts';
import { citation, citationsIn, citedText } from '../../../../src/documents/citations.ts';

const OPENED = citationsIn(
  [
    citedText(citation('handbook', 'deploy.md', { line: 12, endLine: 18 }), ['Deploy'], 'Twice.'),
    citedText(citation('handbook', 'deploy.md', { line: 20, endLine: 30 }), ['Costs'], 'Nothing.'),
    citedText(citation('handbook', 'deploy.md', { line: 50, endLine: 60 }), ['End'], 'The end.'),
    citedText(citation('manuals', 'my pump.pdf', { page: 3 }), ['Pump'], 'Turn it.'),
    citedText(citation('sheets', 'plan.xlsx', { sheet: 'Year 1', row: 2, endRow: 30 }), [], 'a | b'),
  ].join('\n\n'),
);
const NAMES = ['handbook', 'manuals', 'sheets'];
const checker = () => new CitationChecker(OPENED, NAMES);

describe('a cited range of lines', () => {
  it('stays if all of it was opened, and is otherwise shortened to the longest part that was', () => {
    for (const [cited, expected] of [
      ['12-18', '12-18'],
      ['14', '14'],
      ['12-30', '12-30'],
      ['16–25', '16–25'],
      ['12-40', '12-30'],
      ['25-55', '25-30'],
      ['1-12', '12'],
    ]) {
      const each = checker();
      assert.equal(each.check(`See [handbook/deploy.md:${cited}].`), `See [handbook/deploy.md:${expected}].`);
      assert.deepEqual(each.shortened, cited === expected ? [] : [`handbook/deploy.md:${cited} to ${expected}`]);
      assert.ok(each.cited.length > 0);
    }
  });

  it('of a sheet is shortened to its rows', () => {
    const each = checker();
    assert.equal(
      each.check('[sheets/plan.xlsx:Year 1!20-90] [sheets/plan.xlsx:Year 2!2-30]'),
      '[sheets/plan.xlsx:Year 1!20-30] [removed: not opened]',
    );
    assert.deepEqual([each.shortened.length, each.dropped], [1, ['sheets/plan.xlsx:Year 2!2-30']]);
  });

  it('is removed if none of it was opened', () => {
    assert.equal(checker().check('[handbook/deploy.md:31-49]'), '[removed: not opened]');
  });
});

const PIECES = [
  ...['[handbook/deploy.md:12-18]', '[handbook/deploy.md:14-40]', 'handbook/deploy.md', 'handbook/deploy.md.old:12', 'handbook/other.md:3'],
  ...[
    '(manuals/my pump.pdf:p3)',
    '[manuals/my pump.pdf:p4]',
    '[sheets/plan.xlsx:Year 1!3-4]',
    'handbook',
    'hand',
    'manuals/',
    '[',
    ']',
    '/',
  ],
  ...[' ', '. ', ', ', '\n', 'Turn the red valve twice, and wait.', 'w'.repeat(80), '🙂'],
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join(''));

describe('citations that arrive in pieces', () => {
  it('are checked like those of the whole text, and no piece shows one that was not opened', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }), (whole, sizes) => {
        const each = checker();
        const expected = checker().check(whole);
        let shown = '';
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          shown += each.add(whole.slice(at, at + size));
          at += size;
          assert.ok(expected.startsWith(shown), `${shown} is not the beginning of ${expected}`);
        }
        assert.equal(shown + each.end(), expected);
      }),
      { numRuns: 500 },
    );
  });

  it('are not held back longer than their names can be', () => {
    const each = checker();
    assert.equal(each.add('A long sentence without any place. '), 'A long sentence without any place. ');
    assert.equal(each.add('See handb'), 'See ');
    assert.equal(each.add('ags. '), 'handbags. ');
    assert.equal(each.add('[handbook/deploy.md:12'), '[');
    assert.match(each.add(`-18] is one of the places. ${'More. '.repeat(30)}`), /^handbook\/deploy\.md:12-18\] is one/);
  });
});
