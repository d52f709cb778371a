import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Session } from '../../../src/app/session/session.ts';
import { callsOf } from '../../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../../src/core/model/model.ts';
import type { AgentEvent, Mode } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import type { Writer } from '../../../src/workspace/types.ts';
import { wholeState } from '../../support/compared.ts';
import { assistantOn, type Harness, resultsOf } from '../../support/harness.ts';

const FILES = { 'log.txt': 'END\n', 'a.txt': 'a\n' };

const LIMITS = { turns: 5, callsPerRun: 3, callsPerTurn: 4 };

/** The kinds of calls in the script. `log` writes its own id into a file, so that a second execution would be visible. */
type Step = 'read' | 'log' | 'create' | 'delete' | 'wrong' | 'unknown' | 'malformed' | 'step' | 'outside';
type Answer = { steps: Step[]; stop?: 'max_tokens' };

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>('log') },
  { weight: 3, arbitrary: fc.constant<Step>('read') },
  { weight: 3, arbitrary: fc.constantFrom<Step>('create', 'delete', 'wrong', 'unknown', 'malformed', 'step', 'outside') },
);
const answer = fc.record(
  { steps: fc.array(step, { minLength: 1, maxLength: 4 }), stop: fc.constant('max_tokens' as const) },
  { requiredKeys: ['steps'] },
);
const limits = fc.record({
  turns: fc.integer({ min: 1, max: 5 }),
  callsPerRun: fc.integer({ min: 1, max: 8 }),
  callsPerTurn: fc.integer({ min: 1, max: 4 }),
});
/** Returns the user's answer to the n-th call. */
const verdicts = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });

function callOf(what: Step, id: string): ModelEvent {
  const part = (name: string, input: unknown): ModelEvent => ({ type: 'part', part: { type: 'tool_call', id, name, input } });
  switch (what) {
    case 'read':
      return part('read_file', { path: 'a.txt' });
    case 'log':
      return part('replace_in_file', { path: 'log.txt', edits: [{ old_text: 'END', new_text: `${id}\nEND` }] });
    case 'create':
      return part('create_file', { path: `new/${id}`, content: id });
    case 'delete':
      return part('delete_file', { path: 'a.txt' });
    case 'wrong':
      return part('replace_in_file', { path: 'log.txt', edits: [] });
    case 'unknown':
      return part('format_disk', { path: '/' });
    case 'malformed':
      return { type: 'part', part: { type: 'tool_call', id, name: 'read_file', malformed: '{"pa' } };
    case 'step':
      return part('update_step', { step: 1, status: 'done' });
    case 'outside':
      return part('create_file', { path: '../x', content: '' });
  }
}

/** A model whose answer depends only on the length of the history, so that a repeated request gets the same answer. */
function modelOf(script: readonly Answer[], requests: ModelRequest[] = []): ModelAdapter {
  return {
    async *stream(request) {
      requests.push({ ...request, messages: structuredClone(request.messages) as ModelRequest['messages'] });
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const { steps, stop } = script[turn] ?? { steps: [] };
      yield { type: 'text_delta', text: `Turn ${turn}` };
      yield { type: 'part', part: { type: 'text', text: `Turn ${turn}.` } };
      for (const [index, what] of steps.entries()) yield callOf(what, `<${turn}.${index}>`);
      yield { type: 'usage', usage: { input: 10, output: 1 } };
      yield { type: 'stop', reason: stop ?? (steps.length ? 'tool_use' : 'end_turn') };
    },
  };
}

function answering(session: Session, yes: readonly boolean[]): void {
  session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, verdict(event.callId, yes));
  });
}

function verdict(callId: string, yes: readonly boolean[]) {
  const nth = Number(/\d+>/.exec(callId)?.[0].slice(0, -1) ?? 0);
  return yes[nth % yes.length] ? ({ approve: true } as const) : ({ approve: false, words: 'no' } as const);
}

/** Answers all questions and resumes the run until it is finished. */
async function carryOn(session: Session, yes: readonly boolean[]): Promise<void> {
  answering(session, yes);
  for (let round = 0; round < 50; round++) {
    const [pending] = session.state.pendingApprovals.values();
    if (pending) await session.answerApproval(pending.approvalId, verdict(pending.callId, yes));
    else if (session.state.lastRun === undefined) await session.prompt({ text: 'go', mode: 'agent' });
    else if (session.state.lastRun.status !== 'finished') await session.resume();
    else return;
  }
  assert.fail('the run does not come to an end');
}

