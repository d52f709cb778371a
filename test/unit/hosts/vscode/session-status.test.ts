import assert from 'node:assert/strict';
import { ModelError } from '../../../../src/core/model/model.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { type SessionStatus, statusOf } from '../../../../src/hosts/vscode/attention/session-status.ts';
import { type TourStep, tourStepOf } from '../../../../src/hosts/vscode/attention/tour.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { LoggedEvents } from '../../../../src/sessions/event-list.ts';
import { assistantOn, type Harness } from '../../../support/harness.ts';
import { eventsOf } from '../../../support/long-log.ts';

const EDIT = call('replace_in_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] });

describe('what a session is doing', () => {
  /** The kinds and texts in their order, each once in a row, and the steps of the tour. */
  function followed(kedge: Harness): { statuses: string[]; steps: TourStep[] } {
    const statuses: string[] = [];
    const steps: TourStep[] = [];
    kedge.assistant.watch((session, event) => {
      const status = statusOf(session);
      const text = textOf(status);
      if (statuses.at(-1) !== text) statuses.push(text);
      const step = tourStepOf(session, event);
      if (step) steps.push(step);
    });
    return { statuses, steps };
  }
  const textOf = (status: SessionStatus) => (status.kind === 'idle' ? 'idle' : `${status.kind}: ${status.text}`);

  it('is nothing in a new session, and the end of an answer', async () => {
    await using kedge = await assistantOn({}, [turn(say('Ahoy.'))]);
    assert.deepEqual(statusOf(kedge.session), { kind: 'idle' });
    const { statuses, steps } = followed(kedge);
    await kedge.session.prompt({ text: 'hello', mode: 'ask' });
    assert.deepEqual(statuses, ['running: Thinking', 'done: The run is done.']);
    assert.deepEqual(steps.at(-1), 'ask');
  });

  it('is the question of an approval, and the call that is carried out', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\n' }, [turn(EDIT), turn(say('Done.'))]);
    const { statuses, steps } = followed(kedge);
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    await kedge.session.prompt({ text: 'change it', mode: 'agent' });
    assert.ok(statuses.includes('waiting: Edit a.txt?'), statuses.join('\n'));
    assert.ok(statuses.includes('running: Edit a.txt'), statuses.join('\n'));
    assert.equal(statuses.at(-1), 'done: The run is done.');
    assert.ok(steps.includes('agent'));
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    assert.equal(steps.at(-1), 'undo');
  });

  it('is a wait at a limit, and nothing after it was stopped', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\n' }, [turn(call('read_file', { path: 'a.txt' })), turn(say('So far.'))], {
      limits: { turns: 1 },
    });
    await kedge.session.prompt({ text: 'look', mode: 'ask' });
    assert.deepEqual(statusOf(kedge.session), { kind: 'waiting', text: 'The run paused at a limit. You can continue it.' });
    await kedge.session.stop();
    assert.deepEqual(statusOf(kedge.session), { kind: 'idle' });
  });

  it('is a failure, with its reason', async () => {
    const adapter = {
      // biome-ignore lint/correctness/useYield: it fails before it yields.
      async *stream() {
        throw new ModelError('auth', 'There is no key.');
      },
    };
    await using kedge = await assistantOn({}, [], { adapter });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(statusOf(kedge.session), { kind: 'failed', text: 'There is no key.' });
  });
});

describe('the status of a session for one more event', () => {
  /** A session whose run has made many calls, of which the last is running. `log` counts the events that are read from it. */
  function longRun(count: number) {
    const all = eventsOf(1, count, 1).slice(0, -3);
    const log = {
      reads: 0,
      read(offset: number) {
        log.reads++;
        return all[offset];
      },
      endReading: () => undefined,
      distrust: () => undefined,
    };
    const events = new LoggedEvents(log);
    for (const [index, event] of all.entries()) events.add(event, index);
    return { log, session: { state: foldSession(all), events, running: true, waiting: undefined } };
  }

  it('needs only events of the current turn', () => {
    for (const [count, path] of [
      [10, 'src/tide-1.ts'],
      [6_004, 'src/tide-1999.ts'],
    ] as const) {
      const { log, session } = longRun(count);
      assert.deepEqual(statusOf(session), { kind: 'running', text: `Read ${path}` });
      assert.equal(log.reads, 1);
    }
  });
});
