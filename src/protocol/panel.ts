/** The messages between the panel and the extension host. The host validates the panel's messages; the panel trusts the host. */
import * as z from 'zod';
import { IMAGE_TYPES, MAX_IMAGE_CHARS, MAX_IMAGES } from '../core/model/images.ts';
import { MAX_MENTIONS, type MentionChoice } from '../core/model/mentions.ts';
import type { MentionRef } from '../core/model/messages.ts';
import { Plan } from '../core/plan/schema.ts';
import type { Review } from '../core/session/effects.ts';
import type { AgentEvent, Mode } from '../core/session/events.ts';
import { GRANT_SCOPES } from '../core/session/grant-scope.ts';
import { type PageData, type PageName, PageRequest, pageName } from './pages.ts';

/**
 * Whether the chosen model can be used. `ready`: there is a key, or the server has answered. `warning`: the model is not suitable for most
 * tasks. With `attention`, `text` says what the user must do.
 */
export type Readiness = {
  level: 'ready' | 'checking' | 'warning' | 'attention';
  text: string;
  action?: { label: string; message: ToHost };
};

export type PanelState = {
  mode: Mode;
  /** The name of the model, such as "Offline" or "gpt-6.1-sol". */
  modelName: string;
  /** The agent of the next message. The field is missing if there is none. */
  agent?: string;
  /** True if the model is known not to accept images. */
  blind?: boolean;
  readiness: Readiness;
  /** The names of the open folders. */
  folders: string[];
  trusted: boolean;
  /** True if the model is Offline, which understands only certain requests. */
  isOffline?: true;
  /** The calls that run without approval, as parts of a sentence. The field is missing if there are none. */
  withoutApproval?: readonly string[];
  /** Whether the steps of a run are listed from the beginning, or summarized in one line. */
  steps?: 'full' | 'summary';
  /** Whether the workspace has errors, or uncommitted changes. */
  hasProblems?: true;
  hasChanges?: true;
};

/** A mention of a message that is being written. If there is a `question`, it is sent only after the user has confirmed it. */
export type Mention = { ref: MentionRef; question?: { key: string; reason: string } };

/** A session that the panel does not show. `text` says what it is waiting for. */
export type OtherSession = { id: string; title: string; text: string };

/**
 * The sessions that are related to a session. `parent` is the session that it is a branch of. `versions` are the sessions with other versions of its
 * prompts, by run, oldest first. `index` is the position of the displayed session.
 */
export type Branches = {
  parent?: { id: string; title: string };
  versions: Readonly<Record<string, { index: number; sessionIds: readonly string[] }>>;
};

