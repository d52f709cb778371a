/** The panel's state, reduced from the host's messages and from the user's actions in the panel. */

import { isSameMention, MAX_MENTIONS } from '../src/core/model/mentions.ts';
import type { Plan } from '../src/core/plan/plan.ts';
import type { AgentEvent, Mode } from '../src/core/session/events.ts';
import { EMPTY_VIEW, project } from '../src/core/view/session-view.ts';
import type { Mention, PanelState, ToPanel } from '../src/protocol/panel.ts';
import type { ChosenMention, Local, PanelApproval, PanelModel, PanelRun } from './model.ts';

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
    case 'branches':
      return message.sessionId === model.sessionId ? { ...model, branches: message } : model;
    case 'other_waits':
      return { ...model, otherWaits: message.session };
    case 'compose':
      // An empty text starts a new message.
      return {
        ...withMode(model, message.mode),
        page: undefined,
        compose: { text: message.text },
        ...(message.text === '' && { mentions: [] }),
      };
    case 'choose_mode':
      return { ...withMode(model, message.mode), chosen: message.mode };
    case 'mentions_found':
      return { ...model, found: { query: message.query, choices: message.choices } };
    case 'commands_found':
      return {
        ...model,
        commands: message.commands.map(({ command, text: detail, ...more }) => ({
          command,
          label: command,
          detail,
          icon: 'file',
          ...more,
        })),
      };
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
    case 'text_returned': {
      const notice = { level: 'info', text: 'The queued message was already sent. Your edit is in the input box.' } as const;
      return { ...model, returned: [...model.returned, { id: '', text: message.text, images: [], mentions: [] }], notice };
    }
    case 'drafts_returned':
      return { ...model, returned: [] };
    case 'edit_plan':
      return { ...model, page: undefined, editing: message.planId };
    case 'show_plan':
      return { ...model, page: undefined, shown: { planId: message.planId } };
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
    case 'hunks_chosen':
      return withApproval(model, message.approvalId, (approval) => ({ ...approval, rejected: message.rejected }));
    case 'proposal_edit_dropped':
      return withEdited(model, message.approvalId, ({ [message.path]: _, ...others }) => others);
    case 'file_review': {
      const { runId, path, review } = message;
      return withRun(model, runId, (run) => ({ ...run, reviews: { ...run.reviews, [path]: review } }));
    }
    case 'notice':
      return { ...model, notice: { level: message.level, text: message.text } };
    case 'lesson':
      return { ...model, lesson: message.lesson };
    case 'show_page':
      return model.page?.name === message.name ? model : { ...model, page: { name: message.name } };
    case 'page':
      return model.page?.name === message.name ? { ...model, page: message } : model;
    case 'show_conversation':
    case 'page_closed':
      return { ...model, page: undefined };
    case 'notice_dismissed':
      return { ...model, notice: undefined };
    case 'image':
    case 'agents_found':
    case 'take_focus':
      return model;
  }
}

/** Returns the run in progress. This includes a run that is waiting for an answer, even if a reload has ended its execution in the host. */
export function liveRun({ running, runs }: PanelModel): PanelRun | undefined {
  const last = runs.at(-1);
  return last && !last.finished && (running || last.approvals.length > 0 || last.questions.length > 0) ? last : undefined;
}

/** Returns the mode of the next prompt, or undefined while neither the host nor the user has chosen one. */
export function modeOf({ host, chosen }: PanelModel): Mode | undefined {
  return host?.mode ?? chosen;
}

/** Gives a message that was not accepted back to the user: its mentions immediately, and its text and images through the composer. */
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

/** Returns true if the host is reading what the user mentioned in a message. */
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
  return withApproval(model, approvalId, (approval) => ({ ...approval, edited: change(approval.edited ?? {}) }));
}

function withApproval(model: PanelModel, approvalId: string, change: (approval: PanelApproval) => PanelApproval): PanelModel {
  const runs = model.runs.map((run) => {
    if (!run.approvals.some((approval) => approval.approvalId === approvalId)) return run;
    return { ...run, approvals: run.approvals.map((each) => (each.approvalId === approvalId ? change(each) : each)) };
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
      // The run is waiting until its plan is edited, so the editor opens automatically.
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

/** Removes the reviews of a run's files, because they are out of date. */
const withoutReviews = ({ reviews: _, ...run }: PanelRun): PanelRun => run;

/** The values to which the fields of a session are reset when another session is shown. */
const LEFT: Partial<PanelModel> = {
  editing: undefined,
  branches: undefined,
  restored: undefined,
  undoneRunId: undefined,
  lesson: undefined,
};

function openSession(model: PanelModel, message: Extract<ToPanel, { type: 'session' }>): PanelModel {
  const { sessionId, title, earlierRuns, running } = message;
  const fresh: PanelModel = {
    ...model,
    ...(sessionId !== model.sessionId && LEFT),
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

/**
 * When the host sends the same session again, keeps the parts that are not in the log: streamed text, and a plan or file that is edited but
 * not confirmed.
 */
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
