/** The panel's state, reduced from the host's messages and from the user's actions in the panel. */

import { isSameMention, MAX_MENTIONS, type MentionChoice } from '../src/core/model/mentions.ts';
import type { MentionRef } from '../src/core/model/messages.ts';
import type { Plan } from '../src/core/plan/plan.ts';
import type { ChangeSummary, Review } from '../src/core/session/effects.ts';
import type { AgentEvent, Mode } from '../src/core/session/events.ts';
import type { ApprovalRequest } from '../src/core/session/session-state.ts';
import type { RunView } from '../src/core/view/run-view.ts';
import { EMPTY_VIEW, project, type SessionView } from '../src/core/view/session-view.ts';
import type { Mention, PanelState, ToPanel } from '../src/protocol/panel.ts';
import type { PastedImage } from './images.ts';

/** A file of a proposed change as the user edited it. */
export type EditedFile = Pick<ChangeSummary, 'diff' | 'added' | 'removed'> & { content: string };
export type PanelApproval = ApprovalRequest & { edited?: Readonly<Record<string, EditedFile>> };
/** A run, with the state that only the panel has. `reviews` contains, by path, the run's remaining changes in the files that the user has expanded. */
export type PanelRun = Omit<RunView, 'approvals'> & {
  approvals: readonly PanelApproval[];
  reviews?: Readonly<Record<string, Review>>;
};

/** A mention of the message that is being written. `isConfirmed` is set if the user has answered its question with yes. */
export type ChosenMention = Mention & { isConfirmed?: true };

/** A message with what is sent along. */
export type Draft = { id: string; text: string; images: readonly PastedImage[]; mentions: readonly ChosenMention[] };

export type PanelModel = Omit<SessionView, 'runs'> & {
  runs: readonly PanelRun[];
  /** The state of the host. It is absent until the host has sent it. */
  host?: PanelState;
  /** The mode that the user chose, until the host confirms it. A state that the host sent earlier must not reset it. */
  chosen?: Mode;
  sessionId?: string;
  earlierRuns: number;
  running: boolean;
  notice?: { level: 'info' | 'error'; text: string };
  /** Text for the composer. It is a new object each time, even if the text is the same. */
  compose?: { text: string };
  /** The choices for the mention that the user is typing. */
  found?: { query: string; choices: readonly MentionChoice[] };
  /** The mentions of the message that is being written. */
  mentions: readonly ChosenMention[];
  /** What the user is looking at in the editor. */
  suggested?: MentionRef | undefined;
  /** The messages that the host has not accepted yet. */
  sending: readonly Draft[];
  /** The messages that were not accepted and that the composer has not taken back yet. */
  returned: readonly Draft[];
  /** The plan to scroll to. It is a new object each time. */
  shown?: { planId: string };
  /**
   * Set when the user does something whose result appears at the end of the transcript, so that the transcript scrolls to its end. It is
   * a new object each time.
   */
  follow?: object;
  /** The plan whose card is being edited. */
  editing?: string;
};

/** A message from the panel's components to the panel's state. */
export type Local =
  | { type: 'choose_mode'; mode: Mode }
  | { type: 'plan_edited'; plan: Plan }
  | { type: 'editing_cancelled' }
  /** The user removed mentions or sent the message. */
  | { type: 'mentions_set'; mentions: readonly ChosenMention[] }
  | { type: 'message_sent'; draft: Draft }
  | { type: 'drafts_returned' }
  /** The user answered the question about a mention with yes. */
  | { type: 'mention_confirmed'; mention: ChosenMention }
  /** The panel has requested a new session. Messages that are sent before it arrives are meant for the new session. */
  | { type: 'session_left' }
  | { type: 'proposal_edit_dropped'; approvalId: string; path: string }
  | { type: 'follow' }
  | { type: 'notice_dismissed' };

export const EMPTY: PanelModel = { ...EMPTY_VIEW, mentions: [], sending: [], returned: [], earlierRuns: 0, running: false };

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
      // An empty text begins a new message.
      return { ...withMode(model, message.mode), compose: { text: message.text }, ...(message.text === '' && { mentions: [] }) };
    case 'choose_mode':
      return { ...withMode(model, message.mode), chosen: message.mode };
    case 'mentions_found':
      return { ...model, found: { query: message.query, choices: message.choices } };
    case 'add_mention':
      return withMention(model, { ref: message.ref, ...(message.question && { question: message.question }) });
    case 'mentions_set':
      return { ...model, mentions: message.mentions };
    case 'mention_confirmed':
      return {
        ...model,
        mentions: model.mentions.map((each) => (each.ref === message.mention.ref ? { ...each, isConfirmed: true } : each)),
      };
    case 'suggest_mention':
      return { ...model, suggested: message.ref };
    case 'message_sent':
      return { ...model, sending: [...model.sending, message.draft] };
    case 'sent':
      return { ...model, sending: model.sending.filter(({ id }) => id !== message.id) };
    case 'not_sent':
      return { ...withReturned(model, message.id), notice: { level: message.level, text: message.reason } };
    case 'drafts_returned':
      return { ...model, returned: [] };
    case 'edit_plan':
      return { ...model, editing: message.planId };
    case 'show_plan':
      return { ...model, shown: { planId: message.planId } };
    case 'plan_edited':
      return { ...withPlan(model, message.plan), editing: undefined };
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