export type ToPanel =
  | { type: 'state'; state: PanelState }
  /**
   * A complete session. `events` are the durable events of the newest runs. `earlierRuns` is the number of older runs that are not
   * included. `running` is true if a run is live.
   */
  | { type: 'session'; sessionId: string; title: string; events: AgentEvent[]; earlierRuns: number; running: boolean }
  /** New events of the session that the panel displays. */
  | { type: 'events'; sessionId: string; events: AgentEvent[]; running: boolean }
  | ({ type: 'branches'; sessionId: string } & Branches)
  /** The session, other than the displayed one, that waits for the user. The field is missing if there is none. */
  | { type: 'other_waits'; session?: OtherSession }
  /** Moves the window's focus to the panel. The focused element inside the panel does not change. */
  | { type: 'take_focus' }
  /** Puts text into the composer and focuses it. */
  | { type: 'compose'; text: string; mode?: Mode }
  /** The choices for the mention that the user is typing. A later list for the same query replaces an earlier one. */
  | { type: 'mentions_found'; query: string; choices: MentionChoice[] }
  /** The commands of the prompt files. `takes` says what can follow the command. */
  | { type: 'commands_found'; commands: { command: string; text: string; takes?: string }[] }
  /** The names of the agents that a step of a plan can have. */
  | { type: 'agents_found'; agents: string[] }
  /** Adds a mention to the message that is being written. */
  | ({ type: 'add_mention' } & Mention)
  /** The active file or selection in the editor. It is offered, and sent only if the user adds it. */
  | { type: 'suggest_mention'; ref?: MentionRef }
  /** A message was accepted. `id` is the id of its `prompt`. */
  | { type: 'sent'; id: string }
  /** A message was not accepted. It returns to the composer. */
  | { type: 'not_sent'; id?: string; level: 'info' | 'error'; reason: string }
  /** Closes the page that is in front of the conversation. */
  | { type: 'show_conversation' }
  /** Shows a page in front of the conversation. The panel then asks for its data. */
  | { type: 'show_page'; name: PageName }
  | { [P in PageName]: { type: 'page'; name: P; data: PageData[P] } }[PageName]
  /** Opens the editor of a plan card. */
  | { type: 'edit_plan'; planId: string }
  /** Scrolls to the progress or the card of a plan. */
  | { type: 'show_plan'; planId: string }
  /** The user edited a file of a proposed change. `content` is the hash of the edited text. */
  | { type: 'proposal_edited'; approvalId: string; path: string; content: string; diff: string; added: number; removed: number }
  /** An image of the workspace as a data URL, or why it is not shown. */
  | { type: 'image'; path: string; url?: string; problem?: string }
  /** The user accepted or rejected hunks of a proposed change in the editor. `rejected` are the rejected hunks by path. */
  | { type: 'hunks_chosen'; approvalId: string; rejected: Readonly<Record<string, readonly number[]>> }
  /** Proposes to remember something after the last run. Without it, nothing is proposed. */
  | { type: 'lesson'; lesson?: { runId: string; text: string } }
  | { type: 'file_review'; runId: string; path: string; review: Review }
  | { type: 'notice'; level: 'info' | 'error'; text: string };

const id = z.string().min(1).max(2_000);
const path = z.string().min(1).max(4096);
/** An image whose `data` is encoded as base64. */
const image = z.object({
  mediaType: z.enum(IMAGE_TYPES),
  data: z
    .string()
    .min(1)
    .max(MAX_IMAGE_CHARS)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/),
});

const line = z.int().min(1);
const mentionRef = z.object({
  kind: z.enum([
    ...['file', 'folder', 'selection', 'symbol', 'problems', 'changes', 'terminal', 'url', 'session', 'resource', 'collection'],
    'attachment',
  ] as const),
  path: z.exactOptional(path),
  name: z.exactOptional(z.string().max(1_000)),
  server: z.exactOptional(z.string().max(1_000)),
  lines: z.exactOptional(z.object({ from: line, to: line })),
}) satisfies z.ZodType<MentionRef>;

const code = z.string().min(1).max(1_000_000);
const language = z.string().max(100);
const index = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const revision = z.record(path, z.union([z.literal('refused'), z.object({ without: z.array(index) }), z.object({ content: hash })]));

