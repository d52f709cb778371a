/** The panel's one state: a pure fold over what the host says and over the few things that are the panel's own. */

import { textOf } from '../src/core/model/messages.ts';
import type { Plan } from '../src/core/plan/plan.ts';
import { finishedSteps } from '../src/core/plan/progress.ts';
import type { AgentEvent, Mode } from '../src/core/session/events.ts';
import { isDurable } from '../src/core/session/events.ts';
import type { PanelState, ToPanel } from '../src/protocol/panel.ts';
import { type ApprovalView, newRun, type ProposalView, type RunView, reduceRun } from './run-view.ts';

export type PanelModel = {
  /** What the host said of itself; absent until it has. */
  host?: PanelState;
  /** The mode that the user chose, until the host has said it too: a state that was on its way does not take it back. */
  chosen?: Mode;
  sessionId?: string;
  title: string;
  earlierRuns: number;
  running: boolean;
  runs: readonly RunView[];
  /** The newest durable event that was folded in. */
  lastSeq: number;
  /** The run that was undone last, until something else happens. */
  undoneRunId?: string;
  /** What the last restore did, until the next run begins or something else is taken back. */
  restored?: Restored;
  /** What the user said and the model has not heard yet. */
  queue: readonly QueuedView[];
  notice?: { level: 'info' | 'error'; text: string };
  /** Text for the composer; a new object each time, even where the text is the same. */
  compose?: { text: string };
  /** The plan that the user looks for; a new object each time. */
  shown?: { planId: string };
  /** The user asked for something that will stand at the end; a new object each time. */
  follow?: object;
  /** The plan whose card is being edited. */
  editing?: string;
};

export type Restored = Extract<AgentEvent, { type: 'changes_restored' }>;

/** `images` is how many came with it. */
export type QueuedView = { id: string; text: string; images: number };

/** What only the panel knows. */
export type Local =
  | { type: 'choose_mode'; mode: Mode }
  | { type: 'plan_edited'; plan: Plan }
  | { type: 'editing_cancelled' }
  /** A new session is on its way: what is sent before it comes is for it. */
  | { type: 'session_left' }
  | { type: 'proposal_edit_dropped'; approvalId: string; path: string }
  | { type: 'follow' }
  | { type: 'notice_dismissed' };

export const EMPTY: PanelModel = { title: '', earlierRuns: 0, running: false, runs: [], lastSeq: 0, queue: [] };

export function reduce(model: PanelModel, message: ToPanel | Local): PanelModel {
  switch (message.type) {
    case 'state':
      return withState(model, message.state);
    case 'session':
      return openSession(model, message);
    case 'events':
      if (message.sessionId !== model.sessionId) return model;
      return { ...message.events.reduce(addEvent, model), running: message.running };
    case 'compose':
      return { ...withMode(model, message.mode), compose: { text: message.text } };
    case 'choose_mode':
      return { ...withMode(model, message.mode), chosen: message.mode };
    case 'edit_plan':
      return { ...model, editing: message.planId };
    case 'show_plan':
      return { ...model, shown: { planId: message.planId } };
    case 'plan_edited':
      return { ...withPlan(model, message.plan.id, { plan: message.plan }), editing: undefined };
    case 'session_left':
      return { ...model, sessionId: undefined, notice: undefined };
    case 'editing_cancelled':
      return { ...model, editing: undefined };
    case 'follow':
      return { ...model, follow: {} };
    case 'proposal_edited': {
      const { approvalId, path, content, diff, added, removed } = message;
      return withEdited(model, approvalId, (edited) => ({ ...edited, [path]: { content, diff, added, removed } }));
    }
    case 'proposal_edit_dropped':
      return withEdited(model, message.approvalId, ({ [message.path]: _, ...others }) => others);
    case 'file_review': {
      const { runId, path, review } = message;
      return withRun(model, runId, (run) => ({ ...run, reviews: { ...run.reviews, [path]: review } }));
    }
    case 'notice':
      return { ...model, notice: { level: message.level, text: message.text } };
    case 'notice_dismissed':
      return { ...model, notice: undefined };
  }
}

