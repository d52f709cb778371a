/**
 * The view of a session for all code that displays or counts its events: panel, Chat, terminal, receipt and policy. It is updated event by
 * event and is immutable, so that hosts redraw only what an event changes. The run loop uses the state in core/session/reduce.ts. A
 * property test checks that the view and that state agree.
 */

import { type MentionRef, textOf } from '../model/messages.ts';
import { mentionsOf } from '../model/notes.ts';
import { finishedSteps, refusedPaths, replaces } from '../plan/progress.ts';
import type { Rating } from '../session/answers.ts';
import { isChildRun, rootRunId } from '../session/children/child-ids.ts';
import { type AgentEvent, type EventBody, isDurable, type SessionParent, type WorktreeOutcome } from '../session/events.ts';
import type { EventList } from '../session/lists.ts';
import { titleOf } from '../session/title.ts';
import { reduceRun } from './reduce-run.ts';
import { isTakenBack, newRun, type ProposalView, type RunView } from './run-view.ts';

export type SessionView = {
  title: string;
  runs: readonly RunView[];
  /** The sequence number of the newest durable event that was applied. */
  lastSeq: number;
  /** Messages from the user that the model has not received yet. */
  queue: readonly QueuedView[];
  /** The run that was undone last. It is cleared by the next durable event. */
  undoneRunId?: string | undefined;
  /** The result of the last restore. It is cleared when the next run begins or changes are undone. */
  restored?: Restored | undefined;
  isPinned?: boolean;
  /** The session that this one is a fork of. */
  parent?: SessionParent;
  /** The number of the last event that was imported from a file. The changes of runs up to this event cannot be undone. */
  importedUntil?: number;
};

/** `images` is the number of images that were attached. */
export type QueuedView = { id: string; text: string; images: number; mentions?: readonly MentionRef[] };

export type Restored = Extract<AgentEvent, { type: 'changes_restored' }>;

export const EMPTY_VIEW: SessionView = { title: '', runs: [], lastSeq: 0, queue: [] };

/**
 * Returns the view after an event, or the same view if the event was already applied. A transient event is ignored if a later durable event
 * was already applied, which can happen while a session is sent to the panel again.
 */
export function project(view: SessionView, event: AgentEvent): SessionView {
  if (isDurable(event) ? event.seq <= view.lastSeq : event.seq < view.lastSeq) return view;
  const next = isDurable(event) ? { ...view, lastSeq: event.seq, undoneRunId: undefined } : view;
  switch (event.type) {
    case 'plan_proposed': {
      const { plan } = event;
      const others = withProposals(next, (proposal) =>
        replaces(plan, proposal.plan.id, proposal.resolved !== undefined) ? { ...proposal, resolved: 'superseded' } : proposal,
      );
      return inRun(others, event);
    }
    case 'plan_resolved': {
      const { planId, answer: resolved } = event;
      return withProposals(next, (proposal) =>
        proposal.plan.id === planId ? { ...proposal, plan: event.plan ?? proposal.plan, resolved } : proposal,
      );
    }
    case 'changes_undone': {
      const runs = next.runs.map((run) => (run.id === event.undoneRunId ? undone(run, event) : run));
      return { ...next, restored: undefined, runs, ...(!event.part && { undoneRunId: event.undoneRunId }) };
    }
    case 'changes_restored':
      return { ...next, restored: event, runs: next.runs.map(restored(next, event)) };
    case 'answer_rated': {
      const { runId, rating, words } = event;
      return { ...next, runs: next.runs.map((run) => (run.id === runId ? rated(run, rating, words) : run)) };
    }
    case 'session_renamed':
    case 'session_titled':
      return { ...next, title: event.title };
    case 'session_pinned':
      return { ...next, isPinned: event.pinned };
    case 'session_forked':
      return { ...next, parent: event.parent };
    case 'session_imported': {
      const { runs } = withProposals(next, (proposal) => (proposal.resolved ? proposal : { ...proposal, resolved: 'discard' }));
      return { ...next, runs: runs.map((run) => ({ ...run, isImported: true })), restored: undefined, importedUntil: event.seq };
    }
    case 'session_worktree_closed':
      return { ...next, runs: next.runs.map((run) => (run.worktreeId === event.worktree ? left(run, event.outcome) : run)) };
    case 'message_queued':
    case 'message_unqueued':
    case 'message_added':
      return { ...inRun(next, event), queue: queueAfter(next.queue, event) };
    default:
      return inRun(next, event);
  }
}

export function runIn({ runs }: SessionView, runId: string): RunView {
  return runs.find(({ id }) => id === runId) ?? newRun(runId);
}

/** Computes the view of a session from its log. */
export function readView(events: Iterable<AgentEvent>): SessionView {
  let view = EMPTY_VIEW;
  for (const event of events) view = project(view, event);
  return view;
}