/** Every wire requires that each call has exactly one result, in the message after it and in the order of the calls. */
function expectValidHistory({ state }: Session): void {
  const messages = state.messages.slice();
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.content.map(({ callId }) => callId) : [];
    assert.deepEqual(
      results,
      callsOf(message).map(({ id }) => id),
    );
    if (message.role === 'tool') assert.ok(callsOf(messages[index - 1]).length > 0);
  }
}

async function expectNothingTwice(kedge: Harness, session: Session): Promise<void> {
  const log = await kedge.read('log.txt');
  for (const { callId, name, isError, content } of resultsOf(session)) {
    if (name !== 'replace_in_file') continue;
    const times = log.split(callId).length - 1;
    const [part] = content;
    if (!isError) assert.equal(times, 1, `${callId} says it was done`);
    else if (part?.type === 'text' && part.text.startsWith('This call was interrupted')) assert.ok(times <= 1, `${callId} was done twice`);
    else assert.equal(times, 0, `${callId} says it was not done`);
  }
}

const asLogged = (events: readonly AgentEvent[]): AgentEvent[] => JSON.parse(JSON.stringify(events));

describe('the log alone determines the state of a session', () => {
  it('the state computed from any log is the live state', async () => {
    const happening = fc.record({
      script: fc.array(answer, { maxLength: 4 }),
      mode: fc.constantFrom<Mode>('ask', 'plan', 'agent'),
      second: fc.constantFrom<Mode | undefined>('ask', 'agent', undefined),
      yes: verdicts,
      limits,
      stopAt: fc.integer({ min: 1, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(happening, async ({ script, mode, second, yes, limits, stopAt }) => {
        await using kedge = await assistantOn(FILES, [], { adapter: modelOf(script), limits });
        const { session } = kedge;
        answering(session, yes);
        session.subscribe(({ seq }) => {
          if (seq === stopAt) void session.stop();
        });
        await session.prompt({ text: 'go', mode });
        if (second) await session.prompt({ text: 'go on', mode: second });
        else if (session.state.lastRun?.status === 'paused') await session.resume();

        const logged = await kedge.store.load(session.id);
        assert.deepEqual(logged, asLogged(session.events.slice()));
        assert.deepEqual(wholeState(foldSession(logged ?? [])), wholeState(session.state));
        assert.deepEqual(
          session.events.map(({ seq }) => seq),
          session.events.map((_, index) => index + 1),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('after any event, a run continues, repeats nothing, and ends with a valid history', async () => {
    const happening = fc.record({ script: fc.array(answer, { minLength: 1, maxLength: 3 }), yes: verdicts, limits });
    await fc.assert(
      fc.asyncProperty(happening, fc.boolean(), async ({ script, yes, limits }, landed) => {
        for (let cut = 1; ; cut++) {
          let dead = false;
          const dying = (real: Writer): Writer => ({
            commit: (changes) => (dead && !landed ? new Promise(() => {}) : real.commit(changes)),
          });
          const requests: ModelRequest[] = [];
          await using kedge = await assistantOn(FILES, [], { adapter: modelOf(script, requests), limits, writer: dying });
          const died = new Promise<void>((resolve) => {
            kedge.session.subscribe(({ seq }) => {
              if (seq < cut || dead) return;
              dead = true;
              kedge.assistant.close();
              resolve();
            });
          });
          // The program ends after the event was written to disk. A write that it had begun may or may not be completed.
          const life = carryOn(kedge.session, yes).catch(() => undefined);
          await Promise.race([life, died]);
          if (!dead) break;
          await new Promise((resolve) => setTimeout(resolve, landed ? 15 : 0));

          const next = await kedge.reload();
          dead = false;
          await carryOn(next.session, yes);
          assert.equal(next.session.state.lastRun?.outcome, 'answered');
          expectValidHistory(next.session);
          await expectNothingTwice(kedge, next.session);
          for (const [index, { messages }] of requests.entries()) {
            const before = requests[index - 1]?.messages ?? [];
            assert.deepEqual(messages.slice(0, before.length), before);
          }
        }
      }),
      {
        numRuns: 4,
        examples: [true, false].map((landed) => [
          { script: [{ steps: ['log', 'read', 'log'] }, { steps: ['read', 'create'] }], yes: [true, true, true, false], limits: LIMITS },
          landed,
        ]),
      },
    );
  });
});
