import assert from 'node:assert/strict';
import { insightsOf } from '../../../src/core/insights/insights.ts';
import type { Numbers } from '../../../src/core/insights/numbers.ts';
import { ModelError } from '../../../src/core/model/model.ts';
import type { ApprovalAnswer } from '../../../src/core/session/events.ts';
import { runIn } from '../../../src/core/view/session-view.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness } from '../../support/harness.ts';

const edit = (old_text: string, new_text: string) => call('replace_in_file', { path: 'a.txt', edits: [{ old_text, new_text }] });

async function countsOf({ assistant }: Pick<Harness, 'assistant'>): Promise<Numbers & { sessions: number }> {
  const { total, sessions } = insightsOf(await (await assistant.library()).insights(), { to: '9999-12-31' });
  return { ...total, sessions };
}

describe('insights', () => {
  it('count what a real run did', async () => {
    let now = 1_795_000_000_000;
    await using kedge = await assistantOn(
      { 'a.txt': 'one\ntwo\n' },
      [
        turn(edit('nowhere in it', 'x')),
        turn(edit('one', 'eins')),
        turn(edit('two', 'zwei')),
        turn(call('no_such_tool', {})),
        turn(say('Done.')),
      ],
      { now: () => (now += 1_000) },
    );
    let asked = 0;
    kedge.session.subscribe((event) => {
      const answer = { approve: asked === 0 } as ApprovalAnswer;
      if (event.type !== 'approval_requested') return;
      asked++;
      void kedge.session.answerApproval(event.approvalId, answer);
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const {
      runs,
      events,
      calls,
      failedCalls,
      refusedCalls,
      failedEdits,
      asked: requested,
      approved,
      rejected,
      waitMs,
    } = await countsOf(kedge);
    assert.deepEqual(runs, { answered: 1 });
    assert.deepEqual(events, { turns: 5 });
    assert.deepEqual(calls, { replace_in_file: 3, 'unknown tool': 1 });
    assert.deepEqual(failedCalls, { replace_in_file: 1, 'unknown tool': 1 });
    assert.deepEqual(refusedCalls, { replace_in_file: 1 });
    assert.deepEqual(failedEdits, { not_found: 1, rejected: 1 });
    assert.deepEqual([requested, approved, rejected], [{ edit: 2 }, { edit: 1 }, { edit: 1 }]);
    assert.equal((waitMs?.model ?? 0) + (waitMs?.tools ?? 0), kedge.session.state.lastRun?.used.ms);
    assert.equal(waitMs?.user, 2_000, 'each answer came a second after its question');
  });

  it('count forks and imports once, and leave out deleted sessions', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Other.'))]);
    for (const text of ['first', 'second']) await kedge.session.prompt({ text, mode: 'ask' });
    const library = await kedge.assistant.library();
    const before = await countsOf(kedge);
    assert.deepEqual([before.runs, before.sessions], [{ answered: 2 }, 1]);
    const { session } = await library.fork(kedge.session.id);
    await library.importLog(Buffer.from(kedge.session.events.map((event) => JSON.stringify(event)).join('\n')));
    assert.deepEqual(await countsOf(kedge), before);
    await session.prompt({ text: 'third', mode: 'ask' });
    const after = await countsOf(kedge);
    assert.deepEqual([after.runs, after.sessions], [{ answered: 3 }, 2]);
    library.remove(kedge.session.id);
    assert.deepEqual((await countsOf(kedge)).runs, { answered: 1 });
  });

  it('count a run that failed, and then went on to its end, as recovered', async () => {
    const broken = () => {
      throw new ModelError('invalid_request', 'The service is broken.');
    };
    await using kedge = await assistantOn({}, [broken, turn(say('Here.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual((await countsOf(kedge)).runs, { failed: 1 });
    await kedge.session.resume();
    const { runs, events } = await countsOf(kedge);
    assert.deepEqual([runs, events?.recovered], [{ answered: 1 }, 1]);
  });
});

describe('the rating of an answer', () => {
  it('is logged, replaced and removed, and counted', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))]);
    for (const text of ['first', 'second']) await kedge.session.prompt({ text, mode: 'ask' });
    const library = await kedge.assistant.library();
    const { id, state } = kedge.session;
    const [first = '', second = ''] = [...state.runs.keys()];
    await library.rate(id, first, 'up');
    await library.rate(id, second, 'down', '  The wrong file. ');
    await library.rate(id, second, 'down', 'The wrong file.');
    assert.equal(eventsOf(kedge.session.events, 'answer_rated').length, 2, 'the same rating is not logged again');
    assert.deepEqual((await countsOf(kedge)).ratings, { up: 1, down: 1 });
    const again = await kedge.reload();
    assert.deepEqual(runIn(again.session.readView(), second).rating, { rating: 'down', words: 'The wrong file.' });
    assert.equal(again.session.damage, undefined);
    const reloaded = await again.assistant.library();
    await reloaded.rate(id, second, 'up');
    await reloaded.rate(id, first, 'none');
    assert.deepEqual((await countsOf(again)).ratings, { up: 1 });
    assert.equal(runIn(again.session.readView(), first).rating, undefined);
    await assert.rejects(reloaded.rate(id, 'no such run', 'up'), /not in the session/);
  });
});
