import assert from 'node:assert/strict';
import { Pacing } from '../../../src/app/run/pacing.ts';
import { user } from '../../../src/core/model/messages.ts';
import { Meter } from '../../../src/core/run/budget.ts';
import type { RunPorts } from '../../../src/core/run/ports.ts';
import { runLoop } from '../../../src/core/run/run.ts';
import type { ExecuteContext, Tool } from '../../../src/core/run/tool.ts';
import type { Effect } from '../../../src/core/session/effects.ts';
import type { AgentEvent, EventBody } from '../../../src/core/session/events.ts';
import { NO_USE } from '../../../src/core/session/limits.ts';
import { reduce } from '../../../src/core/session/reduce.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { call, scriptedAdapter, turn } from '../../../src/providers/scripted/index.ts';
import { withoutLongTimers } from '../../support/clock.ts';
import { GENEROUS } from '../../support/harness.ts';

/** A command, or a tool of another program, that ignores the abort signal and never ends. */
function deafTool(effect: Effect, source: string, begun: (context: ExecuteContext) => void): Tool {
  return {
    name: 'deaf',
    description: '',
    inputSchema: {},
    effect,
    source,
    prepare: async () => ({
      title: 'Hang',
      targets: [],
      execute: (context) => {
        begun(context);
        return new Promise(() => {});
      },
    }),
  };
}

describe('stop immediately ends work outside of Kedge', () => {
  const allow: RunPorts['decide'] = () => ({ kind: 'allow', rule: 'granted', reason: '' });
  const never = new Promise<never>(() => {});
  for (const [what, effect, source, decide] of [
    ['a command', 'external', 'builtin', allow],
    ['a reading call of an MCP server', 'readonly', 'mcp:deaf', allow],
    ['a changing call of an MCP server', 'mutating', 'mcp:deaf', allow],
    ['the judgement of a call', 'external', 'builtin', () => never],
  ] as [string, Effect, string, RunPorts['decide']][]) {
    it(`${what} that ignores the signal, and its later output is discarded`, async () => {
      const state = emptySession();
      const log: AgentEvent[] = [];
      const emit = (body: EventBody) => {
        const event = { ...body, runId: 'r', seq: log.length + 1, at: 0 } as AgentEvent;
        log.push(event);
        reduce(state, event);
      };
      emit({ type: 'run_started', mode: 'agent', prompt: 'go', model: { provider: 's', model: 's' }, limits: GENEROUS });
      emit({ type: 'message_added', message: user('go') });
      const begun = Promise.withResolvers<ExecuteContext | undefined>();
      const stopping = new AbortController();
      const ended = runLoop(
        {
          adapter: scriptedAdapter([turn(call('deaf', {}))]),
          model: { provider: 's', model: 's' },
          request: { system: '' },
          tools: [deafTool(effect, source, begun.resolve)],
          meter: new Meter(
            () => GENEROUS,
            () => NO_USE,
          ),
          pace: new Pacing(),
          state,
          emit,
          decide: (...judged) => {
            if (decide !== allow) begun.resolve(undefined);
            return decide(...judged);
          },
          answered: () => never,
          replied: () => never,
          now: Date.now,
        },
        stopping.signal,
      );
      const context = await begun.promise;
      await withoutLongTimers(() => {
        stopping.abort();
        return ended;
      });
      assert.equal(log.at(-1)?.type, 'run_finished');
      context?.progress('Still here');
      await assert.rejects(async () => context?.ask({ id: 'q', text: 'Hello?', options: [] }) ?? Promise.reject(new Error('not begun')));
      assert.equal(log.at(-1)?.type, 'run_finished');
      assert.equal(state.pendingQuestions.size, 0);
    });
  }
});
