import assert from 'node:assert/strict';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import { ModelError } from '../../../src/core/model/model.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import type { FileBytes, Location } from '../../../src/workspace/types.ts';
import { answerAll, assistantOn, eventsOf, lastOf, resultsOf, resultTexts } from '../../support/harness.ts';

const read = (path: string, id = '') => call('read_file', { path }, id);
const usage = (tokens: object): ModelEvent => ({ type: 'usage', usage: tokens });
const stop = (reason: 'max_tokens' | 'refusal' | 'other'): ModelEvent => ({ type: 'stop', reason });

/** A disk whose reads take as long as the test wants. It counts parallel reads. */
class SlowDisk extends NodeFileSystem {
  static delays: Record<string, number> = {};
  reading = 0;
  most = 0;
  override async read(at: Location): Promise<FileBytes> {
    this.most = Math.max(this.most, ++this.reading);
    await new Promise((resolve) => setTimeout(resolve, SlowDisk.delays[at.path] ?? 0));
    this.reading--;
    return super.read(at);
  }
}

describe('the loop', () => {
  it('ends with an answer without a tool call', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'hi', mode: 'ask' });
    assert.deepEqual(
      kedge.events.map(({ type }) => type),
      ['run_started', 'message_added', 'turn_started', 'text_delta', 'message_added', 'run_finished'],
    );
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('sends tool results to the model until it answers', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, [
      turn(read('a.txt')),
      turn(read('b.txt')),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'read', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), ['1\tone', '1\ttwo']);
    assert.deepEqual(
      kedge.adapter.requests.map(({ messages }) => messages.map(({ role }) => role).join(' ')),
      ['user', 'user assistant tool', 'user assistant tool assistant tool'],
    );
  });

  it('runs read-only calls in parallel, and keeps their results in the order of the calls', async () => {
    SlowDisk.delays = { 'slow.txt': 60, 'middle.txt': 30 };
    let disk: SlowDisk | undefined;
    await using kedge = await assistantOn(
      { 'slow.txt': 'slow', 'middle.txt': 'middle', 'quick.txt': 'quick' },
      [turn(read('slow.txt', 's'), read('middle.txt', 'm'), read('quick.txt', 'q')), turn(say('Done.'))],
      { fileSystem: (roots) => (disk = new SlowDisk(roots)) },
    );
    await kedge.session.prompt({ text: 'read', mode: 'ask' });
    assert.equal(disk?.most, 3);
    assert.deepEqual(
      eventsOf(kedge.events, 'tool_finished').map(({ callId }) => callId),
      ['q', 'm', 's'],
    );
    assert.deepEqual(
      resultsOf(kedge.session).map(({ callId }) => callId),
      ['s', 'm', 'q'],
    );
    assert.deepEqual(kedge.adapter.requests[1]?.messages.at(-1)?.content, resultsOf(kedge.session));
  });

  it('runs a call that changes something alone, after all calls before it', async () => {
    SlowDisk.delays = { 'a.txt': 20 };
    await using kedge = await assistantOn(
      { 'a.txt': '0' },
      [
        turn(
          read('a.txt', 'before'),
          call('replace_in_file', { path: 'a.txt', edits: [{ old_text: '0', new_text: '1' }] }, 'first'),
          call('replace_in_file', { path: 'a.txt', edits: [{ old_text: '1', new_text: '2' }] }, 'second'),
          read('a.txt', 'after'),
          call('create_file', { path: 'b.txt', content: 'b' }, 'third'),
        ),
        turn(say('Done.')),
      ],
      { fileSystem: (roots) => new SlowDisk(roots) },
    );
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'count', mode: 'agent' });
    assert.deepEqual(resultTexts(kedge.session), [
      '1\t0',
      'Replaced 1 passage in a.txt.',
      'Replaced 1 passage in a.txt.',
      '1\t2',
      'Created b.txt with 1 line.',
    ]);
    const steps = kedge.events.filter(({ type }) => type === 'tool_started' || type === 'tool_finished');
    assert.deepEqual(
      steps.map((event) => `${event.type.slice(5)} ${(event as { callId: string }).callId}`),
      ['before', 'first', 'second', 'after', 'third'].flatMap((id) => [`started ${id}`, `finished ${id}`]),
    );
  });

  it('adds up known usage, and leaves unknown usage undefined', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [
      turn(read('a.txt'), usage({ input: 10, output: 2 })),
      turn(read('a.txt')),
      turn(say('Done.'), usage({ input: 7, cached: 5 })),
    ]);
    await kedge.session.prompt({ text: 'read', mode: 'ask' });
    assert.deepEqual(lastOf(kedge.events, 'run_finished').usage, { input: 17, output: 2, cached: 5 });
  });

  it('makes each request an extension of the one before, also after a reload', async () => {
    const script = [
      turn(say('Looking.'), read('a.txt'), read('none.txt')),
      turn(call('search_text', { pattern: 'a' }), call('no_such_tool', { x: 1 })),
      turn(say('That was the first.')),
      turn({ type: 'part', part: { type: 'reasoning', text: 'Hm.', replay: { id: 'r1' } } }, read('a.txt')),
      turn(say('That was the second.')),
    ];
    await using kedge = await assistantOn({ 'a.txt': 'a' }, script);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const again = await kedge.reload();
    await again.session.prompt({ text: 'two', mode: 'ask' });
    const { requests } = kedge.adapter;
    assert.equal(requests.length, 5);
    for (const [index, request] of requests.entries()) {
      const previous = requests[index - 1];
      if (!previous) continue;
      assert.deepEqual(request.messages.slice(0, previous.messages.length), previous.messages);
      assert.ok(request.messages.length > previous.messages.length);
      assert.deepEqual({ ...request, messages: [] }, { ...previous, messages: [] });
      assert.equal(JSON.stringify(request.messages).startsWith(JSON.stringify(previous.messages).slice(0, -1)), true);
    }
  });
});

