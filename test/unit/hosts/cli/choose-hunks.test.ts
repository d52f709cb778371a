import assert from 'node:assert/strict';
import type { ChangeSummary } from '../../../../src/core/session/effects.ts';
import { canChoose, chooseHunks } from '../../../../src/hosts/cli/output/choose-hunks.ts';
import { paintFor } from '../../../../src/hosts/cli/output/terminal.ts';

const hunk = (at: number) => `@@ -${at},1 +${at},1 @@\n-old ${at}\n+new ${at}`;
const change = (path: string, extra: Partial<ChangeSummary> = {}): ChangeSummary => ({
  path,
  kind: 'edit',
  added: 1,
  removed: 1,
  diff: [1, 20, 40].map(hunk).join('\n'),
  ...extra,
});
const changes = [change('a'), change('b', { diff: hunk(1) }), change('c')];

/** Gives these answers one after another. Returns the choice, and what was displayed and asked. */
async function choose(...lines: (string | undefined)[]) {
  const shown: string[] = [];
  const asked: string[] = [];
  const ask = async (prompt: string) => {
    asked.push(prompt);
    return lines.shift();
  };
  const answer = await chooseHunks(changes, (text) => shown.push(text), ask, paintFor({ isTTY: false } as never));
  return { answer, shown, asked };
}

describe('choosing hunks in the terminal', () => {
  it('shows one hunk at a time and applies the accepted ones', async () => {
    const { answer, shown, asked } = await choose('y', 'n', 'y', 'n', 'y', 'y', 'y');
    assert.deepEqual(answer, { approve: true, revised: { a: { without: [1] }, b: 'refused' } });
    assert.match(shown[1] ?? '', /old 20/);
    assert.match(shown[1] ?? '', /^edit a {2}\+1 −1\n/);
    assert.doesNotMatch(shown[1] ?? '', /old 40/);
    assert.match(asked[1] ?? '', /^Apply hunk 2 of 3 in a\?/);
    assert.match(asked[3] ?? '', /^Apply b\?/);
  });

  it('accepts or rejects all that remain without further questions', async () => {
    assert.deepEqual((await choose('n', 'a')).answer, { approve: true, revised: { a: { without: [0] } } });
    assert.deepEqual((await choose('y', 'y', 'd')).answer, { approve: true, revised: { a: { without: [2] }, b: 'refused', c: 'refused' } });
    assert.deepEqual((await choose('a')).answer, { approve: true });
  });

  it('rejects the change if nothing is accepted, and at the end of the input', async () => {
    assert.deepEqual((await choose('d')).answer, { approve: false });
    assert.deepEqual((await choose(undefined)).answer, { approve: false });
  });

  it('asks again after an invalid answer', async () => {
    const { asked } = await choose('what', '', 'a');
    assert.equal(new Set(asked.slice(0, 3)).size, 1);
  });

  it('is offered if there is more than one hunk', () => {
    assert.ok(canChoose(changes));
    assert.ok(!canChoose([change('b', { diff: hunk(1) })]));
    const moved = [change('to', { kind: 'move', from: 'from', diff: '' }), change('from', { kind: 'delete', diff: '' })];
    assert.ok(!canChoose(moved));
  });
});
