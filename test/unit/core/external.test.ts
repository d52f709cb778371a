import assert from 'node:assert/strict';
import { Pacing } from '../../../src/app/run/pacing.ts';
import { resultText, user } from '../../../src/core/model/messages.ts';
import { Meter } from '../../../src/core/run/budget.ts';
import type { RunPorts } from '../../../src/core/run/ports.ts';
import { runLoop } from '../../../src/core/run/run.ts';
import type { Tool } from '../../../src/core/run/tool.ts';
import type { Decision } from '../../../src/core/session/effects.ts';
import type { AgentEvent, ApprovalAnswer, EventBody } from '../../../src/core/session/events.ts';
import { NO_USE } from '../../../src/core/session/limits.ts';
import { foldSession, reduce } from '../../../src/core/session/reduce.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { call, say, scriptedAdapter, turn } from '../../../src/providers/scripted/index.ts';
import { GENEROUS } from '../../support/harness.ts';

/** A tool of another program, whose effects no gate controls. */
function launch(onLaunch: (callId: string) => void): Tool {
  return {
    name: 'launch',
    description: '',
    inputSchema: {},
    effect: 'external',
    source: 'mcp:rockets',
    prepare: async () => ({
      title: 'Launch',
      targets: [],
      execute: async ({ callId }) => {
        onLaunch(callId);
        return { content: 'It flies.' };
      },
    }),
  };
}

type Death = (event: EventBody | 'launch') => boolean;

/** Runs on a log that is kept until `dies` returns true for an event or for the launch. That event is the last one in the log. */
async function run(log: AgentEvent[], launched: string[], kind: Decision['kind'], dies: Death): Promise<void> {
  const state = log.length ? foldSession(log) : emptySession();
  let dead = false;
  const emit = (body: EventBody) => {
    if (dead) throw new Error('dead');
    const event = { ...body, runId: 'r', seq: state.seq + 1, at: 0 } as AgentEvent;
    log.push(event);
    reduce(state, event);
    dead = dies(body);
    if (dead) throw new Error('dead');
  };
  if (log.length === 0) {
    emit({ type: 'run_started', mode: 'agent', prompt: 'go', model: { provider: 's', model: 's' }, limits: GENEROUS });
    emit({ type: 'message_added', message: user('go') });
  }
  const ports: RunPorts = {
    adapter: scriptedAdapter(
      log.some(({ type }) => type === 'turn_started') ? [turn(say('Done.'))] : [turn(call('launch', {}, 'c')), turn(say('Done.'))],
    ),
    model: { provider: 's', model: 's' },
    request: { system: '' },
    tools: [
      launch((callId) => {
        launched.push(callId);
        dead ||= dies('launch');
      }),
    ],
    meter: new Meter(
      () => GENEROUS,
      () => NO_USE,
    ),
    pace: new Pacing(),
    state,
    emit,
    decide: () => ({ kind, rule: 'granted', reason: '' }),
    answered: async (approvalId): Promise<ApprovalAnswer> => {
      const answer = { approve: true } as const;
      emit({ type: 'approval_resolved', approvalId, callId: 'c', answer });
      return answer;
    },
    replied: () => Promise.reject(new Error('Nobody can be asked here.')),
    now: () => 0,
  };
  await runLoop(ports, new AbortController().signal).catch(() => undefined);
}

describe('an effect outside the write gate happens at most once', () => {
  for (const kind of ['allow', 'ask'] as const) {
    it(`wherever the run is cut off, when it is ${kind === 'ask' ? 'approved' : 'allowed'}`, async () => {
      for (let cut = 3; ; cut++) {
        const [log, launched]: [AgentEvent[], string[]] = [[], []];
        let count = 0;
        await run(log, launched, kind, (event) => event !== 'launch' && ++count === cut);
        if (log.at(-1)?.type === 'run_finished') break;
        if (!log.some((event) => event.type === 'message_added' && event.message.role === 'assistant')) continue;
        await run(log, launched, kind, () => false);
        assert.equal(log.at(-1)?.type, 'run_finished');
        assert.ok(launched.length <= 1, `cut at ${cut}: launched ${launched.length} times`);
        const result = foldSession(log).messages.findLast((message) => message.role === 'tool')?.content[0];
        const text = result ? resultText(result) : '';
        assert.match(text, launched.length ? /^It flies|^This call was interrupted/ : /^This call was interrupted/);
      }
    });
  }

  for (const kind of ['allow', 'ask'] as const) {
    it(`also where the program dies in its midst, when it is ${kind === 'ask' ? 'approved' : 'allowed'}`, async () => {
      const [log, launched]: [AgentEvent[], string[]] = [[], []];
      await run(log, launched, kind, (event) => event === 'launch');
      assert.deepEqual(launched, ['c']);
      assert.equal(log.at(-1)?.type, 'tool_started');
      await run(log, launched, kind, () => false);
      assert.deepEqual(launched, ['c']);
      assert.equal(log.at(-1)?.type, 'run_finished');
      const result = foldSession(log).messages.findLast((message) => message.role === 'tool')?.content[0];
      assert.match(result ? resultText(result) : '', /^This call was interrupted and may have taken effect/);
    });
  }

  it('and an approval that was given before a restart still counts', async () => {
    const [log, launched]: [AgentEvent[], string[]] = [[], []];
    await run(log, launched, 'ask', (event) => event !== 'launch' && event.type === 'approval_resolved');
    assert.deepEqual(launched, []);
    await run(log, launched, 'ask', () => false);
    assert.deepEqual(launched, ['c']);
    assert.equal(log.filter(({ type }) => type === 'approval_requested').length, 1);
  });
});