export const ToHost = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('set_mode'), mode: z.enum(['ask', 'plan', 'agent']) }),
  z
    .object({
      type: z.literal('prompt'),
      /** If it has an id, the host answers with `sent` or `not_sent`. */
      id: id.optional(),
      text: z.string().max(200_000),
      mode: z.enum(['ask', 'plan', 'agent']),
      /** The session that was displayed when the user sent the message. Without it, the current session is used. */
      sessionId: id.optional(),
      images: z.array(image).max(MAX_IMAGES).optional(),
      /** `confirmed` is the key of the question to which the user has answered yes. */
      mentions: z
        .array(z.object({ ref: mentionRef, confirmed: z.string().max(20_000).optional() }))
        .max(MAX_MENTIONS)
        .optional(),
    })
    .refine(({ text, images }) => text !== '' || images?.length),
  /** Asks for the choices for a mention. */
  z.object({ type: z.literal('find_mentions'), query: z.string().max(4_096) }),
  /** Asks for the commands of the prompt files. */
  z.object({ type: z.literal('find_commands') }),
  z.object({ type: z.literal('find_agents') }),
  /** Asks whether a file or another object can be mentioned. The host answers with `add_mention` or a notice. */
  z.object({ type: z.literal('check_mention'), ref: mentionRef }),
  /** Files that were dropped on the panel. */
  z.object({ type: z.literal('drop_uris'), uris: z.array(z.string().max(8_192)).max(100) }),
  z.object({ type: z.literal('stop') }),
  /** Pauses the run after the current model turn or tool call. */
  z.object({ type: z.literal('pause') }),
  /** Runs one more model turn or tool call. */
  z.object({ type: z.literal('step') }),
  z.object({ type: z.literal('edit_queued'), id, text: z.string().max(200_000) }),
  z.object({ type: z.literal('remove_queued'), id }),
  /** Starts a run with the queued messages. */
  z.object({ type: z.literal('send_queued') }),
  /** Ends the wait before a retry. */
  z.object({ type: z.literal('retry_now') }),
  /** Continues a paused run. `raise` raises the daily limit at which the run paused. */
  z.object({ type: z.literal('continue'), raise: z.boolean().optional() }),
  z.object({
    type: z.literal('answer_question'),
    questionId: id,
    answer: z.union([
      z.object({ option: z.string().min(1).max(10_000), words: z.string().max(10_000).optional() }),
      z.object({ words: z.string().min(1).max(200_000) }),
    ]),
  }),
  z.object({
    type: z.literal('answer_approval'),
    approvalId: id,
    answer: z.union([
      z.object({
        approve: z.literal(true),
        grant: z.enum(GRANT_SCOPES).optional(),
        covers: z.int().min(0).max(10).optional(),
        revised: revision.optional(),
        widen: z.literal(true).optional(),
      }),
      z.object({ approve: z.literal(false), words: z.string().max(10_000).optional() }),
    ]),
  }),
  /**
   * Runs or discards a plan. `plan` is the edited plan, if the user edited it. With `allowEdits`, the run may also edit files that the plan
   * does not name.
   */
  z.object({
    type: z.literal('answer_plan'),
    planId: id,
    answer: z.enum(['run', 'discard']),
    plan: Plan.optional(),
    allowEdits: z.literal(true).optional(),
  }),
  /** Continues a paused or ended run with an edited plan. `was` contains the original number of each step, or 0 for a new step. */
  z.object({ type: z.literal('revise_plan'), planId: id, plan: Plan, was: z.array(index) }),
  /** Asks the model for a changed plan. `words` describes the change. */
  z.object({ type: z.literal('change_plan'), planId: id, words: z.string().min(1).max(10_000) }),
  z.object({ type: z.literal('resume_plan'), planId: id }),
  /** Proposes a plan again. If several folders are open, the host asks the user to choose a folder. */
  z.object({ type: z.literal('run_plan_again'), planId: id }),
  /** Opens a plan as a Markdown document. `plan` is set if the plan was edited and is not confirmed yet. */
  z.object({ type: z.literal('save_plan'), planId: id, plan: Plan.optional() }),
  /** Opens a file of a proposed change for editing, without the rejected hunks. */
  z.object({ type: z.literal('edit_proposal'), approvalId: id, path, without: z.array(index) }),
  /** The user has accepted or rejected hunks of a proposed change. `rejected` are the rejected hunks of the file. */
  z.object({ type: z.literal('choose_hunks'), approvalId: id, path, rejected: z.array(index).max(10_000) }),
  z.object({ type: z.literal('undo_run'), runId: id }),
  /** Applies or drops the changes of a session that works in a worktree. The user confirms both. */
  z.object({ type: z.literal('worktree'), sessionId: id, action: z.enum(['apply', 'drop']) }),
  /** Undoes one file of a run, or one hunk of the diff in a `file_review` message. */
  z.object({ type: z.literal('undo_part'), runId: id, path, hunk: z.object({ index, digest: hash }).optional() }),
  z.object({ type: z.literal('review_file'), runId: id, path }),
  z.object({ type: z.literal('restore'), to: z.union([z.object({ runId: id, callId: id.optional() }), z.object({ undoId: id })]) }),
  /** Opens all changes of a run in VS Code's multi-file diff editor. */
  z.object({ type: z.literal('review_run'), runId: id }),
  /**
   * Sends the prompt of a run again, in a branch of the session. `edited` changes the text and the mode, removes some of the images and
   * mentions, and can add the uncommitted changes. `restore` also restores the files. With `otherModel`, the user chooses a model first.
   */
  z.object({
    type: z.literal('resend'),
    sessionId: id,
    runId: id,
    edited: z
      .object({
        text: z.string().max(200_000),
        without: z.object({ images: z.array(index), mentions: z.array(index) }),
        mode: z.enum(['ask', 'plan', 'agent']).optional(),
        withChanges: z.literal(true).optional(),
      })
      .optional(),
    restore: z.boolean(),
    otherModel: z.literal(true).optional(),
  }),
  /** Shows a branch of the session that begins after a run or, with `callId`, after the step of this call. */
  z.object({ type: z.literal('branch'), sessionId: id, runId: id, callId: id.optional(), restore: z.boolean() }),
  z.object({ type: z.literal('show_session'), sessionId: id }),
  z.object({ type: z.literal('open_file'), path, line: z.number().int().min(1).optional() }),
  /** Opens one file of a pending approval or of a finished call in VS Code's diff editor. */
  z.object({ type: z.literal('open_diff'), callId: id, path }),
  z.object({ type: z.literal('open_link'), url: z.string().max(4096) }),
  /** Asks for the data of a page. The host sends it now, and again whenever it changes, until `leave_page`. */
  z.object({ type: z.literal('open_page'), name: pageName }),
  z.object({ type: z.literal('leave_page') }),
  /** A request from the page that is shown, such as deleting a memory entry. */
  z.object({ type: z.literal('page_request'), request: PageRequest }),
  /** Opens what an answer cites: a place in a document of a collection, such as `[handbook/guide.md:12-18]`, or in a file. */
  z.object({ type: z.literal('open_source'), text: path }),
  /** Opens the definition of a symbol that a model named. */
  z.object({ type: z.literal('open_symbol'), name: z.string().min(1).max(200) }),
  z.object({ type: z.literal('load_image'), path }),
  z.object({ type: z.literal('rate_answer'), runId: id, rating: z.enum(['up', 'down', 'none']), words: z.string().max(10_000).optional() }),
  /** Saves an answer as a Markdown file that the user chooses. */
  z.object({ type: z.literal('save_answer'), text: code }),
  /** Keeps these words of a proposed lesson, or dismisses it. */
  z.object({ type: z.literal('lesson'), runId: id, keep: z.string().max(10_000).optional() }),
  /** Writes code from an answer at the cursor of the active editor. */
  z.object({ type: z.literal('insert_code'), code }),
  /** Opens code from an answer as a new document that is not saved. */
  z.object({ type: z.literal('open_code'), code, language, path: path.optional() }),
  /** Proposes a change of a file with code from an answer. `path` is the file that the answer names. */
  z.object({ type: z.literal('apply_code'), code, language, path: path.optional() }),
  z.object({ type: z.literal('show_earlier') }),
  z.object({ type: z.literal('new_session') }),
  z.object({ type: z.literal('pick_session') }),
  z.object({ type: z.literal('pick_model') }),
  z.object({ type: z.literal('pick_agent') }),
  z.object({ type: z.literal('pick_files') }),
  /** Opens the session as a Markdown document. */
  z.object({ type: z.literal('export_session') }),
  z.object({ type: z.literal('connect_model') }),
  /** Checks again whether the model's server answers. */
  z.object({ type: z.literal('check_model') }),
  z.object({ type: z.literal('open_rules') }),
  z.object({ type: z.literal('open_folder') }),
  z.object({ type: z.literal('manage_trust') }),
]);

export type ToHost = z.infer<typeof ToHost>;
