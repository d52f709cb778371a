/** The panel's one state: a pure fold over what the host says and over the few things that are the panel's own. */
import type { AgentEvent, Mode } from '../src/core/events.ts';
import { isDurable } from '../src/core/events.ts';
import type { Plan } from '../src/core/plan.ts';
import type { PanelState, ToPanel } from '../src/protocol/panel.ts';
import { newRun, type RunView, reduceRun } from './run-view.ts';

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
  notice?: { level: 'info' | 'error'; text: string };
  /** Text for the composer; a new object each time, even where the text is the same. */
  compose?: { text: string };
  /** The plan whose card is being edited. */
  editing?: string;
};

/** What only the panel knows. */
export type Local =
  | { type: 'choose_mode'; mode: Mode }
  | { type: 'plan_edited'; plan: Plan }
  | { type: 'editing_cancelled' }
  | { type: 'notice_dismissed' };

export const EMPTY: PanelModel = { title: '', earlierRuns: 0, running: false, runs: [], lastSeq: 0 };

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
    case 'plan_edited':
      return { ...withPlan(model, message.plan.id, { plan: message.plan }), editing: undefined };
    case 'editing_cancelled':
      return { ...model, editing: undefined };
    case 'notice':
      return { ...model, notice: { level: message.level, text: message.text } };
    case 'notice_dismissed':
      return { ...model, notice: undefined };
  }
}

/** The run that is going on now. One that waits for an approval is, even where a reload took the host's side of it away. */
export function liveRun({ running, runs }: PanelModel): RunView | undefined {
  const last = runs.at(-1);
  return last && !last.finished && (running || last.approvals.length > 0) ? last : undefined;
}

function withMode(model: PanelModel, mode: Mode | undefined): PanelModel {
  return model.host && mode ? { ...model, host: { ...model.host, mode } } : model;
}

function withState(model: PanelModel, host: PanelState): PanelModel {
  if (!model.chosen || host.mode === model.chosen) return { ...model, host, chosen: undefined };
  return { ...model, host: { ...host, mode: model.chosen } };
}

function withPlan(model: PanelModel, planId: string, change: { plan?: Plan; resolved?: 'run' | 'discard' }): PanelModel {
  const runs = model.runs.map((run) =>
    run.proposal?.plan.id === planId ? { ...run, proposal: { ...run.proposal, ...change, plan: change.plan ?? run.proposal.plan } } : run,
  );
  return { ...model, runs };
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
    return {
      ...next,
      undoneRunId: event.undoneRunId,
      runs: next.runs.map((run) => (run.id === event.undoneRunId ? { ...run, undone: event.results } : run)),
    };
  }
  const index = next.runs.findLastIndex((run) => run.id === event.runId);
  const run = next.runs[index];
  if (run) return { ...next, runs: next.runs.with(index, reduceRun(run, event)) };
  // Only its beginning makes a run: what belongs to a run that is not shown is not shown either.
  if (event.type !== 'run_started') return next;
  const title = next.title || (event.prompt.split('\n', 1)[0] ?? '');
  return { ...next, title, runs: [...next.runs, reduceRun(newRun(event.runId), event)] };
}

function openSession(model: PanelModel, message: Extract<ToPanel, { type: 'session' }>): PanelModel {
  const { sessionId, title, earlierRuns, running } = message;
  const fresh: PanelModel = { ...model, sessionId, title, earlierRuns, running, runs: [], lastSeq: 0 };
  const opened = message.events.reduce(addEvent, fresh);
  if (sessionId !== model.sessionId) return { ...opened, notice: undefined, editing: undefined };
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
  return { ...run, turns, proposal };
}
