import assert from 'node:assert/strict';
import { significantWords, similarLessons, taskIn } from '../../../../src/app/lessons/similar.ts';

describe('lessons of similar tasks', () => {
  const entry = (task: string) => `Task: ${task}. Worked: \`make\`.`;

  it('share at least two words with the task, and half of the shorter text', () => {
    const entries = ['Repair the tide parser tests', 'Translate the README into Spanish', 'Update the tide table'].map(entry);
    assert.deepEqual(similarLessons(entries, 'the parser test for tides fails'), [entries[0]]);
    assert.deepEqual(similarLessons(entries, 'please fix it'), []);
    assert.deepEqual(similarLessons(entries, 'spanish readme'), [entries[1]]);
    assert.deepEqual(similarLessons([], 'spanish readme'), []);
  });

  it('are found by the parts of identifiers, and in languages without spaces', () => {
    assert.deepEqual([...significantWords('parseTideTable of tide_table.ts')], ['parse', 'tide', 'table']);
    assert.deepEqual(similarLessons([entry('テストを修正する')], 'テストを修正').length, 1);
    assert.deepEqual(similarLessons([entry('テストを修正する')], '翻訳してください').length, 0);
  });

  it('are compared by their task, or by all words if the user wrote them differently', () => {
    assert.equal(taskIn('Task: a. b. Failed: `c`.'), 'a. b');
    assert.equal(taskIn('Use make for the tide parser.'), 'Use make for the tide parser.');
  });

  it('are compared in linear time', () => {
    const long = 'word tide parser '.repeat(100_000);
    assert.ok(significantWords(long).size <= 200);
    assert.equal(
      similarLessons(
        Array.from({ length: 100 }, () => entry(long)),
        long,
      ).length,
      100,
    );
  });
});