/** The run that is going on now. One that waits for an approval is, even where a reload took the host's side of it away. */
export function liveRun({ running, runs }: PanelModel): RunView | undefined {
  const last = runs.at(-1);
  return last && !last.finished && (running || last.approvals.length > 0 || last.questions.length > 0) ? last : undefined;
}

function withMode(model: PanelModel, mode: Mode | undefined): PanelModel {
  return model.host && mode ? { ...model, host: { ...model.host, mode } } : model;
}

function withState(model: PanelModel, host: PanelState): PanelModel {
  if (!model.chosen || host.mode === model.chosen) return { ...model, host, chosen: undefined };
  return { ...model, host: { ...host, mode: model.chosen } };
}

function withPlan(model: PanelModel, planId: string, change: { plan?: Plan; resolved?: ProposalView['resolved'] }): PanelModel {
  const runs = model.runs.map((run) =>
    run.proposal?.plan.id === planId ? { ...run, proposal: { ...run.proposal, ...change, plan: change.plan ?? run.proposal.plan } } : run,
  );
  return { ...model, runs };
}

function withRun(model: PanelModel, runId: string, change: (run: RunView) => RunView): PanelModel {
  return { ...model, runs: model.runs.map((run) => (run.id === runId ? change(run) : run)) };
}

type Edited = NonNullable<ApprovalView['edited']>;

function withEdited(model: PanelModel, approvalId: string, change: (edited: Edited) => Edited): PanelModel {
  const runs = model.runs.map((run) => {
    if (!run.approvals.some((approval) => approval.approvalId === approvalId)) return run;
    const approvals = run.approvals.map((each) => (each.approvalId === approvalId ? { ...each, edited: change(each.edited ?? {}) } : each));
    return { ...run, approvals };
  });
  return { ...model, runs };
}

/** What was shown of its changes is no longer so. */
function undoneRun(run: RunView, { results, undoId, part }: Extract<AgentEvent, { type: 'changes_undone' }>): RunView {
  const { reviews: _, ...rest } = run;
  if (!part) return { ...rest, undone: results, undoId, parts: undefined };
  const result = results.find(({ path }) => path === part.path) ?? results[0];
  return result ? { ...rest, parts: { ...run.parts, [part.path]: { result, hunk: part.hunk !== undefined } } } : rest;
}

/** All runs that began after that point are taken back; those that the undone undo had taken back are there again. */
function restoredBy({ runs }: PanelModel, { undoId, to }: Restored): (run: RunView, index: number) => RunView {
  if ('undoId' in to) {
    return ({ reviews: _, ...run }) => ({
      ...run,
      ...(run.undoId === to.undoId && { undone: undefined, undoId: undefined }),
      ...(run.restoredBy === to.undoId && { restoredBy: undefined }),
    });
  }
  const from = runs.findIndex(({ id }) => id === to.runId) + (to.callId === undefined ? 0 : 1);
  return ({ reviews: _, ...run }, index) => (index >= from ? { ...run, restoredBy: undoId } : run);
}

/**
 * A durable event counts once, by its number; a transient one counts unless a durable one has already overtaken it,
 * as what is still on its way when a session is sent again.
 */
function addEvent(model: PanelModel, event: AgentEvent): PanelModel {
  if (isDurable(event) ? event.seq <= model.lastSeq : event.seq < model.lastSeq) return model;
  const next = isDurable(event) ? { ...model, lastSeq: event.seq, undoneRunId: undefined } : model;
  if (event.type === 'plan_resolved') return withPlan(next, event.planId, { plan: event.plan, resolved: event.answer });
  if (event.type === 'changes_undone') {
    const shown = withRun({ ...next, restored: undefined }, event.undoneRunId, (run) => undoneRun(run, event));
    return event.part ? shown : { ...shown, undoneRunId: event.undoneRunId };
  }
  if (event.type === 'changes_restored') return { ...next, restored: event, runs: next.runs.map(restoredBy(next, event)) };
  const queue = queueAfter(next.queue, event);
  if (queue !== next.queue) return { ...addToRun(next, event), queue };
  return addToRun(next, event);
}

