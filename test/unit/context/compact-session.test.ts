/** Tests compactions together with stops, messages, limits and pauses of a session. */
import assert from 'node:assert/strict';
import { sentMessages } from '../../../src/core/session/reduce.ts';
import { call, hang, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness, lastOf, nextEvent } from '../../support/harness.ts';

const LONG = `${'a long line of the log of the ship\n'.repeat(300)}`;
const files = { 'a.txt': LONG, 'b.txt': LONG };
const usage = (input: number) => ({ type: 'usage', usage: { input, output: 10 } }) as const;
const reads = (count: number): ScriptedTurn[] =>
  Array.from({ length: count }, (_, index) => turn(call('read_file', { path: 'a.txt', from_line: index + 1 })));
const talk = [...reads(3), turn(say('Read.'), usage(5_000))];

async function talked(script: readonly ScriptedTurn[], options: Parameters<typeof assistantOn>[2] = {}): Promise<Harness> {
  const kedge = await assistantOn(files, [...talk, ...script], options);
  await kedge.session.prompt({ text: 'Read the log.', mode: 'ask' });
  return kedge;
}

describe('a compaction between runs', () => {
  it('can be stopped, which counts its usage and changes nothing else', async () => {
    let received = () => {};
    const isReceived = new Promise<void>((resolve) => {
      received = resolve;
    });
    const endless: ScriptedTurn = async function* (_request, signal) {
      yield* say('So');
      yield usage(1_000);
      received();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    };
    await using kedge = await talked([endless]);
    const { session } = kedge;
    const before = [...sentMessages(session.state)];
    const compacting = session.compact();
    await isReceived;
    assert.equal(session.running, true);
    await session.stop();
    await compacting;
    assert.equal(session.running, false);
    assert.equal(eventsOf(kedge.events, 'context_compacted').length, 0);
    assert.deepEqual(sentMessages(session.state), before);
    assert.equal(session.state.usage.input, 6_000);
    assert.equal(session.readView().runs.at(-1)?.compacting, undefined);
  });

  it('accepts a message in the meantime, and sends it afterwards', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: ScriptedTurn = async function* () {
      await gate;
      yield* say('Goal: read.');
      yield { type: 'stop', reason: 'end_turn' };
    };
    await using kedge = await talked([slow, turn(say('It is full.'))]);
    const { session } = kedge;
    const begun = nextEvent(session, 'context_compacting');
    const compacting = session.compact();
    await begun;
    await session.say({ text: 'Is the hold full?', mode: 'ask' });
    release();
    await compacting;
    assert.equal(session.state.lastRun?.prompt, 'Is the hold full?');
    assert.equal(session.state.lastRun?.outcome, 'answered');
  });

  it('leaves a paused run paused when it is stopped', async () => {
    await using kedge = await talked([...reads(3), hang(say('So'))], { limits: { turns: 3 } });
    const { session } = kedge;
    assert.equal(session.state.lastRun?.status, 'paused');
    const begun = nextEvent(session, 'context_compacting');
    const compacting = session.compact();
    await begun;
    await session.stop();
    await compacting;
    assert.equal(session.state.lastRun?.status, 'paused');
  });

  it('is part of the cost that hosts show', async () => {
    const price = { input: 1, output: 1 };
    await using kedge = await talked([turn(say('Goal: read.'), usage(1_000_000))], { facts: () => ({ prices: price }) });
    const { session } = kedge;
    await session.compact();
    const { finished } = session.readView().runs.at(-1) ?? {};
    assert.equal(finished?.usage.input, session.state.lastRun?.usage.input);
    assert.equal(finished?.cost?.usd, session.state.lastRun?.cost.usd);
  });
});

describe('a compaction that the user requests during the last turn of a run', () => {
  it('happens after the run', async () => {
    await using kedge = await assistantOn(files, [
      ...reads(3),
      () => {
        void kedge.session.compact('the colours');
        return [...say('Read.'), { type: 'stop', reason: 'end_turn' }];
      },
      turn(say('Goal: read.')),
    ]);
    await kedge.session.prompt({ text: 'Read the log.', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'context_compacted').reason, 'user');
  });
});

describe('a summary during a run', () => {
  const facts = () => ({ contextWindow: 12_000 });
  const isForSummary = (text: string) => text.includes('is about to be compacted');
  /** Reads files until the conversation is compacted. `summary` answers the request for a summary. */
  const reader = (summary: ScriptedTurn): ScriptedTurn[] =>
    Array.from(
      { length: 60 },
      (_, index): ScriptedTurn =>
        (request, signal) => {
          if (isForSummary(JSON.stringify(request.messages.at(-1))))
            return typeof summary === 'function' ? summary(request, signal) : summary;
          const next =
            request.messages.length > 100 ? turn(say('Done.')) : turn(call('read_file', { path: 'b.txt', from_line: index + 1 }));
          return typeof next === 'function' ? next(request, signal) : next;
        },
    );

  it('ends at the limits of the run', async () => {
    await using kedge = await assistantOn(files, reader(hang(say('So'))), { facts, limits: { minutes: 0.03 } });
    await kedge.session.prompt({ text: 'Read the log.', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'limit');
    assert.equal(kedge.session.readView().runs.at(-1)?.compacting, undefined);
  });

  it('that fails in any way is replaced by rules', async () => {
    const broken: ScriptedTurn = () => {
      throw new TypeError('boom');
    };
    await using kedge = await assistantOn(files, reader(broken), { facts, limits: { turns: 25 } });
    await kedge.session.prompt({ text: 'Read the log.', mode: 'ask' });
    assert.ok(eventsOf(kedge.events, 'context_compacted').some(({ by, keepFrom }) => by === 'rules' && keepFrom > 0));
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'limit');
  });
});

describe('after a compaction', () => {
  it('the user’s answers and rejections are still sent word for word', async () => {
    await using kedge = await assistantOn(
      { 'a.txt': LONG },
      [turn(call('ask_user', { question: 'Which port?' })), ...reads(4), turn(say('Read.')), turn(say('Goal.')), turn(say('Yes.'))],
      {},
    );
    const { session } = kedge;
    session.subscribe((event) => {
      if (event.type === 'question_asked') void session.answerQuestion(event.questionId, { words: '4711, never 8080' });
    });
    await session.prompt({ text: 'Read the log.', mode: 'ask' });
    await session.compact();
    await session.prompt({ text: 'Again.', mode: 'ask' });
    assert.match(JSON.stringify(kedge.adapter.requests.at(-1)?.messages[0]), /Which port\?.*4711, never 8080/);
  });

  it('no text ends with half a character', async () => {
    await using kedge = await talked([turn(say('😀'.repeat(60_000))), turn(say('Yes.'))]);
    await kedge.session.compact();
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    const sent = kedge.adapter.requests.at(-1)?.messages ?? [];
    assert.ok(sent.every((message) => message.content.every((part) => !('text' in part) || part.text.isWellFormed())));
  });
});

describe('many results in one answer', () => {
  it('fit into a small window', async () => {
    const all = turn(...Array.from({ length: 16 }, (_, index) => call('read_file', { path: 'a.txt', from_line: index + 1 })));
    await using kedge = await assistantOn(files, [all, turn(say('Read.'))], { facts: () => ({ contextWindow: 4_096 }) });
    await kedge.session.prompt({ text: 'Read the log.', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const { context } = lastOf(kedge.events, 'turn_started');
    const total = Object.values(context?.tokens ?? {}).reduce((sum, tokens) => sum + tokens, 0);
    assert.ok(total <= (context?.limit ?? 0), `${total} tokens, and the limit is ${context?.limit}`);
  });
});
