import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CompletedCall, isStuck, REPEATED, repeatsThrice } from '../../../src/core/session/repeats.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness, lastOf, resultTexts } from '../../support/harness.ts';

const NOTE = '[Kedge: You have made this call three times with the same result. Try a different approach.]';
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

describe('a run that goes in circles', () => {
  it('tells the model at the third repetition', async () => {
    assert.deepEqual(await runOf(reads('a', 'a', 'a', 'b')), { told: [3], calls: 4, pause: undefined, outcome: 'answered' });
  });

  it('pauses at the next one', async () => {
    assert.deepEqual(await runOf(reads('a', 'a', 'a', 'a', 'a')), { told: [3], calls: 4, pause: 'repeating', outcome: undefined });
  });

  it('detects calls that alternate and fail, whatever the error messages are', async () => {
    assert.deepEqual(await runOf(reads('x', 'y', 'x', 'y', 'x', 'y', 'a')), { told: [6], calls: 7, pause: undefined, outcome: 'answered' });
    assert.deepEqual(await runOf(reads('x', 'y', 'x', 'y', 'x', 'y', 'x', 'y')), {
      told: [6],
      calls: 7,
      pause: 'repeating',
      outcome: undefined,
    });
  });

  it('compares arguments regardless of their order', async () => {
    const inOrder = { pattern: 'a', glob: '**' };
    const turned = { glob: '**', pattern: 'a' };
    const script = [inOrder, turned, inOrder, turned].map((input) => turn(call('search_text', input)));
    assert.equal((await runOf(script)).pause, 'repeating');
  });

  it('can be resumed, and is counted anew', async () => {
    const { calls, told, outcome } = await runOf(reads('a', 'a', 'a', 'a', 'a', 'a', 'b'), ({ session }) => session.resume());
    assert.deepEqual([calls, told, outcome], [7, [3], 'answered']);
  });

  it('pauses with a summary, and can be resumed after a reload', async () => {
    await using kedge = await assistantOn(files, [...reads('a', 'a', 'a', 'a'), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(lastOf(kedge.events, 'run_paused').summary, /^So far 4 tool calls: read_file × 4\./);
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.pause, 'repeating');
    await again.session.resume();
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
  });

  it('is detected across a pause and a reload, too', async () => {
    await using kedge = await assistantOn(files, [...reads('a', 'a', 'a', 'a'), turn(say('Done.'))], { limits: { turns: 2 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    await again.session.resume();
    assert.equal(resultTexts(again.session).filter((text) => text.includes(NOTE)).length, 1);
    assert.equal(again.session.state.lastRun?.pause, 'repeating');
  });
});

describe('these are not cycles:', () => {
  const made = (name: string, input: unknown, text: string, isError = false): CompletedCall => ({
    call: { type: 'tool_call', id: '', name, input },
    result: { type: 'tool_result', callId: '', name, content: [{ type: 'text', text }], ...(isError && { isError }) },
  });

  it('a call with a different result each time, such as polling', () => {
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

  it('a repetition that other calls interrupt', () => {
    const a = made('read', { path: 'a' }, 'a');
    assert.equal(repeatsThrice([a, a, made('read', { path: 'b' }, 'b'), a]), false);
  });

  it('any number of calls that all differ', () => {
    const some = fc.uniqueArray(fc.json(), { minLength: 1, maxLength: 13 });
    fc.assert(
      fc.property(some, (inputs) => {
        const calls = inputs.map((input, index) => made('tool', { input, index }, input));
        return !repeatsThrice(calls) && !isStuck(calls);
      }),
    );
  });

  it('but every cycle of up to four calls is reported at the end of its third round, and pauses the run at the next call', () => {
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