/** Returns the run in progress. A run that is waiting for an answer counts even if a reload has ended the host's side of it. */
export function liveRun({ running, runs }: PanelModel): PanelRun | undefined {
  const last = runs.at(-1);
  return last && !last.finished && (running || last.approvals.length > 0 || last.questions.length > 0) ? last : undefined;
}

/** Returns the mode of the next prompt, or undefined while neither the host nor the user has named one. */
export function modeOf({ host, chosen }: PanelModel): Mode | undefined {
  return host?.mode ?? chosen;
}

/** The text and images of a message that was not accepted return through the composer, its mentions at once. */
function withReturned(model: PanelModel, id: string | undefined): PanelModel {
  const draft = model.sending.find((each) => each.id === id);
  if (!draft) return model;
  const newer = model.mentions.filter(({ ref }) => !draft.mentions.some((each) => isSameMention(each.ref, ref)));
  return {
    ...model,
    sending: model.sending.filter((each) => each !== draft),
    returned: [...model.returned, draft],
    mentions: [...draft.mentions, ...newer].slice(0, MAX_MENTIONS),
  };
}

/** Whether the host is reading what the user mentioned in a message. */
export function isReading({ sending }: PanelModel): boolean {
  return sending.some(({ mentions }) => mentions.length > 0);
}

function withMention(model: PanelModel, mention: Mention): PanelModel {
  if (model.mentions.some(({ ref }) => isSameMention(ref, mention.ref))) return model;
  if (model.mentions.length < MAX_MENTIONS) return { ...model, mentions: [...model.mentions, mention] };
  return { ...model, notice: { level: 'info', text: `A message can contain at most ${MAX_MENTIONS} mentions. Remove one first.` } };
}

/** Returns the mention that the user has to confirm before the message can be sent. */
export function questionOf(mentions: readonly ChosenMention[]): ChosenMention | undefined {
  return mentions.find(({ question, isConfirmed }) => question && !isConfirmed);
}

function withMode(model: PanelModel, mode: Mode | undefined): PanelModel {
  return model.host && mode ? { ...model, host: { ...model.host, mode } } : model;
}

function withState(model: PanelModel, host: PanelState): PanelModel {
  if (!model.chosen || host.mode === model.chosen) return { ...model, host, chosen: undefined };
  return { ...model, host: { ...host, mode: model.chosen } };
}

/** Replaces a proposed plan with the user's edited version, which is not confirmed yet. */
function withPlan(model: PanelModel, plan: Plan): PanelModel {
  const runs = model.runs.map((run) => (run.proposal?.plan.id === plan.id ? { ...run, proposal: { ...run.proposal, plan } } : run));
  return { ...model, runs };
}

function withRun(model: PanelModel, runId: string, change: (run: PanelRun) => PanelRun): PanelModel {
  return { ...model, runs: model.runs.map((run) => (run.id === runId ? change(run) : run)) };
}

type Edited = NonNullable<PanelApproval['edited']>;

function withEdited(model: PanelModel, approvalId: string, change: (edited: Edited) => Edited): PanelModel {
  const runs = model.runs.map((run) => {
    if (!run.approvals.some((approval) => approval.approvalId === approvalId)) return run;
    const approvals = run.approvals.map((each) => (each.approvalId === approvalId ? { ...each, edited: change(each.edited ?? {}) } : each));
    return { ...run, approvals };
  });
  return { ...model, runs };
}

function addEvent(model: PanelModel, event: AgentEvent): PanelModel {
  const view = project(model, event);
  return view === model ? model : reducePanelState({ ...model, ...view }, event);
}

/** Applies an event to the state that only the panel has. */
function reducePanelState(model: PanelModel, event: AgentEvent): PanelModel {
  switch (event.type) {
    case 'run_paused':
      // The run is waiting until its plan is edited, so the editor opens by itself.
      return event.reason === 'edit_plan' ? { ...model, editing: model.runs.find(({ id }) => id === event.runId)?.plan?.id } : model;
    case 'plan_revised':
    case 'run_resumed':
      return { ...model, editing: undefined };
    case 'changes_undone':
      return withRun(model, event.undoneRunId, withoutReviews);
    case 'changes_restored':
      return { ...model, runs: model.runs.map(withoutReviews) };
    default:
      return model;
  }
}

/** Drops the remaining changes of a run's files, which are no longer correct. */
const withoutReviews = ({ reviews: _, ...run }: PanelRun): PanelRun => run;

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

/** Keeps what is not in the log when the host sends the same session again: streamed text, and a plan or file that is edited but not confirmed. */
function keepUnlogged(run: PanelRun, before: readonly PanelRun[]): PanelRun {
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
