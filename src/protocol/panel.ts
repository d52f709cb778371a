/** The messages between the panel and the extension host. The host validates what comes in; the panel trusts its host. */
import * as z from 'zod';
import type { AgentEvent, Mode } from '../core/events.ts';
import { IMAGE_TYPES, MAX_IMAGE_CHARS, MAX_IMAGES } from '../core/images.ts';
import { Plan } from '../core/plan.ts';

/** How ready the chosen model is: green answers, amber says what to do. */
export type Readiness = { level: 'ready' | 'attention'; text: string; action?: { label: string; message: ToHost } };

export type PanelState = {
  mode: Mode;
  /** e.g. "Offline" or "gpt-6.1-sol". */
  modelName: string;
  readiness: Readiness;
  /** Names of the open folders; empty when there is none. */
  folders: string[];
  trusted: boolean;
};

export type ToPanel =
  | { type: 'state'; state: PanelState }
  /** A whole session: `events` are the newest runs' durable events, `earlierRuns` how many runs are not among them. `running` tells whether a run is live now. */
  | { type: 'session'; sessionId: string; title: string; events: AgentEvent[]; earlierRuns: number; running: boolean }
  /** Newly happened, of the session shown. */
  | { type: 'events'; sessionId: string; events: AgentEvent[]; running: boolean }
  /** Puts text into the composer and focuses it. */
  | { type: 'compose'; text: string; mode?: Mode }
  /** Puts a plan card into editing. */
  | { type: 'edit_plan'; planId: string }
  | { type: 'notice'; level: 'info' | 'error'; text: string };

const id = z.string().min(1).max(2_000);
const path = z.string().min(1).max(4096);
/** `data` is base64. */
const image = z.object({
  mediaType: z.enum(IMAGE_TYPES),
  data: z
    .string()
    .min(1)
    .max(MAX_IMAGE_CHARS)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/),
});

export const ToHost = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('set_mode'), mode: z.enum(['ask', 'plan', 'agent']) }),
  z.object({
    type: z.literal('prompt'),
    text: z.string().min(1).max(200_000),
    mode: z.enum(['ask', 'plan', 'agent']),
    images: z.array(image).max(MAX_IMAGES).optional(),
  }),
  z.object({ type: z.literal('stop') }),
  /** Ends the wait before a request is sent again. */
  z.object({ type: z.literal('retry_now') }),
  /** Goes on with a paused run. */
  z.object({ type: z.literal('continue') }),
  z.object({
    type: z.literal('answer_approval'),
    approvalId: id,
    answer: z.union([
      z.object({ approve: z.literal(true), grant: z.enum(['run', 'session', 'workspace']).optional() }),
      z.object({ approve: z.literal(false), words: z.string().max(10_000).optional() }),
    ]),
  }),
  /** `plan` is the edited plan, where the user edited it. */
  z.object({ type: z.literal('answer_plan'), planId: id, answer: z.enum(['run', 'discard']), plan: Plan.optional() }),
  z.object({ type: z.literal('undo_run'), runId: id }),
  /** Opens VS Code's multi-file diff editor on all that a run changed. */
  z.object({ type: z.literal('review_run'), runId: id }),
  z.object({ type: z.literal('open_file'), path, line: z.number().int().min(1).optional() }),
  /** Opens VS Code's diff editor on one file of a pending approval or of what a call changed. */
  z.object({ type: z.literal('open_diff'), callId: id, path }),
  z.object({ type: z.literal('open_link'), url: z.string().max(4096) }),
  z.object({ type: z.literal('show_earlier') }),
  z.object({ type: z.literal('new_session') }),
  z.object({ type: z.literal('pick_session') }),
  z.object({ type: z.literal('pick_model') }),
  z.object({ type: z.literal('connect_model') }),
  z.object({ type: z.literal('open_folder') }),
  z.object({ type: z.literal('manage_trust') }),
]);

export type ToHost = z.infer<typeof ToHost>;
