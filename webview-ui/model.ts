/** The types of the panel's state. `state.ts` reduces it. */

import type { MentionChoice } from '../src/core/model/mentions.ts';
import type { MentionRef } from '../src/core/model/messages.ts';
import type { Plan } from '../src/core/plan/plan.ts';
import type { ChangeSummary, Review } from '../src/core/session/effects.ts';
import type { Mode } from '../src/core/session/events.ts';
import type { ApprovalRequest } from '../src/core/session/session-state.ts';
import type { RunView } from '../src/core/view/run-view.ts';
import type { SessionView } from '../src/core/view/session-view.ts';
import type { PageData, PageName } from '../src/protocol/pages.ts';
import type { Branches, Mention, OtherSession, PanelState, ToPanel } from '../src/protocol/panel.ts';
import type { IconName } from './components/icons.ts';
import type { PastedImage } from './images.ts';

/** A command that the user can write at the start of a message. `takes` says what can follow it. */
export type CommandChoice = { command: string; icon: IconName; label: string; detail: string; takes?: string };

/** A file of a proposed change as the user edited it. */
export type EditedFile = Pick<ChangeSummary, 'diff' | 'added' | 'removed'> & { content: string };
/** `rejected` are the hunks that the user rejected in the editor, by path. */
export type PanelApproval = ApprovalRequest & {
  edited?: Readonly<Record<string, EditedFile>>;
  rejected?: Readonly<Record<string, readonly number[]>>;
};
/** A run, with the state that only the panel has. `reviews` contains, by path, the run's remaining changes in the files that the user has expanded. */
export type PanelRun = Omit<RunView, 'approvals'> & {
  approvals: readonly PanelApproval[];
  reviews?: Readonly<Record<string, Review>>;
};

/** A mention of the message that is being written. `isConfirmed` is set if the user has answered its question with yes. */
export type ChosenMention = Mention & { isConfirmed?: true };

/** A message with its images and mentions. */
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
  /** The commands of the prompt files. */
  commands?: readonly CommandChoice[];
  /** The mentions of the message that is being written. */
  mentions: readonly ChosenMention[];
  /** The active file or selection in the editor. */
  suggested?: MentionRef | undefined;
  /** The page in front of the conversation. */
  page?: OpenPage;
  /** The messages that the host has not accepted yet. */
  sending: readonly Draft[];
  /** The messages that were not accepted and have not been put back into the composer yet. */
  returned: readonly Draft[];
  /** The sessions that the shown session is related to, once the host has sent them. */
  branches?: Branches | undefined;
  /** The proposal to remember something after a run. */
  lesson?: Extract<ToPanel, { type: 'lesson' }>['lesson'] | undefined;
  /** Another session that waits for the user. */
  otherWaits?: OtherSession | undefined;
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

/** A page that is shown. `data` is absent until the host has sent it. */
export type OpenPage = { [P in PageName]: { name: P; data?: PageData[P] } }[PageName];

/** A message from the panel's components to the panel's state. */
export type Local =
  | { type: 'choose_mode'; mode: Mode }
  | { type: 'plan_edited'; plan: Plan }
  | { type: 'editing_cancelled' }
  /** The user removed mentions or sent the message. */
  | { type: 'mentions_set'; mentions: readonly ChosenMention[] }
  | { type: 'message_sent'; draft: Draft }
  | { type: 'drafts_returned' }
  /** The user edited a queued message, which was sent before the edit was complete. */
  | { type: 'text_returned'; text: string }
  /** The user answered yes to the question about a mention. */
  | { type: 'mention_confirmed'; mention: ChosenMention }
  /** The panel has requested a new session. Messages that are sent before it arrives are meant for the new session. */
  | { type: 'session_left' }
  | { type: 'proposal_edit_dropped'; approvalId: string; path: string }
  | { type: 'page_closed' }
  | { type: 'follow' }
  | { type: 'notice_dismissed' };