/** Computes the view of the last run from its log. */
export function readLastRun(events: EventList): RunView | undefined {
  const last = events.facts().findLast(({ type, runId }) => type === 'run_started' && !isChildRun(runId));
  return last && readRun(events, last.runId);
}

/** The events of other runs, and of the session, that change the view of a run. */
const ABOUT_RUNS: ReadonlySet<EventBody['type']> = new Set([
  'plan_proposed',
  'plan_resolved',
  'changes_undone',
  'changes_restored',
  'answer_rated',
  'session_imported',
  'session_worktree_closed',
]);

/**
 * Computes the view of one run from its log. Events of other runs are read only if they concern this run, or if this run continues their
 * plan.
 */
export function readRun(events: EventList, runId: string): RunView {
  const facts = events.facts();
  // A restore affects all runs after a point in the session, so all of them must be known.
  const needsAll = facts.some(({ type }) => type === 'changes_restored');
  const own = new Set<string>();
  for (let id: string | undefined = runId; id !== undefined && !own.has(id); id = resumedBy(events, id)) own.add(id);
  const selected = events.select(
    ({ type, runId: of }) => own.has(rootRunId(of)) || ABOUT_RUNS.has(type) || (needsAll && type === 'run_started'),
  );
  return runIn(readView(selected), runId);
}

function resumedBy(events: EventList, id: string): string | undefined {
  return events.ofType('run_started', id)[0]?.resumes;
}

function inRun(view: SessionView, event: AgentEvent): SessionView {
  const index = view.runs.findLastIndex((run) => run.id === rootRunId(event.runId));
  const run = view.runs[index];
  if (run) return { ...view, runs: view.runs.with(index, reduceRun(run, event)) };
  // Only `run_started` adds a run. Other events of an unknown run are ignored.
  if (event.type !== 'run_started' || isChildRun(event.runId)) return view;
  const { steps, endChecks } = view.runs.find(({ id }) => id === event.resumes) ?? newRun('');
  const begun = reduceRun({ ...newRun(event.runId), steps: finishedSteps(steps), endChecks }, event);
  return { ...view, title: view.title || titleOf(event.prompt), restored: undefined, runs: [...view.runs, begun] };
}

function withProposals(view: SessionView, change: (proposal: ProposalView) => ProposalView): SessionView {
  const runs = view.runs.map((run) => {
    const proposal = run.proposal && change(run.proposal);
    return proposal === run.proposal ? run : { ...run, proposal };
  });
  return { ...view, runs };
}

function left(run: RunView, outcome: WorktreeOutcome): RunView {
  return { ...run, worktree: outcome, isImported: true, ...(outcome !== 'applied' && { steps: {}, endChecks: [] }) };
}

function rated({ rating: _, ...run }: RunView, rating: Rating | 'none', words: string | undefined): RunView {
  return rating === 'none' ? run : { ...run, rating: { rating, ...(words && { words }) } };
}

function undone(run: RunView, { results, undoId, part }: Extract<AgentEvent, { type: 'changes_undone' }>): RunView {
  if (!part) return { ...run, undone: results, undoId, parts: undefined };
  const result = results.find(({ path }) => path === part.path) ?? results[0];
  return result ? { ...run, parts: { ...run.parts, [part.path]: { result, hunk: part.hunk !== undefined } } } : run;
}

/**
 * Marks the runs that began after the restore point as undone. Runs that were already undone are not marked. If a file could not be
 * restored, no run is marked. Undoing a restore removes its marks.
 */
function restored({ runs }: SessionView, { undoId, to, results }: Restored): (run: RunView, index: number) => RunView {
  if ('undoId' in to) {
    return (run) => ({
      ...run,
      ...(run.undoId === to.undoId && { undone: undefined, undoId: undefined }),
      ...(run.restoredBy === to.undoId && { restoredBy: undefined }),
    });
  }
  if (refusedPaths(results).size > 0) return (run) => run;
  const from = runs.findIndex(({ id }) => id === to.runId) + (to.callId === undefined ? 0 : 1);
  return (run, index) => (index >= from && !isTakenBack(run) ? { ...run, restoredBy: undoId } : run);
}

type QueueEvent = Extract<AgentEvent, { type: 'message_queued' | 'message_unqueued' | 'message_added' }>;

function queueAfter(queue: readonly QueuedView[], event: QueueEvent): readonly QueuedView[] {
  if (event.type !== 'message_queued') {
    const id = event.type === 'message_unqueued' ? event.id : event.queued;
    return queue.some((each) => each.id === id) ? queue.filter((each) => each.id !== id) : queue;
  }
  const { id, message } = event;
  const mentions = mentionsOf(message);
  const images = message.content.filter(({ type }) => type === 'image').length;
  const view = { id, text: textOf(message), images, ...(mentions.length > 0 && { mentions }) };
  return queue.some((each) => each.id === id) ? queue.map((each) => (each.id === id ? view : each)) : [...queue, view];
}
