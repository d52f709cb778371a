/** Computes the view of one run from its events, including streamed deltas. */

import { textOf, type Usage } from '../model/messages.ts';
import { mentionsOf, noteTexts } from '../model/notes.ts';
import { currentStep, endChecksAfter, stepsAfter } from '../plan/progress.ts';
import { isWithin, rootRunId } from '../session/children/child-ids.ts';
import type { Decision } from '../session/effects.ts';
import { type AgentEvent, isSessionEvent } from '../session/events.ts';
import type { CheckResult } from '../session/session-state.ts';
import { addUsage } from '../session/usage-totals.ts';
import { hookText } from '../words/hook-text.ts';
import { endsWait } from '../words/retry-text.ts';
import { askedAfter, reduceChild } from './child-views.ts';
import { rulesIn } from './read-rules.ts';
import { withRevisedPlan } from './revised-plan.ts';
import { changesOf, type RunWrite, rolledBack, withWrite } from './run-changes.ts';
import { type CallStatus, type CallView, findCall, newRun, type RunView, type SaidView } from './run-view.ts';
import { inCall, inLastTurn, newTurn, settle } from './turns.ts';

/** Records the staged or written changes of a call. They replace the changes that were staged for the same call. */
function withWrites(run: RunView, write: RunWrite): RunView {
  const before = withoutStaged(run, write.callId);
  if (write.status === 'staged') changesBefore.set(write, before.changes);
  return { ...before, writes: [...before.writes, write], changes: withWrite(before.changes, write) };
}

/** The changes without a staged write. They are stored so that they are not computed again for each of thousands of writes. */
const changesBefore = new WeakMap<RunWrite, RunView['changes']>();

function withoutStaged(run: RunView, callId: string): RunView {
  const isStaged = (write: RunWrite) => write.callId === callId && write.status === 'staged';
  const at = run.writes.findLastIndex(isStaged);
  const write = run.writes[at];
  if (!write) return run;
  const earlier = run.writes.slice(0, at);
  // A call that changes files runs alone, so its write is usually the last one, and the only one of this call.
  const changes = at === run.writes.length - 1 && !earlier.some(isStaged) ? changesBefore.get(write) : undefined;
  const writes = changes ? earlier : run.writes.filter((each) => !isStaged(each));
  return { ...run, writes, changes: changes ?? changesOf(writes) };
}

function withWritesOf(run: RunView, event: AgentEvent): RunView {
  switch (event.type) {
    case 'changes_staged':
    case 'file_changed': {
      const { type, callId, changes } = event;
      const hasLanded = type === 'file_changed';
      const written = withWrites(run, { callId, status: hasLanded ? 'landed' : 'staged', step: currentStep(run), changes });
      return hasLanded ? { ...written, steps: stepsAfter(run.steps, event) } : written;
    }
    // A staged change without a `file_changed` event was rolled back, because its call has ended.
    case 'changes_dropped':
    case 'tool_finished':
      return withoutStaged(run, event.callId);
    default:
      return run;
  }
}

/** When a run ends or is interrupted, it is unknown whether the last call wrote its staged changes. They are displayed as changes. */
function cutOff(run: RunView): RunView {
  return { ...run, writes: run.writes.map((write) => (write.status === 'staged' ? { ...write, status: 'unknown' } : write)) };
}

/** The maximum number of lines about hooks that are shown for a run. */
const MAX_HOOKS = 20;

const startedStatus = { allow: 'running', ask: 'waiting', deny: 'denied' } as const;

/**
 * Returns true if the call is a mistake of the model. Agent mode offers all tools, so a call of an unknown tool is a mistake. In other
 * modes, such a call is denied.
 */
function isMistake({ mode }: RunView, decision: Decision | undefined): boolean {
  return mode === 'agent' && decision?.kind === 'deny' && decision.rule === 'unknown-tool';
}

type Finished = Extract<AgentEvent, { type: 'tool_finished' }>;

function finishedCall(run: RunView, call: CallView, event: Finished): CallView {
  const { progress: _, ...rest } = call;
  const { result, durationMs, note, stopped } = event;
  const decision = event.decision ?? call.decision;
  const isAllowed = event.decision?.kind === 'allow' || (event.decision?.kind === 'ask' && call.answer?.approve);
  const ended = { ...rest, decision, result, durationMs, note, ...(stopped && { stopped }) };
  if (isAllowed && call.effect !== undefined) return { ...ended, carriedOut: true, status: result.isError ? 'failed' : 'done' };
  return { ...ended, status: withheldStatus(run, call, event) };
}

