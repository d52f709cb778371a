import assert from 'node:assert/strict';
import { copiedEvents, fromOutside } from '../../../src/core/session/fork.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { sessionLimitsText } from '../../../src/core/words/session-limits-text.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, lastOf, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'a' };
const read = () => call('read_file', { path: 'a.txt' });
const reads = (count: number) => Array.from({ length: count }, (_, index) => turn(say(`Turn ${index}.`), read()));
const done = turn(say('Done.'));

describe('the limits of a session', () => {
  it('replace the settings, and apply to a run in progress from its next step', async () => {
    await using kedge = await assistantOn(files, [...reads(3), turn(read(), read()), done], { limits: { turns: 3 } });
    const { session } = kedge;
    session.note({ type: 'session_limit_set', limit: 'turns', amount: 1 });
    await session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual([lastOf(kedge.events, 'run_started').limits.turns, lastOf(kedge.events, 'budget_reached').max], [1, 1]);
    session.note({ type: 'session_limit_set', limit: 'turns', amount: 9 });
    session.subscribe((event) => {
      if (event.type === 'turn_started') session.note({ type: 'session_limit_set', limit: 'callsPerTurn', amount: 1 });
    });
    await session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.match(resultTexts(session).at(-1) ?? '', /at most 1 tool calls are allowed in one turn/);
  });

  it('count tokens and money too, and the settings apply again without an amount', async () => {
    const usage = { type: 'usage', usage: { input: 900, output: 100 } } as const;
    const script = [turn(read(), usage), turn(read(), usage), turn(say('Done.'), usage)];
    await using kedge = await assistantOn(files, script, { budgets: () => ({ day: {}, run: { tokens: 1_000_000 } }) });
    const { session } = kedge;
    session.note({ type: 'session_limit_set', limit: 'tokens', amount: 500 });
    await session.prompt({ text: 'go', mode: 'ask' });
    const { limit, max } = lastOf(kedge.events, 'budget_reached');
    assert.deepEqual([limit, max], ['tokens', 500]);
    session.note({ type: 'session_limit_set', limit: 'tokens' });
    assert.deepEqual(session.state.limits, {});
    await session.resume();
    assert.deepEqual([eventsOf(kedge.events, 'budget_reached').length, session.state.lastRun?.outcome], [1, 'answered']);
  });

  it('yield to the limits that the user set for one run', async () => {
    await using kedge = await assistantOn(files, [...reads(3), done], { runLimits: { turns: 2 } });
    kedge.session.note({ type: 'session_limit_set', limit: 'turns', amount: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'budget_reached').max, 2);
  });

  it('hold after a reload and in a fork, and not in an imported session', async () => {
    const kedge = await assistantOn({}, []);
    const { session } = kedge;
    session.note({ type: 'session_limit_set', limit: 'minutes', amount: 5 });
    session.note({ type: 'session_limit_set', limit: 'usd', amount: 0.5 });
    session.note({ type: 'session_limit_set', limit: 'minutes', amount: 30 });
    const set = { usd: 0.5, minutes: 30 };
    assert.deepEqual(foldSession(copiedEvents(session.events)).limits, set);
    assert.deepEqual(foldSession(copiedEvents(session.events.flatMap(fromOutside))).limits, {});
    await using again = await kedge.reload();
    assert.deepEqual(again.session.state.limits, set);
    assert.equal(sessionLimitsText(again.session.state.limits), 'Limits of this session: $0.50, 30 minutes');
    assert.equal(sessionLimitsText({}), undefined);
  });
});
