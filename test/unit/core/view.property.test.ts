/** The state of the loop and the view of the hosts are computed from the same events and must agree. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { callsOf, textOf } from '../../../src/core/model/messages.ts';
import { type AgentEvent, isDurable } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import type { SessionState } from '../../../src/core/session/session-state.ts';
import { foldRun } from '../../../src/core/view/reduce-run.ts';
import { receiptOf } from '../../../src/core/view/run-receipt.ts';
import { callsIn, isTakenBack } from '../../../src/core/view/run-view.ts';
import { EMPTY_VIEW, project, readView, type SessionView } from '../../../src/core/view/session-view.ts';
import { EMPTY, reduce as reducePanel } from '../../../webview-ui/state.ts';
import { randomLog } from '../../support/random-logs.ts';

const logs = fc.array(fc.nat(9_999), { maxLength: 500, size: 'max' }).map(randomLog);
const viewOf = (events: readonly AgentEvent[]): SessionView => events.reduce(project, EMPTY_VIEW);
const sorted = (ids: Iterable<string>) => [...ids].sort();

/** Returns the facts that the state and the view both contain, in the terms of the state. */
function factsOfState(state: SessionState, events: readonly AgentEvent[]) {
  const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.callId] : []));
  const messages = state.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  const known = new Map([...messages.map((result) => [result.callId, result] as const), ...state.results]);
  return {
    seq: state.seq,
    title: state.title,
    worktree: state.worktree,
    runs: [...state.runs.values()].map((run) => ({
      id: run.runId,
      mode: run.mode,
      prompt: run.prompt,
      model: run.model,
      plan: run.plan,
      steps: run.steps,
      status: run.status,
      pause: run.status === 'paused' ? run.pause : undefined,
      outcome: run.outcome,
      used: run.outcome && { usage: run.usage, ms: run.used.ms },
      written: state.staged.flatMap(({ runId, landed, step, change }) =>
        runId === run.runId && landed && step !== undefined ? [[step, change.path]] : [],
      ),
    })),
    calls: state.messages.flatMap(callsOf).map(({ id, name, input }) => ({ id, name, input })),
    results: Object.fromEntries(results.map((id) => [id, known.get(id)])),
    approvals: sorted(state.pendingApprovals.keys()),
    questions: sorted(state.pendingQuestions.keys()),
    queue: [...state.queue.values()].map(({ id, message }) => [id, textOf(message)]),
    plans: [...state.plans.values()].map(({ plan, status }) => [plan.id, status]),
    undone: sorted(state.undone),
  };
}

const STATUS = { run: 'confirmed', discard: 'discarded', superseded: 'superseded' } as const;

function factsOfView({ runs, title, lastSeq, queue }: SessionView): ReturnType<typeof factsOfState> {
  const calls = runs.flatMap(callsIn);
  return {
    seq: lastSeq,
    title,
    worktree: runs.find(({ worktree }) => worktree === 'open')?.worktreeId,
    runs: runs.map(({ id, mode, prompt, model = { provider: '', model: '' }, plan, steps, paused, finished, writes }) => ({
      id,
      mode,
      prompt,
      model,
      plan,
      steps,
      status: finished ? 'finished' : paused ? 'paused' : 'live',
      pause: finished ? undefined : paused?.reason,
      outcome: finished?.outcome,
      used: finished && { usage: finished.usage, ms: finished.durationMs },
      written: writes.flatMap(({ status, step, changes }) =>
        status === 'landed' && step !== undefined ? changes.map(({ path }) => [step, path]) : [],
      ),
    })),
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    results: Object.fromEntries(calls.flatMap(({ id, result }) => (result ? [[id, result]] : []))),
    approvals: sorted(runs.flatMap(({ approvals }) => approvals.map(({ approvalId }) => approvalId))),
    questions: sorted(runs.flatMap(({ questions }) => questions.map(({ questionId }) => questionId))),
    queue: queue.map(({ id, text }) => [id, text]),
    plans: runs.flatMap(({ proposal }) =>
      proposal ? [[proposal.plan.id, proposal.resolved ? STATUS[proposal.resolved] : 'proposed']] : [],
    ),
    undone: sorted(runs.filter(isTakenBack).map(({ id }) => id)),
  };
}

/** Removes everything that was only streamed and is therefore not in a log. */
function withoutStreamed(view: SessionView): SessionView {
  const runs = view.runs.map(({ waiting: _, ...run }) => ({
    ...run,
    turns: run.turns.flatMap(({ draft: _, ...turn }) => {
      const calls = turn.calls.map(({ progress: _, ...call }) => call);
      return turn.settled || calls.length > 0 ? [{ ...turn, reasoning: '', text: turn.settled ? turn.text : '', calls }] : [];
    }),
  }));
  return { ...view, runs };
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}

describe('the view of a session', () => {
  it('agrees with the state on all facts that both contain', () => {
    fc.assert(
      fc.property(logs, (events) => {
        const durable = events.filter(isDurable);
        assert.deepEqual(factsOfView(viewOf(events)), factsOfState(foldSession(durable), durable));
      }),
      { numRuns: 400 },
    );
  });

  it('is the same after each event as after all of them, and the same as in the panel', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, cut) => {
        const durable = events.filter(isDurable);
        const at = durable.length && cut % durable.length;
        assert.deepEqual(durable.slice(at).reduce(project, readView(durable.slice(0, at))), viewOf(durable));
        assert.deepEqual(withoutStreamed(viewOf(events)), withoutStreamed(viewOf(durable)));
        const sent = { sessionId: 's', running: false } as const;
        const opened = reducePanel(EMPTY, { type: 'session', title: '', events: [], earlierRuns: 0, ...sent });
        const { title, runs, lastSeq, queue } = reducePanel(opened, { type: 'events', events: durable, ...sent });
        assert.deepEqual(factsOfView({ title, runs, lastSeq, queue }), factsOfView(viewOf(durable)));
      }),
    );
  });

  it('is never changed in place', () => {
    fc.assert(
      fc.property(logs, (events) => {
        events.reduce((view, event) => frozen(project(view, frozen(event))), EMPTY_VIEW);
      }),
    );
  });
});

describe('the receipt of a run', () => {
  it('is the same from the run’s own events as from the session', () => {
    fc.assert(
      fc.property(logs, (events) => {
        for (const run of viewOf(events).runs) assert.deepEqual(receiptOf(run), receiptOf(foldRun(events, run.id)));
      }),
    );
  });

  it('counts every requested and ended call once', () => {
    fc.assert(
      fc.property(logs, (events) => {
        for (const run of viewOf(events).runs) {
          const { calls, effects, denied, failed = 0, asked, approved, rejected } = receiptOf(run);
          const ended = events.filter(({ type, runId }) => type === 'tool_finished' && runId === run.id);
          const carriedOut = Object.values(effects).reduce((sum, count) => sum + count, 0);
          assert.equal(calls, ended.length);
          assert.ok(carriedOut + denied <= calls && failed <= calls && approved + rejected <= asked);
        }
      }),
    );
  });
});
