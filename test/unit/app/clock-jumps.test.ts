/** The clock of the computer can be set back or forward at any moment, and jumps when the computer wakes up. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { wholeState } from '../../support/compared.ts';
import { answerAll, assistantOn, eventsOf } from '../../support/harness.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 23);
const change = (from: string, to: string) => turn(call('replace_in_file', { path: 'a.txt', edits: [{ old_text: from, new_text: to }] }));
const script = [change('0', '1'), turn(say('One.')), change('1', '2'), turn(say('Two.'))];

describe('a clock that jumps', () => {
  it('changes neither what runs do, nor what is logged, read and undone', async () => {
    const jumps = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS })), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(jumps, async (by) => {
        let calls = 0;
        let time = START;
        const now = () => {
          time += by[calls++ % by.length] ?? 0;
          return time;
        };
        const limits = { minutes: Number.MAX_SAFE_INTEGER };
        await using kedge = await assistantOn({ 'a.txt': '0' }, script, { now, limits });
        answerAll(kedge.session, { approve: true });
        for (const text of ['first', 'second']) await kedge.session.prompt({ text, mode: 'agent' });
        assert.equal(await kedge.read('a.txt'), '2');
        const ends = eventsOf(kedge.session.events, 'run_finished');
        assert.deepEqual(
          ends.map(({ outcome }) => outcome),
          ['answered', 'answered'],
        );
        for (const event of [...ends, ...eventsOf(kedge.session.events, 'tool_finished')]) assert.ok(event.durationMs >= 0);
        const again = await kedge.reload();
        assert.equal(again.session.damage, undefined);
        assert.deepEqual(wholeState(again.session.state), wholeState(kedge.session.state));
        for (const runId of [...again.session.state.runs.keys()].reverse()) await again.session.changes.undo(runId);
        assert.equal(await again.read('a.txt'), '0');
      }),
      { numRuns: 15 },
    );
  });

  it('does not make a run wait until the clock is where it was', async () => {
    let time = START + 12 * 3_600_000;
    const budgets = () => ({ day: {}, run: {}, runsPerMinute: 1, cooldownSeconds: 60 });
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))], { now: () => time, budgets });
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    time -= 3_600_000;
    await kedge.session.prompt({ text: 'second', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    await kedge.session.prompt({ text: 'third', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.pause, 'limit', 'the pause between runs is kept otherwise');
  });
});
