import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Session } from '../../../src/app/session/session.ts';
import { callsOf, textOf } from '../../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent } from '../../../src/core/model/model.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { wholeState } from '../../support/compared.ts';
import { assistantOn, type Harness } from '../../support/harness.ts';

/** Actions of the user. Each happens at the event with the given number. `reload` happens only while the run is paused. */
type Action = 'pause' | 'step' | 'resume' | 'stop' | 'say' | 'edit' | 'remove';
type Doing = { at: number; action: Action };
type What = 'read' | 'create' | 'ask' | 'unknown';

const doing = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: 40 }),
    action: fc.constantFrom<Action>('pause', 'pause', 'step', 'step', 'resume', 'say', 'say', 'edit', 'remove', 'stop'),
  }),
  { maxLength: 12 },
);
const script = fc.array(fc.array(fc.constantFrom<What>('read', 'read', 'create', 'ask', 'unknown'), { minLength: 1, maxLength: 4 }), {
  maxLength: 4,
});
/** The ways in which the user continues a paused run. */
const ways = fc.array(fc.constantFrom<'resume' | 'step' | 'reload'>('resume', 'step', 'step', 'reload'), { minLength: 4, maxLength: 4 });

function callOf(what: What, id: string): ModelEvent {
  const part = (name: string, input: unknown): ModelEvent => ({ type: 'part', part: { type: 'tool_call', id, name, input } });
  if (what === 'read') return part('read_file', { path: `${id}.txt` });
  if (what === 'create') return part('create_file', { path: `${id}.txt`, content: id });
  return what === 'ask' ? part('ask_user', { question: `What about ${id}?` }) : part('format_disk', { id });
}

/** A model whose answer depends only on the length of the history. It records the bytes of every request. */
function modelOf(turns: readonly What[][], requests: string[]): ModelAdapter {
  return {
    async *stream({ messages, system, tools }) {
      requests.push(JSON.stringify({ system, tools, messages }).slice(0, -2));
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const calls = turns[turn] ?? [];
      yield { type: 'text_delta', text: `Turn ${turn}` };
      yield { type: 'part', part: { type: 'text', text: `Turn ${turn}.` } };
      for (const [index, what] of calls.entries()) yield callOf(what, `t${turn}c${index}`);
      yield { type: 'stop', reason: calls.length > 0 ? 'tool_use' : 'end_turn' };
    },
  };
}

type Acts = {
  wanted: readonly Doing[];
  done: Set<Doing>;
  /** The texts of the messages that were queued and not removed, in order. */
  said: Map<string, string>;
  /** The texts of the messages that started a run instead of joining one, in order. */
  prompts: string[];
  /** A message after the end of a run starts a new run. All of these runs must end, too. */
  begun: Promise<void>[];
};

/** Carries out each action when its event is published. */
function act(session: Session, { wanted, done, said, prompts, begun }: Acts): void {
  session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: event.seq % 2 === 0 });
    if (event.type === 'question_asked') void session.answerQuestion(event.questionId, { words: 'Fine.' });
    if (event.type === 'message_queued') said.set(event.id, textOf(event.message));
    const beganBySaying = event.type === 'run_started' && /^said at \d+$/.test(event.prompt) && ![...said.values()].includes(event.prompt);
    if (beganBySaying) prompts.push(event.prompt);
    if (event.type === 'message_unqueued') said.delete(event.id);
    for (const each of wanted) {
      if (each.at !== event.seq || done.has(each)) continue;
      done.add(each);
      const [queued] = session.state.queue.keys();
      if (each.action === 'say') begun.push(session.say({ text: `said at ${event.seq}`, mode: 'agent' }).catch(() => undefined));
      else if (each.action === 'edit' && queued) session.queue.edit(queued, `edited at ${event.seq}`);
      else if (each.action === 'remove' && queued) session.queue.remove(queued);
      else if (each.action === 'pause' && session.running) session.pause();
      else if (each.action === 'stop') void session.stop();
      else if (session.running && (each.action === 'step' || each.action === 'resume')) void session[each.action]().catch(() => undefined);
    }
  });
}

function expectWholeHistory({ state }: Session): void {
  const messages = state.messages.slice();
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.content.map(({ callId }) => callId) : [];
    const asked = callsOf(message).map(({ id }) => id);
    // The calls of the last message may still be open.
    if (index === messages.length - 1 && asked.length > 0) continue;
    assert.deepEqual(results, asked);
  }
}

const asLogged = (events: readonly AgentEvent[]): AgentEvent[] => JSON.parse(JSON.stringify(events));

describe('whenever the user pauses, steps, steers and stops', () => {
  it('no event is lost or out of order, every call has a result, and the model’s history only grows', async () => {
    await fc.assert(
      fc.asyncProperty(script, doing, ways, async (turns, wanted, goOn) => {
        const requests: string[] = [];
        const adapter = modelOf(turns, requests);
        await using first = await assistantOn({}, [], { adapter, limits: { turns: 5 } });
        let kedge: Harness = first;
        const acts: Acts = { wanted, done: new Set(), said: new Map(), prompts: [], begun: [] };
        const ended = async () => {
          while (acts.begun.length > 0) await acts.begun.pop();
        };
        act(kedge.session, acts);
        await kedge.session.prompt({ text: 'go', mode: 'agent' });
        await ended();
        for (let round = 0; kedge.session.state.lastRun?.status === 'paused' && round < 60; round++) {
          const way = goOn[round % goOn.length];
          if (way === 'reload') {
            kedge = await kedge.reload();
            act(kedge.session, acts);
          }
          await kedge.session[way === 'step' ? 'step' : 'resume']();
          await ended();
        }
        const { session } = kedge;
        assert.equal(session.state.lastRun?.status, 'finished');

        const logged = (await kedge.store.load(session.id)) ?? [];
        assert.deepEqual(logged, asLogged(session.events.slice()));
        assert.deepEqual(
          logged.map(({ seq }) => seq),
          logged.map((_, index) => index + 1),
        );
        assert.deepEqual(wholeState(foldSession(logged)), wholeState(session.state));
        expectWholeHistory(session);
        // A request that was aborted by a stop is sent again with the same beginning. Every other request extends the request before it,
        // byte for byte.
        for (const [index, request] of requests.entries()) assert.ok(request.startsWith(requests[index - 1] ?? ''), `request ${index}`);
        const heard = session.state.messages.filter(({ role }) => role === 'user').map((message) => textOf(message));
        const waiting = [...session.state.queue.values()].map(({ message }) => textOf(message));
        const spoken = heard.filter((text) => / at \d+$/.test(text));
        const isPrompt = (text: string) => acts.prompts.includes(text);
        assert.deepEqual([...spoken.filter((text) => !isPrompt(text)), ...waiting], [...acts.said.values()]);
        assert.deepEqual(spoken.filter(isPrompt), acts.prompts);
      }),
      { numRuns: 150 },
    );
  });
});
