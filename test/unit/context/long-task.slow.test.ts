/** A long task with models of small windows: nothing overflows, and nothing is forgotten. */
import assert from 'node:assert/strict';
import { statusText } from '../../../src/core/plan/progress.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { createAdapter } from '../../../src/providers/openai-chat/index.ts';
import { assistantOn, eventsOf, lastOf } from '../../support/harness.ts';
import { type Reply, startWindowServer, textOfWire, type WindowRequest } from '../../support/window-server.ts';

const STEPS = 12;
const READS = 10;
const FILE_LINES = 420;
const FACTS = { harbour: 'K-4711-harbour', tide: 'T-0815-tide', crew: 'C-2342-crew' };
const PROMPT = `Refit all parts of the ship. Remember for later: the crew code is ${FACTS.crew}.`;
const LATER = ['While you are at it: never touch the file keel.txt.', 'One more thing: the figurehead must stay green.'];

const partOf = (step: number) => `parts/part-${step}.txt`;
const logOf = (step: number, read: number) => `logs/${step}-${read}.txt`;

function files(): Record<string, string> {
  const all: Record<string, string> = {};
  for (let step = 1; step <= STEPS; step++) {
    all[partOf(step)] = `part ${step}: old\n`;
    for (let read = 1; read <= READS; read++) {
      const lines = Array.from(
        { length: FILE_LINES },
        (_, line) => `${step}.${read}.${line} the planks of the ship are made of oak ${line * 7919}`,
      );
      if (step === 1 && read === 2) lines[12] = `the code of the harbour is ${FACTS.harbour}`;
      if (step === 2 && read === 5) lines[14] = `the code of the tide is ${FACTS.tide}`;
      all[logOf(step, read)] = `${lines.join('\n')}\n`;
    }
  }
  return all;
}

/** The model: a list of answers, whatever the conversation contains. It answers each request for a summary. */
function model(): { reply: (request: WindowRequest) => Reply; asked: () => number; answer: () => string } {
  const plan = {
    goal: 'Refit the ship',
    steps: Array.from({ length: STEPS }, (_, index) => ({ title: `Refit part ${index + 1}`, files: [partOf(index + 1)] })),
  };
  const script: Reply[] = [[{ name: 'propose_plan', input: plan }]];
  for (let step = 1; step <= STEPS; step++) {
    script.push([{ name: 'update_step', input: { step, status: 'started' } }]);
    for (let read = 1; read <= READS; read++) script.push([{ name: 'read_file', input: { path: logOf(step, read) } }]);
    script.push([
      { name: 'replace_in_file', input: { path: partOf(step), edits: [{ old_text: 'old', new_text: 'new' }] } },
      { name: 'update_step', input: { step, status: 'done', note: `part ${step} is new` } },
    ]);
  }
  for (const words of ['code of the harbour', 'code of the tide']) script.push([{ name: 'recall', input: { what: words } }]);
  let next = 0;
  let answered = '';
  return {
    asked: () => next,
    answer: () => answered,
    reply: ({ messages, text }) => {
      if (/is about to be compacted/.test(textOfWire(messages.at(-1) ?? { role: '' }))) return 'Goal: refit the ship. Next: the next step.';
      const reply = script[next++];
      if (reply) return reply;
      const found = Object.values(FACTS).filter((fact) => text.includes(fact));
      answered = `The codes are ${found.join(', ')}.`;
      return answered;
    },
  };
}

/** The states of the plan's steps as a request tells them. */
function toldStates(request: WindowRequest): string[] {
  const head = request.messages.map(textOfWire).find((text) => text.includes('were compacted to save space')) ?? '';
  return [...head.matchAll(/^\d+\. Refit part \d+\n(?: {3}(?!state).*\n)* {3}state: (.*)$/gm)].map(([, state]) => state as string);
}

describe('a task of 150 calls with 3 MB of results', () => {
  for (const window of [8_192, 16_384, 32_768, 131_072]) {
    it(`is finished by a model with a window of ${window} tokens`, async () => {
      const { reply, answer } = model();
      await using server = Object.assign(await startWindowServer({ window }, reply), {
        async [Symbol.asyncDispose]() {
          await server.close();
        },
      });
      const adapter = createAdapter({ apiKey: 'key', baseUrl: `${server.url}/v1` });
      const limits = { turns: 1_000, callsPerRun: 1_000 };
      await using kedge = await assistantOn(files(), [], { adapter, limits, facts: () => ({ contextWindow: window }) });
      const { session } = kedge;
      await session.prompt({ text: PROMPT, mode: 'plan' });
      let said = 0;
      session.subscribe((event) => {
        if (event.type === 'plan_step' && event.status === 'done' && (event.step === 4 || event.step === 7))
          void session.say({ text: LATER[said++] as string, mode: 'agent' });
      });
      await session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');

      assert.equal(session.state.lastRun?.outcome, 'answered', JSON.stringify(lastOf(kedge.events, 'run_finished').error));
      assert.equal(server.requests.filter(({ refused }) => refused).length, 0, 'a request was over the window');
      for (const fact of Object.values(FACTS)) assert.ok(answer().includes(fact), `${fact} in: ${answer()}`);
      for (let step = 1; step <= STEPS; step++) assert.equal(await kedge.read(partOf(step)), `part ${step}: new\n`);
      assert.ok(eventsOf(kedge.events, 'tool_finished').length >= 150);

      await holdsAfterCompactions(session.events, server.requests);
      const reloaded = await kedge.reload();
      assert.deepEqual(reloaded.session.state.sent, session.state.sent);
    });
  }
});

/** In every request after a compaction, the user's messages stand word for word, and the steps as the log has them. */
async function holdsAfterCompactions(events: readonly AgentEvent[], requests: readonly WindowRequest[]): Promise<void> {
  const compactions = events.filter(({ type }) => type === 'context_compacted');
  assert.ok(compactions.length > 0, 'nothing was compacted');
  const turns = events.filter(({ type }) => type === 'turn_started');
  const answers = requests.filter(({ messages }) => !/is about to be compacted/.test(textOfWire(messages.at(-1) as never)));
  assert.equal(turns.length, answers.length);
  let states: string[] = [];
  let seen = 0;
  for (const [index, request] of answers.entries()) {
    const before = events.slice(0, events.indexOf(turns[index] as AgentEvent));
    const compacted = before.filter(({ type }) => type === 'context_compacted').length;
    const state = foldSession(before);
    if (compacted > seen && state.compaction && state.compaction.keepFrom > 0 && state.lastRun?.plan) {
      const at = before.findLastIndex(({ type }) => type === 'context_compacted');
      const { lastRun } = foldSession(before.slice(0, at));
      states = (lastRun?.plan?.steps ?? []).map((_, step) => {
        const told = lastRun?.steps[step + 1];
        return told ? `${statusText(told)}${told.note ? ` (${told.note})` : ''}` : 'not started';
      });
    }
    seen = compacted;
    if (compacted === 0) continue;
    for (const message of state.messages)
      for (const part of message.role === 'user' ? message.content : [])
        if (part.type === 'text')
          assert.ok(
            request.messages.some((each) => textOfWire(each).includes(part.text)),
            `request ${index} lacks: ${part.text}`,
          );
    if (states.length > 0) assert.deepEqual(toldStates(request), states, `request ${index}`);
  }
}
