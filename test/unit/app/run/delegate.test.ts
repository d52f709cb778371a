/** Child runs: what they receive, what they spend, and how they are stopped, paused and continued. */
import assert from 'node:assert/strict';
import { type Message, resultText, textOf } from '../../../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../../../src/core/model/model.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { call, say } from '../../../../src/providers/scripted/index.ts';
import { assistantOn, type Harness } from '../../../support/harness.ts';

const FILES = { 'a.txt': 'port 80\n', 'b.txt': 'host local\n', '.env': 'KEY=1\n' };

type Answer = ModelEvent[] | AsyncIterable<ModelEvent>;

/** A model whose answers depend on the first message of the conversation and on how many answers it has given in it. */
function modelOf(
  answers: Record<string, (turn: number, request: ModelRequest, signal: AbortSignal) => Answer>,
): ModelAdapter & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request, signal) {
      requests.push(request);
      const task = firstWords(request);
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const answer = answers[task]?.(turn, request, signal);
      if (!answer) throw new Error(`No answer for ${task}.`);
      let asks = false;
      for await (const event of answer) {
        signal.throwIfAborted();
        asks ||= event.type === 'part' && event.part.type === 'tool_call';
        yield event;
      }
      yield { type: 'stop', reason: asks ? 'tool_use' : 'end_turn' };
    },
  };
}

function firstWords({ messages }: ModelRequest): string {
  const first = messages.find(({ role }) => role === 'user') as Message;
  return textOf(first).trim();
}

/** The model of the parent delegates these tasks in one turn, and then answers with the results. */
const delegating =
  (...tasks: string[]) =>
  (turn: number, { messages }: ModelRequest): ModelEvent[] => {
    if (turn === 0) return tasks.flatMap((task, index) => call('delegate', { task }, `d${index + 1}`));
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    return say(results.map(resultText).join('\n---\n'));
  };

const reading =
  (path: string, answer: string) =>
  (turn: number): ModelEvent[] =>
    turn === 0 ? call('read_file', { path }, 'r1') : say(answer);

function sameStateAsLog({ session }: Harness): void {
  const folded = foldSession(session.events);
  const plain = ({ messages, ...state }: typeof folded) => ({ ...state, children: [...state.children.keys()], messages: [...messages] });
  assert.deepEqual(plain(session.state as typeof folded), plain(folded));
}

describe('delegate', () => {
  it('gives tasks to fresh runs with only the tools that read, and returns their answers with sources', async () => {
    const adapter = modelOf({
      go: delegating('Find the port', 'Find the host'),
      'Find the port': reading('a.txt', 'The port is 80 (a.txt:1).'),
      'Find the host': reading('b.txt', 'The host is local (b.txt:1).'),
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 2 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { state } = kedge.session;
    assert.equal(state.lastRun?.outcome, 'answered');
    assert.equal(
      textOf(state.messages.at(-1) as Message),
      'The port is 80 (a.txt:1).\n\nFiles it read: a.txt\n---\nThe host is local (b.txt:1).\n\nFiles it read: b.txt',
    );
    const child = adapter.requests.find((request) => firstWords(request) === 'Find the port') as ModelRequest;
    assert.equal(child.messages.length, 1, 'A child sees nothing of the conversation of its parent.');
    assert.deepEqual(
      child.tools.map(({ name }) => name).filter((name) => /create|replace|delete|run_command/.test(name)),
      [],
    );
    assert.deepEqual([...state.runs.keys()], [state.lastRun?.runId]);
    assert.equal(state.children.size, 0);
    assert.equal(state.lastRun?.used.turns, 6);
    assert.equal(state.lastRun?.used.calls, 4);
    sameStateAsLog(kedge);
  });

  it('is offered only where the user turned it on, and not below the greatest depth', async () => {
    const adapter = modelOf({ go: delegating('one'), one: delegating('two'), two: () => say('Here.') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 2 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const offers = (task: string) =>
      adapter.requests.find((request) => firstWords(request) === task)?.tools.some(({ name }) => name === 'delegate');
    assert.deepEqual(['go', 'one', 'two'].map(offers), [true, true, false]);
    assert.equal(textOf(kedge.session.state.messages.at(-1) as Message), 'Here.');
    await using plain = await assistantOn(FILES, [], { adapter: modelOf({ go: () => say('Hi.') }) });
    await plain.session.prompt({ text: 'go', mode: 'agent' });
  });
});
