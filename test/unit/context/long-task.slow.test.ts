/** Carries out a long task with models of small windows. No request may be too long, and nothing may be forgotten. */
import assert from 'node:assert/strict';
import { statusText } from '../../../src/core/plan/progress.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { foldSession, sentMessages } from '../../../src/core/session/reduce.ts';
import { eventsOf, lastOf } from '../../support/harness.ts';
import { FACTS, isForSummary, longTask, partOf, STEPS } from '../../support/long-task.ts';
import { textOfWire, type WindowRequest } from '../../support/window-server.ts';

/** Returns the states of the plan's steps as a request describes them. */
function toldStates(request: WindowRequest): string[] {
  const head = request.messages.map(textOfWire).find((text) => text.includes('were compacted to save space')) ?? '';
  return [...head.matchAll(/^\d+\. Refit part \d+\n(?: {3}(?!state).*\n)* {3}state: (.*)$/gm)].map(([, state]) => state as string);
}

describe('a task of 150 calls with 3 MB of results', () => {
  for (const window of [8_192, 16_384, 32_768, 131_072]) {
    it(`is finished by a model with a window of ${window} tokens`, () =>
      longTask(window, async ({ kedge, requests, answer }) => {
        const { session } = kedge;
        assert.equal(session.state.lastRun?.outcome, 'answered', JSON.stringify(lastOf(kedge.events, 'run_finished').error));
        assert.equal(requests.filter(({ refused }) => refused).length, 0, 'a request was over the window');
        for (const fact of Object.values(FACTS)) assert.ok(answer.includes(fact), `${fact} in: ${answer}`);
        for (let step = 1; step <= STEPS; step++) assert.equal(await kedge.read(partOf(step)), `part ${step}: new\n`);
        assert.ok(eventsOf(kedge.events, 'tool_finished').length >= 150);
        await holdsAfterCompactions(session.events.slice(), requests);
        const reloaded = await kedge.reload();
        assert.deepEqual(sentMessages(reloaded.session.state), sentMessages(session.state));
      }));
  }
});

/** Every request after a compaction contains the user's messages word for word, and the steps in the state of the log. */
async function holdsAfterCompactions(events: readonly AgentEvent[], requests: readonly WindowRequest[]): Promise<void> {
  const compactions = events.filter(({ type }) => type === 'context_compacted');
  assert.ok(compactions.length > 0, 'nothing was compacted');
  const turns = events.filter(({ type }) => type === 'turn_started');
  const answers = requests.filter((request) => !isForSummary(request));
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