/** Returns the status of a call that was not executed. Older logs may not contain the reason. */
function withheldStatus(run: RunView, call: CallView, { decision, result }: Finished): CallStatus {
  if (isMistake(run, decision ?? call.decision)) return 'failed';
  if (decision?.kind === 'deny') return 'denied';
  if (call.status === 'denied' || call.status === 'rejected') return call.status;
  return result.isError ? 'failed' : 'done';
}

/** Computes the view of one run. The events may include events of other runs. */
export function foldRun(events: Iterable<AgentEvent>, runId: string): RunView {
  let run = newRun(runId);
  for (const event of events) if (isWithin(event.runId, runId)) run = reduceRun(run, event);
  return run;
}

/** Returns the run to display after an event. An event of another run switches to that run. */
export function follow(run: RunView | undefined, event: AgentEvent): RunView {
  if (run && isSessionEvent(event)) return run;
  return reduceRun(run && isWithin(event.runId, run.id) ? run : newRun(rootRunId(event.runId)), event);
}

export function reduceRun(before: RunView, event: AgentEvent): RunView {
  if (event.runId !== before.id && isWithin(event.runId, before.id)) return reduceChild(before, event, reduceRun, withWritesOf);
  if (before.compacting && event.type !== 'message_queued' && event.type !== 'message_unqueued') {
    const { compacting: _, ...rest } = before;
    return reduceRun(rest, event);
  }
  const rules = rulesIn(event);
  const run = rules.length > 0 ? { ...before, rules: [...(before.rules ?? []), ...rules] } : before;
  if (event.type === 'model_waiting') return { ...run, waiting: event };
  if (!run.waiting || !endsWait(event)) return reduceEvent(run, event);
  const { waiting: _, ...rest } = run;
  return reduceEvent(rest, event);
}

