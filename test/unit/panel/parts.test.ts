import assert from 'node:assert/strict';
import { diffLines } from '../../../webview-ui/diff-lines.ts';
import { duration, splitPath, tokens } from '../../../webview-ui/format.ts';
import { editedPlan, filesOf, moveItem } from '../../../webview-ui/plan-edit.ts';
import { recall, remember } from '../../../webview-ui/prompt-history.ts';
import { DIFF, PLAN } from '../../support/panel-states.ts';

describe('diff', () => {
  it('numbers the lines of both sides', () => {
    const lines = diffLines(DIFF);
    assert.deepEqual(lines[0], { kind: 'gap', text: "import { EPOCH } from './epoch.ts';" });
    assert.deepEqual(
      lines.find(({ kind }) => kind === 'remove'),
      { kind: 'remove', text: 'export function tideAt(station: Station, at: Date): number {', old: 12 },
    );
    assert.deepEqual(lines.at(-1), { kind: 'same', text: 'function sum(station: Station, hours: number): number {', old: 17, new: 18 });
  });

  it('reads diffs that were cut off, and files without a line break at the end', () => {
    assert.deepEqual(diffLines('--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b'), [
      { kind: 'remove', text: 'a', old: 1 },
      { kind: 'gap', text: 'No newline at end of file' },
      { kind: 'add', text: 'b', new: 1 },
    ]);
    assert.deepEqual(diffLines('--- a\n+++ b'), []);
    assert.deepEqual(diffLines('@@ -1,9 +1,9 @@\n a\n... 200 more lines').at(-1), { kind: 'gap', text: '... 200 more lines' });
  });

  it('does not treat a removed line of dashes as a header', () => {
    assert.deepEqual(diffLines('--- a\n+++ b\n@@ -1 +0,0 @@\n--- x')[0], { kind: 'remove', text: '-- x', old: 1 });
  });
});

describe('plan edits', () => {
  it('keep the id and increase the revision', () => {
    const plan = editedPlan(PLAN, ' Goal ', PLAN.steps, [
      { kind: 'command', text: 'npm test ', glob: '' },
      { kind: 'command', text: ' ', glob: '' },
      { kind: 'remark', text: 'Read it.', glob: '' },
    ]);
    assert.ok(typeof plan !== 'string');
    assert.deepEqual([plan.id, plan.revision, plan.goal, plan.checks], [PLAN.id, 2, 'Goal', [{ command: 'npm test' }, 'Read it.']]);
  });

  it('report what is missing', () => {
    assert.match(String(editedPlan(PLAN, '', PLAN.steps, [])), /goal/);
    assert.match(String(editedPlan(PLAN, 'x', [], [])), /at least one step/);
    assert.match(String(editedPlan(PLAN, 'x', [{ title: ' ', files: [] }], [])), /step 1/);
  });

  it('move steps within the list and read lists of files', () => {
    assert.deepEqual(moveItem(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c']);
    assert.deepEqual(moveItem(['a', 'b'], 0, -1), ['a', 'b']);
    assert.deepEqual(filesOf(' a.ts, b.ts\n\nsrc/**\na.ts'), ['a.ts', 'b.ts', 'src/**']);
  });
});

describe('prompt history', () => {
  it('moves back and forth and keeps the draft', () => {
    const history = remember(remember([], 'one'), 'two');
    const first = recall(history, { at: 0, draft: '' }, 1, 'draft');
    assert.deepEqual(first, { at: 1, draft: 'draft', text: 'two' });
    const second = first && recall(history, first, 1, first.text);
    assert.equal(second?.text, 'one');
    assert.equal(second && recall(history, second, 1, second.text), undefined);
    assert.equal(first && recall(history, first, -1, first.text)?.text, 'draft');
    assert.equal(recall(history, { at: 0, draft: '' }, -1, 'draft'), undefined);
  });

  it('contains each prompt once', () => {
    assert.deepEqual(remember(['a', 'b'], 'a'), ['b', 'a']);
  });
});

describe('format', () => {
  it('is short', () => {
    assert.deepEqual([42, 412, 4210, 9990, 59_400, 125_000].map(duration), ['42 ms', '0.4 s', '4.2 s', '10 s', '59 s', '2 min 5 s']);
    assert.deepEqual([0, 950, 12_345, 1_200_000].map(tokens), ['0', '950', '12.3k', '1.2M']);
    assert.deepEqual(splitPath('src/a/b.ts'), { folder: 'src/a/', name: 'b.ts' });
    assert.deepEqual(splitPath('b.ts'), { folder: '', name: 'b.ts' });
  });
});
