import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CompletedCall, isStuck, REPEATED, repeatsThrice } from '../../../src/core/run/repeats.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness, lastOf, resultTexts } from '../../support/harness.ts';

const NOTE = '[Kedge: This call was made three times with the same result. Do something else.]';
const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };
const reads = (...names: string[]): ScriptedTurn[] => names.map((name) => turn(call('read_file', { path: `${name}.txt` })));

async function runOf(script: ScriptedTurn[], after?: (kedge: Harness) => Promise<void>) {
  await using kedge = await assistantOn(files, [...script, turn(say('Done.'))]);
  await kedge.session.prompt({ text: 'go', mode: 'ask' });
  await after?.(kedge);
  return {
    told: resultTexts(kedge.session).flatMap((text, index) => (text.includes(NOTE) ? [index + 1] : [])),
    calls: eventsOf(kedge.events, 'tool_finished').length,
    pause: kedge.session.state.lastRun?.pause,
    outcome: kedge.session.state.lastRun?.outcome,
  };
}

describe('a run that goes round in circles', () => {
  it('tells the model with the third of the same calls', async () => {
    assert.deepEqual(await runOf(reads('a', 'a', 'a', 'b')), { told: [3], calls: 4, pause: undefined, outcome: 'answered' });
  });

  it('pauses with the next', async () => {
    assert.deepEqual(await runOf(reads('a', 'a', 'a', 'a', 'a')), { told: [3], calls: 4, pause: 'repeating', outcome: undefined });
  });

  it('notices calls that alternate and fail, with whatever words', async () => {
    assert.deepEqual(await runOf(reads('x', 'y', 'x', 'y', 'x', 'y', 'a')), { told: [6], calls: 7, pause: undefined, outcome: 'answered' });
    assert.deepEqual(await runOf(reads('x', 'y', 'x', 'y', 'x', 'y', 'x', 'y')), {
      told: [6],
      calls: 7,
      pause: 'repeating',
      outcome: undefined,
    });
  });

  it('knows the same call by its arguments, in whatever order they come', async () => {
    const inOrder = { pattern: 'a', glob: '**' };
    const turned = { glob: '**', pattern: 'a' };
    const script = [inOrder, turned, inOrder, turned].map((input) => turn(call('search_text', input)));
    assert.equal((await runOf(script)).pause, 'repeating');
  });

  it('is let go on, and counted anew', async () => {
    const { calls, told, outcome } = await runOf(reads('a', 'a', 'a', 'a', 'a', 'a', 'b'), ({ session }) => session.resume());
    assert.deepEqual([calls, told, outcome], [7, [3], 'answered']);
  });

  it('is paused with what was done, and can be gone on with after a reload', async () => {
    await using kedge = await assistantOn(files, [...reads('a', 'a', 'a', 'a'), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(lastOf(kedge.events, 'run_paused').summary, /^So far 4 tool calls: read_file × 4\./);
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.pause, 'repeating');
    await again.session.resume();
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
  });

  it('is noticed over a pause and a reload, too', async () => {
    await using kedge = await assistantOn(files, [...reads('a', 'a', 'a', 'a'), turn(say('Done.'))], { limits: { turns: 2 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    await again.session.resume();
    assert.equal(resultTexts(again.session).filter((text) => text.includes(NOTE)).length, 1);
    assert.equal(again.session.state.lastRun?.pause, 'repeating');
  });
});

describe('no circle is', () => {
  const made = (name: string, input: unknown, text: string, isError = false): CompletedCall => ({
    call: { type: 'tool_call', id: '', name, input },
    result: { type: 'tool_result', callId: '', name, content: [{ type: 'text', text }], ...(isError && { isError }) },
  });

  it('a call that gets another result each time, as one that polls', () => {
    const polls = Array.from({ length: 12 }, (_, index) => made('status', {}, `${index} of 12`));
    const failing = Array.from({ length: 12 }, (_, index) => made('status', {}, `not yet: ${index} s`, true));
    for (const calls of [polls, failing]) {
      for (let end = 1; end <= calls.length; end++) {
        assert.equal(repeatsThrice(calls.slice(0, end)), false);
        assert.equal(isStuck(calls.slice(0, end)), false);
      }
    }
  });

  it('a call that is made again after something else was done', () => {
    const calls = Array.from({ length: 6 }, (_, index) => [made('read', { path: 'a' }, 'a'), made('edit', { index }, 'Done.')]).flat();
    assert.equal(isStuck(calls), false);
    assert.equal(repeatsThrice(calls), false);
  });

  it('one that other calls stand between once', () => {
    const a = made('read', { path: 'a' }, 'a');
    assert.equal(repeatsThrice([a, a, made('read', { path: 'b' }, 'b'), a]), false);
  });

  it('found in calls that all differ, however many', () => {
    const some = fc.uniqueArray(fc.json(), { minLength: 1, maxLength: 13 });
    fc.assert(
      fc.property(some, (inputs) => {
        const calls = inputs.map((input, index) => made('tool', { input, index }, input));
        return !repeatsThrice(calls) && !isStuck(calls);
      }),
    );
  });

  it('missed: any circle of up to four calls is told of with the last call of its third round, and stuck with the next', () => {
    const circle = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(circle, fc.boolean(), (ids, fails) => {
        const calls: CompletedCall[] = [];
        for (let index = 0; index < 3 * ids.length + 1; index++) {
          const id = ids[index % ids.length];
          const before = [...calls, made('tool', { id }, fails && ids.length > 1 ? `failed ${index}` : `result ${id}`, fails)];
          const isThird = index === 3 * ids.length - 1;
          assert.equal(repeatsThrice(before), isThird);
          assert.equal(isStuck(before), index === 3 * ids.length);
          if (isThird) before.at(-1)?.result.content.push(REPEATED);
          calls.splice(0, calls.length, ...before);
        }
      }),
    );
  });
});