function reduceEvent(run: RunView, event: AgentEvent): RunView {
  switch (event.type) {
    case 'run_started':
      return {
        ...run,
        mode: event.mode,
        prompt: event.prompt,
        at: event.at,
        model: event.model,
        plan: event.plan,
        ...(event.applies && { applies: true }),
        ...(event.parent && { parent: event.parent }),
        ...(event.edits && { edits: event.edits }),
        ...(event.worktree && { worktree: 'open', worktreeId: event.worktree }),
        ...(event.agent && { agent: event.agent.name }),
      };
    case 'turn_started':
      return { ...run, ...(event.context && { context: event.context }), turns: [...run.turns, newTurn(event.turn)] };
    case 'context_compacting':
      return event.done ? run : { ...run, compacting: true };
    case 'context_compacted': {
      const { reason, by, before, after, carried, summary, seq, usage, usd } = event;
      // The cost of a compaction after the end of the run is also counted.
      const finished = run.finished && usage && { finished: withUse(run.finished, usage, usd) };
      return {
        ...run,
        ...finished,
        context: event.context,
        compactions: [...run.compactions, { reason, by, before, after, carried, summary, seq }],
      };
    }
    case 'text_delta':
      return inLastTurn(run, (turn) => ({ ...turn, text: turn.text + event.text }), true);
    case 'reasoning_delta':
      return inLastTurn(run, (turn) => ({ ...turn, reasoning: turn.reasoning + event.text }), true);
    case 'tool_input_delta':
      return inLastTurn(
        run,
        (turn) => ({ ...turn, draft: { name: event.name ?? turn.draft?.name, size: (turn.draft?.size ?? 0) + event.text.length } }),
        true,
      );
    case 'message_added': {
      const { message } = event;
      if (message.role === 'assistant') return inLastTurn(run, (turn) => settle(turn, message), true);
      const images = message.content.filter((part) => part.type === 'image');
      const notes = noteTexts(message).map((text, index): SaidView => ({ key: `note ${event.seq} ${index}`, text, by: 'kedge' }));
      const mentions = mentionsOf(message);
      const mentioned = mentions.length > 0 && { mentions };
      const joined: SaidView[] = event.queued === undefined ? [] : [{ key: event.queued, text: textOf(message), images, ...mentioned }];
      const said = joined.length + notes.length > 0 ? { said: [...run.said, ...joined, ...notes] } : {};
      if (event.queued !== undefined) return { ...run, ...said };
      return { ...run, ...said, ...(images.length > 0 && { images }), ...mentioned };
    }
    case 'tool_started':
      return inCall({ ...run, steps: stepsAfter(run.steps, event) }, event.callId, event.name, (call) => {
        const answered = call.status === 'rejected' || call.answer?.approve;
        const status = !answered ? startedStatus[event.decision.kind] : call.status === 'rejected' ? 'rejected' : 'running';
        const { name, title, effect, targets, decision, source, command, hosts, at } = event;
        const begun = decision.kind === 'allow' && { begun: true as const };
        return { ...call, name, title, effect, targets, decision, source, command, hosts, status, at, ...begun };
      });
    case 'approval_requested':
      return inCall(askedAfter(run, event), event.callId, '', (call) => ({
        ...call,
        title: call.title ?? event.title,
        status: 'waiting',
        asked: [...call.asked, { request: event }],
      }));
    case 'approval_resolved': {
      const { approvalId, answer } = event;
      const status = answer.approve ? 'running' : 'rejected';
      return inCall(askedAfter(run, event), event.callId, '', (call) => {
        const asked = call.asked.map((each) => (each.request.approvalId === approvalId ? { ...each, answer } : each));
        return { ...call, answer, status, asked };
      });
    }
    case 'question_asked':
      return inCall(askedAfter(run, event), event.callId, '', (call) => ({ ...call, status: 'waiting' }));
    case 'question_answered': {
      const { questionId, answer } = event;
      const asked = run.questions.find((each) => each.questionId === questionId);
      const text = 'option' in answer ? [answer.option, answer.words].filter(Boolean).join(': ') : answer.words;
      const said = [...run.said, { key: questionId, text, ...(asked && { answers: asked.question.text }) }];
      return inCall({ ...askedAfter(run, event), said }, event.callId, '', (call) => ({ ...call, status: 'running' }));
    }
    case 'tool_progress':
      return inCall(run, event.callId, '', (call) => ({ ...call, progress: event.text }));
    case 'changes_staged':
    case 'changes_dropped':
      return withWritesOf(run, event);
    case 'file_changed':
      return inCall(withWritesOf(run, event), event.callId, '', (call) => ({ ...call, changes: [...call.changes, ...event.changes] }));
    case 'tool_finished': {
      const ended = inCall(askedAfter(withWritesOf(run, event), event), event.callId, event.result.name, (call) =>
        finishedCall(run, call, event),
      );
      const call = findCall(ended, event.callId);
      return call?.carriedOut && call.command !== undefined ? { ...ended, commands: [...ended.commands, call.command] } : ended;
    }
    case 'todo_changed':
      return { ...run, todo: event.items };
    case 'plan_proposed':
      return { ...run, proposal: { plan: event.plan } };
    case 'plan_step': {
      const others = run.unchangedSteps.filter((step) => step !== event.step);
      return { ...run, steps: stepsAfter(run.steps, event), unchangedSteps: event.unchanged ? [...others, event.step] : others };
    }
    case 'step_checked':
      return { ...withCommandOf(run, event), steps: stepsAfter(run.steps, event) };
    case 'plan_checked':
      return { ...withCommandOf(run, event), endChecks: endChecksAfter(run.endChecks, event) };
    case 'step_rolled_back': {
      const writes = rolledBack(run.writes, event.step, event.results);
      return { ...run, steps: stepsAfter(run.steps, event), writes, changes: changesOf(writes) };
    }
    case 'plan_revised':
      return withRevisedPlan(run, event);
    case 'budget_reached':
      return { ...run, limit: { limit: event.limit, max: event.max, unpriced: event.unpriced } };
    case 'limits_shrunk':
      return { ...run, shrunk: event.reason };
    case 'hook_ran': {
      const text = hookText(event);
      return run.hooks?.includes(text) ? run : { ...run, hooks: [...(run.hooks ?? []), text].slice(-MAX_HOOKS) };
    }
    case 'run_paused':
      return { ...cutOff(run), paused: { reason: event.reason, summary: event.summary } };
    case 'run_resumed': {
      const { paused: _, limit: __, finished: ___, ...rest } = cutOff(run);
      return rest;
    }
    case 'run_finished': {
      const { outcome, error, usage, cost, sessionCost, durationMs, receipt } = event;
      const finished = { outcome, error, usage, cost, sessionCost, durationMs, receipt };
      return { ...cutOff(run), approvals: [], questions: [], paused: undefined, finished };
    }
    default:
      return run;
  }
}

function withCommandOf(run: RunView, { check, outcome }: CheckResult): RunView {
  const hasRun = outcome !== 'not_run' && typeof check === 'object' && 'command' in check;
  return hasRun ? { ...run, commands: [...run.commands, check.command] } : run;
}

function withUse(finished: NonNullable<RunView['finished']>, usage: Usage, usd: number | undefined): NonNullable<RunView['finished']> {
  const { cost, sessionCost } = finished;
  const more = usd !== undefined && {
    cost: { ...cost, usd: (cost?.usd ?? 0) + usd },
    sessionCost: { ...sessionCost, usd: (sessionCost?.usd ?? 0) + usd },
  };
  return { ...finished, usage: addUsage(finished.usage, usage), ...more };
}
