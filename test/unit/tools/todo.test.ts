import assert from 'node:assert/strict';
import { carriedState } from '../../../src/core/compaction/carried-state.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';

const ITEMS = [
  { text: 'Read the tests', state: 'done' },
  { text: 'Correct it', state: 'doing' },
  { text: 'Run the tests', state: 'open' },
];

describe('todo', () => {
  it('replaces the list, which is displayed, carried over and kept after a reload', async () => {
    const [, second, third] = ITEMS;
    await using kedge = await assistantOn({}, [
      turn(call('todo', { items: [{ text: 'Anything' }] })),
      turn(call('todo', { items: [ITEMS[0], second, { text: third?.text }] })),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    assert.equal(resultTexts(kedge.session)[1], '[x] Read the tests\n[>] Correct it\n[ ] Run the tests');
    assert.equal(eventsOf(kedge.events, 'todo_changed').length, 2);
    assert.deepEqual(kedge.session.readView().runs[0]?.todo, ITEMS);
    const reloaded = await kedge.reload();
    assert.deepEqual(reloaded.session.state.todo, ITEMS);
    const { state } = reloaded.session;
    assert.match(carriedState(state, state.messages.length, 0), /Your to-do list:\n\[x\] Read the tests\n\[>\] Correct it\n\[ \] Run/);
  });

  it('is empty in a new run, and kept when a run is continued', async () => {
    await using kedge = await assistantOn({}, [turn(call('todo', { items: ITEMS })), turn(say('Done.')), turn(say('Done.'))], {
      limits: { turns: 1 },
    });
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    await kedge.session.resume();
    assert.deepEqual(kedge.session.state.todo, ITEMS);
    await kedge.session.prompt({ text: 'Something else.', mode: 'agent' });
    assert.deepEqual(kedge.session.state.todo, []);
  });

  it('only exists in Agent mode without a plan', async () => {
    const plan = { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] };
    await using kedge = await assistantOn({}, [turn(say('a')), turn(say('b')), turn(call('propose_plan', plan)), turn(say('c'))]);
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    await kedge.session.prompt({ text: 'Go.', mode: 'ask' });
    await kedge.session.prompt({ text: 'Go.', mode: 'plan' });
    const [
      {
        plan: { id },
      } = { plan: { id: '' } },
    ] = eventsOf(kedge.events, 'plan_proposed');
    await kedge.session.plans.answer(id, 'run');
    const has = kedge.adapter.requests.map(({ tools }) => tools.some(({ name }) => name === 'todo'));
    assert.deepEqual(has, [true, false, false, false]);
  });
});
