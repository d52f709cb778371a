import assert from 'node:assert/strict';
import type { ModelAdapter, ModelEvent } from '../../../src/core/model/model.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { withoutLongTimers } from '../../support/clock.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

/** A source that ignores the abort signal and never ends. */
function deaf(...events: ModelEvent[]): ModelAdapter {
  return {
    stream: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => (events.length ? Promise.resolve({ value: events.shift() as ModelEvent, done: false }) : new Promise(() => {})),
        return: () => new Promise(() => {}),
      }),
    }),
  };
}

async function stopsAtOnce({ session, events }: Harness, longMs?: number): Promise<void> {
  await withoutLongTimers(() => session.stop(), longMs);
  assert.equal(lastOf(events, 'run_finished').outcome, 'stopped');
  assert.equal(session.running, false);
}

describe('stop ends the run immediately', () => {
  it('while an answer is streamed, even if the model ignores the signal; the text so far is kept', async () => {
    await using kedge = await assistantOn({}, [], { adapter: deaf({ type: 'text_delta', text: 'I was just ' }) });
    const delta = nextEvent(kedge.session, 'text_delta');
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await delta;
    await stopsAtOnce(kedge);
    await ended;
    assert.deepEqual(kedge.session.state.messages.at(-1)?.content, [{ type: 'text', text: 'I was just ' }]);
  });

  it('and keeps complete parts and the incomplete one', async () => {
    await using kedge = await assistantOn({}, [hang(say('One.'), call('read_file', { path: 'x' }), { type: 'text_delta', text: 'Tw' })]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await nextEvent(kedge.session, 'text_delta');
    await nextEvent(kedge.session, 'text_delta');
    await stopsAtOnce(kedge);
    await ended;
    assert.deepEqual(kedge.session.state.messages.at(-1)?.content, [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Tw' },
    ]);
  });

  it('before anything was received: then nothing is kept', async () => {
    await using kedge = await assistantOn({}, [], { adapter: deaf() });
    const began = nextEvent(kedge.session, 'turn_started');
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await began;
    await stopsAtOnce(kedge);
    await ended;
    assert.deepEqual(
      kedge.session.state.messages.map(({ role }) => role),
      ['user'],
    );
  });

  it('before the model is even connected', async () => {
    await using kedge = await assistantOn({}, [], { connect: () => new Promise(() => {}) });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await stopsAtOnce(kedge);
    await ended;
  });

  it('while a tool hangs', async () => {
    class HungDisk extends NodeFileSystem {
      override read(): Promise<never> {
        return new Promise(() => {});
      }
    }
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(call('read_file', { path: 'a.txt' })), turn(say('Never mind.'))], {
      fileSystem: (roots) => new HungDisk(roots),
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await nextEvent(kedge.session, 'tool_started');
    await stopsAtOnce(kedge);
    await ended;
    await kedge.session.prompt({ text: 'well?', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR Not executed: the run was stopped before this call. Call the tool again if you still need it.',
    ]);
  });

  it('while a search hangs', async () => {
    class HungDisk extends NodeFileSystem {
      override async *search(): AsyncGenerator<never> {
        await new Promise(() => {});
      }
    }
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(call('search_text', { pattern: 'a' }))], {
      fileSystem: (roots) => new HungDisk(roots),
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await nextEvent(kedge.session, 'tool_started');
    await stopsAtOnce(kedge);
    await ended;
  });

  it('while it waits for an answer, and withdraws the question', async () => {
    await using kedge = await assistantOn({}, [turn(call('ask_user', { question: 'Why?' }))]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await nextEvent(kedge.session, 'question_asked');
    await stopsAtOnce(kedge);
    await ended;
    assert.equal(kedge.session.state.pendingQuestions.size, 0);
  });

  it('and what was written before can be undone', async () => {
    const create = turn(call('create_file', { path: 'new.txt', content: 'new' }));
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [create, hang(say('And now'))]);
    answerAll(kedge.session, { approve: true });
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await nextEvent(kedge.session, 'file_changed');
    await nextEvent(kedge.session, 'text_delta');
    await stopsAtOnce(kedge);
    await ended;
    assert.equal(await kedge.read('new.txt'), 'new');
    const { runId } = lastOf(kedge.events, 'run_finished');
    await kedge.session.changes.undo(runId);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/a.txt']);
  });

  it('while the preparation of a call hangs', async () => {
    class HungDisk extends NodeFileSystem {
      override canonical(): Promise<never> {
        return new Promise(() => {});
      }
    }
    await using kedge = await assistantOn({}, [turn(call('read_file', { path: 'a.txt' }))], {
      fileSystem: (roots) => new HungDisk(roots),
    });
    const said = nextEvent(kedge.session, 'message_added').then(() => nextEvent(kedge.session, 'message_added'));
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await said;
    await stopsAtOnce(kedge);
    await ended;
  });

  it('while it waits for an approval, and withdraws the request', async () => {
    await using kedge = await assistantOn({}, [turn(call('create_file', { path: 'new.txt', content: '' }))]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await nextEvent(kedge.session, 'approval_requested');
    await stopsAtOnce(kedge);
    await ended;
    await assert.rejects(kedge.session.answerApproval(approvalId, { approve: true }), /already been answered/);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/']);
  });

  it('while a write hangs: the log says that it may have taken effect', async () => {
    await using kedge = await assistantOn({}, [turn(call('create_file', { path: 'new.txt', content: '' })), turn(say('I see.'))], {
      writer: () => ({ commit: () => new Promise(() => {}) }),
    });
    answerAll(kedge.session, { approve: true });
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await nextEvent(kedge.session, 'changes_staged');
    await stopsAtOnce(kedge);
    await ended;
    await kedge.session.prompt({ text: 'well?', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR This call was interrupted and may have taken effect. Check its effect before you continue.',
    ]);
  });

  it('but lets a fast write finish, and logs its result', async () => {
    await using kedge = await assistantOn(
      {},
      [turn(call('create_file', { path: 'one.txt', content: '1' }), call('create_file', { path: 'two.txt', content: '2' }))],
      { writer: (real) => ({ commit: (changes) => new Promise((done) => setTimeout(done, 30)).then(() => real.commit(changes)) }) },
    );
    answerAll(kedge.session, { approve: true, grant: 'run' });
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await nextEvent(kedge.session, 'changes_staged');
    // The grace period for a write must not end here, however slow this computer is.
    await stopsAtOnce(kedge, 50);
    await ended;
    assert.equal(eventsOf(kedge.events, 'file_changed').length, 1);
    assert.equal(eventsOf(kedge.events, 'tool_finished').length, 1);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/one.txt']);
  });

  it('and a write that has not begun never begins', async () => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    class HeldDisk extends NodeFileSystem {
      held = false;
      override async canonical(...at: Parameters<NodeFileSystem['canonical']>) {
        if (this.held) {
          reached.resolve();
          await released.promise;
        }
        return super.canonical(...at);
      }
    }
    let disk: HeldDisk | undefined;
    const create = (path: string) => turn(call('create_file', { path, content: '' }));
    await using kedge = await assistantOn({}, [create('new.txt'), create('next.txt'), turn(say('Done.'))], {
      fileSystem: (roots) => (disk = new HeldDisk(roots)),
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await nextEvent(kedge.session, 'approval_requested');
    if (disk) disk.held = true;
    await kedge.session.answerApproval(approvalId, { approve: true });
    await reached.promise;
    await stopsAtOnce(kedge);
    await ended;
    released.resolve();
    // Writes run one after another, so this write has ended when the next one is complete.
    const next = await kedge.assistant.newSession();
    answerAll(next, { approve: true });
    await next.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(kedge.events, 'changes_staged'), []);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/next.txt']);
  });

  it('from within a listener, on the first event of the run', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    kedge.session.subscribe((event) => {
      if (event.type === 'run_started') void kedge.session.stop();
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.equal(eventsOf(kedge.events, 'run_finished').length, 1);
    assert.equal(kedge.adapter.requests.length, 0);
  });

  it('from within a listener, on the question itself', async () => {
    await using kedge = await assistantOn({}, [turn(call('create_file', { path: 'new.txt', content: '' }))]);
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.stop();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
  });

  it('and a paused run, permanently', async () => {
    await using kedge = await assistantOn({}, [turn(call('list_directory', {}))], { limits: { turns: 1 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await stopsAtOnce(kedge);
    await assert.rejects(kedge.session.resume(), /no paused run/);
    await kedge.session.stop();
    assert.equal(eventsOf(kedge.events, 'run_finished').length, 1);
  });
});

describe('a session does one thing at a time', () => {
  it('and refuses another prompt, plan or undo while a run is live', async () => {
    await using kedge = await assistantOn({}, [hang(say('Thinking'))]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(kedge.session.running, true);
    for (const attempt of [
      () => kedge.session.prompt({ text: 'again', mode: 'ask' }),
      () => kedge.session.resume(),
      () => kedge.session.plans.answer('p', 'run'),
      () => kedge.session.changes.undo('r'),
    ]) {
      await assert.rejects(attempt, /A run is in progress in this session/);
    }
    await kedge.session.stop();
    await ended;
  });

  it('is running from its first event to its last', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    const seen: boolean[] = [];
    kedge.session.subscribe(() => seen.push(kedge.session.running));
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(seen, [true, true, true, true, true, false]);
  });
});