function queueAfter(queue: readonly QueuedView[], event: AgentEvent): readonly QueuedView[] {
  switch (event.type) {
    case 'message_queued': {
      const { id, message } = event;
      const view = { id, text: textOf(message), images: message.content.filter(({ type }) => type === 'image').length };
      return queue.some((each) => each.id === id) ? queue.map((each) => (each.id === id ? view : each)) : [...queue, view];
    }
    case 'message_unqueued':
      return queue.filter(({ id }) => id !== event.id);
    case 'message_added':
      return event.queued === undefined ? queue : queue.filter(({ id }) => id !== event.queued);
    default:
      return queue;
  }
}

/** What an event means for plans beside the run that it is of. */
function besidesRun(model: PanelModel, event: AgentEvent): PanelModel {
  switch (event.type) {
    case 'plan_proposed':
      return event.plan.supersedes === undefined ? model : withPlan(model, event.plan.supersedes, { resolved: 'superseded' });
    case 'run_paused':
      // The run waits for its plan to be edited, so that opens by itself.
      return event.reason === 'edit_plan' ? { ...model, editing: model.runs.find(({ id }) => id === event.runId)?.plan?.id } : model;
    case 'plan_revised':
    case 'run_resumed':
      return { ...model, editing: undefined };
    default:
      return model;
  }
}

function addToRun(model: PanelModel, event: AgentEvent): PanelModel {
  const next = besidesRun(model, event);
  const index = next.runs.findLastIndex((run) => run.id === event.runId);
  const run = next.runs[index];
  if (run) return { ...next, runs: next.runs.with(index, reduceRun(run, event)) };
  // Only its beginning makes a run: what belongs to a run that is not shown is not shown either.
  if (event.type !== 'run_started') return next;
  const title = next.title || (event.prompt.split('\n', 1)[0] ?? '');
  const steps = finishedSteps(next.runs.find(({ id }) => id === event.resumes)?.steps ?? {});
  return { ...next, title, restored: undefined, runs: [...next.runs, reduceRun({ ...newRun(event.runId), steps }, event)] };
}

function openSession(model: PanelModel, message: Extract<ToPanel, { type: 'session' }>): PanelModel {
  const { sessionId, title, earlierRuns, running } = message;
  const fresh: PanelModel = {
    ...model,
    ...(sessionId !== model.sessionId && { editing: undefined }),
    sessionId,
    title,
    earlierRuns,
    running,
    runs: [],
    lastSeq: 0,
    queue: [],
  };
  const opened = message.events.reduce(addEvent, fresh);
  if (sessionId !== model.sessionId) return { ...opened, notice: undefined };
  return { ...opened, runs: opened.runs.map((run) => keepUnlogged(run, model.runs)) };
}

/** The same session sent again lacks what is in no log: the text streamed so far, and a plan that is edited but not yet confirmed. */
function keepUnlogged(run: RunView, before: readonly RunView[]): RunView {
  const old = before.find((other) => other.id === run.id);
  if (!old) return run;
  const last = run.turns.at(-1);
  const streamed = old.turns[run.turns.length - 1];
  const turns =
    last && streamed && !last.settled && !streamed.settled ? [...run.turns.slice(0, -1), { ...streamed, calls: last.calls }] : run.turns;
  const mine = old.proposal?.plan;
  const proposal =
    run.proposal && !run.proposal.resolved && mine?.id === run.proposal.plan.id && mine.revision > run.proposal.plan.revision
      ? { ...run.proposal, plan: mine }
      : run.proposal;
  const edited = new Map(old.approvals.map((approval) => [approval.approvalId, approval.edited]));
  const approvals = run.approvals.map((approval) => ({ ...approval, edited: edited.get(approval.approvalId) }));
  return { ...run, turns, proposal, ...(approvals.length > 0 && { approvals }) };
}