describe('a mistake of the model becomes an error result that it can correct', () => {
  async function resultOf(...events: Parameters<typeof turn>): Promise<string> {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(...events), turn(say('I see.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    return resultTexts(kedge.session).join('\n---\n');
  }

  it('arguments that do not fit the schema', async () => {
    assert.equal(
      await resultOf(call('read_file', { path: 7 })),
      'ERROR The arguments of read_file do not fit its schema:\n✖ Invalid input: expected string, received number\n  → at path\nCorrect them and call the tool again.',
    );
    assert.match(await resultOf(call('read_file', null)), /^ERROR The arguments of read_file do not fit/);
  });

  it('no arguments at all', async () => {
    assert.match(await resultOf(call('read_file', undefined)), /^ERROR The arguments of read_file do not fit/);
    assert.equal(await resultOf(call('list_directory', undefined)), 'a.txt');
  });

  it('an unknown tool', async () => {
    assert.equal(await resultOf(call('rm_rf', {})), 'ERROR There is no tool rm_rf in Ask mode.');
    assert.equal(await resultOf(call('__proto__', {})), 'ERROR There is no tool __proto__ in Ask mode.');
  });

  it('JSON that does not parse', async () => {
    const part = { type: 'tool_call', id: 'm', name: 'read_file', malformed: '{"path": "a' } as const;
    assert.equal(await resultOf({ type: 'part', part }), 'ERROR The arguments are not valid JSON. Send them again as one JSON object.');
  });

  it('a call with another problem', async () => {
    const part = { type: 'tool_call', id: 'm', name: 'list_directory', malformed: '{}', problem: 'Not executed: it was quoted.' } as const;
    assert.equal(await resultOf({ type: 'part', part }), 'ERROR Not executed: it was quoted.');
  });

  it('a tool that fails because of its arguments', async () => {
    assert.equal(await resultOf(read('none.txt')), 'ERROR There is no file none.txt. Use find_files to look for it.');
  });

  it('a tool that fails with an internal error', async () => {
    class BrokenDisk extends NodeFileSystem {
      override async read(): Promise<never> {
        throw new Error('EIO: the disk is broken');
      }
    }
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(read('a.txt')), turn(say('Oh.'))], {
      fileSystem: (roots) => new BrokenDisk(roots),
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), ['ERROR The tool failed: EIO: the disk is broken. Try again, or use another tool.']);
  });

  it('empty and duplicate ids: each call gets a unique one', async () => {
    const bare = (path: string, id: string) => ({
      type: 'part' as const,
      part: { type: 'tool_call' as const, id, name: 'read_file', input: { path } },
    });
    await using kedge = await assistantOn({ 'a.txt': 'a', 'b.txt': 'b' }, [
      [bare('a.txt', ''), bare('b.txt', ''), bare('a.txt', 'x'), bare('b.txt', 'x'), { type: 'stop', reason: 'tool_use' }],
      [bare('b.txt', 'x'), bare('a.txt', ''), { type: 'stop', reason: 'tool_use' }],
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const results = resultsOf(kedge.session);
    assert.equal(new Set(results.map(({ callId }) => callId)).size, 6);
    assert.deepEqual(resultTexts(kedge.session), ['1\ta', '1\tb', '1\ta', '1\tb', '1\tb', '1\ta']);
  });
});

describe('an incomplete answer', () => {
  const create = call('create_file', { path: 'new.txt', content: 'half' });

  it('never executes a call at the output limit: the run pauses, and continues when it is resumed', async () => {
    await using kedge = await assistantOn({}, [[...say('I begin'), ...create, stop('max_tokens')], turn(say('and end.'))]);
    answerAll(kedge.session, { approve: true, grant: 'session' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'max_tokens');
    assert.deepEqual(eventsOf(kedge.events, 'tool_started'), []);
    await kedge.session.resume();
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/']);
    const [, request] = kedge.adapter.requests;
    assert.deepEqual(
      request?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('can be continued even when only half a call was received', async () => {
    await using kedge = await assistantOn({}, [[...create, stop('max_tokens')], turn(say('Again, shorter.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.resume();
    assert.deepEqual(
      kedge.adapter.requests[1]?.messages.map(({ role }) => role),
      ['user', 'user'],
    );
  });

  it('never executes a call of a refusal', async () => {
    await using kedge = await assistantOn({}, [[...say('I will not.'), ...create, stop('refusal')]]);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'refused');
    assert.deepEqual(eventsOf(kedge.events, 'tool_started'), []);
  });

  it('is a failure when the stream ends without a stop; its text is kept', async () => {
    await using kedge = await assistantOn({}, [[{ type: 'text_delta', text: 'Half a sen' }], turn(say('Whole.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, error?.kind], ['failed', 'bad_stream']);
    assert.deepEqual(kedge.session.state.messages.at(-1), {
      role: 'assistant',
      content: [{ type: 'text', text: 'Half a sen' }],
      from: { provider: 'scripted', model: 'scripted' },
      stop: 'aborted',
    });
  });
});

describe('a model that fails', () => {
  const failing = () => {
    throw new ModelError('rate_limit', 'Too many requests. Wait a minute.');
  };

  it('ends the run with the reason, and the session can continue', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [failing, turn(say('Back again.'))]);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.equal(outcome, 'failed');
    assert.deepEqual(error, { kind: 'rate_limit', message: 'Too many requests. Wait a minute.' });
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('can be retried from the same state', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(read('a.txt')), failing, turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    await kedge.session.resume();
    const [, second, third] = kedge.adapter.requests;
    assert.deepEqual(third?.messages, second?.messages);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    await assert.rejects(kedge.session.resume(), /no paused run/);
  });

  it('reports connection problems by the kind of the error', async () => {
    const connect = async () => {
      throw new ModelError('auth', 'There is no key.');
    };
    await using kedge = await assistantOn({}, [], { connect });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(lastOf(kedge.events, 'run_finished').error, { kind: 'auth', message: 'There is no key.' });
  });
});

describe('a session with a call without a result', () => {
  it('continues: the call counts as not executed', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(read('a.txt', 'lost')), turn(say('Never mind.'))], {
      limits: { callsPerRun: 0 },
    });
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'limit');
    await kedge.session.prompt({ text: 'something else', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR Not executed: the run was stopped before this call. Call the tool again if you still need it.',
    ]);
    assert.deepEqual(
      kedge.adapter.requests[1]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
  });
});
