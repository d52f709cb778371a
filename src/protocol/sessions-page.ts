/** The page that lists the sessions: the data that the host sends, and the requests that it handles. */
import * as z from 'zod';
import type { Mode } from '../core/session/events.ts';
import type { SessionStatus } from '../core/session/summary.ts';

/** `changedAt` is in milliseconds since 1970. `model` is the name of the model that the last run used. */
export type SessionEntry = {
  id: string;
  title: string;
  status: SessionStatus;
  changedAt: number;
  mode?: Mode;
  model?: string;
  agent?: string;
  isPinned?: true;
  /** Whether the panel shows this session. */
  isShown?: true;
  isFork?: true;
  isImported?: true;
  /** The session's workspace, if the sessions of all workspaces are listed. */
  workspace?: SessionPlace;
};

/** `key` identifies another workspace, and is missing for this one. `folders` contains paths, and is empty if they are unknown. */
export type SessionPlace = { key?: string; name: string; folders: readonly string[] };

/** A line of a session that contains the words of a query. */
export type SessionLine = { sessionId: string; line: string; from: 'user' | 'model' | 'tool' };

/** The results of a search so far. `ids` are the sessions that contain the words, in their titles or texts. */
export type SessionsFound = { words: string; ids: readonly string[]; lines: readonly SessionLine[]; isComplete: boolean };

/**
 * All sessions: pinned sessions first, then by their last change, newest first. `everywhere` is set if the sessions of all workspaces are
 * listed. `deleted` is the session that was deleted most recently. It can be restored.
 */
export type SessionsPage = {
  sessions: readonly SessionEntry[];
  everywhere?: true;
  found?: SessionsFound;
  deleted?: { id: string; title: string };
};

const page = z.literal('sessions');
const id = z.string().min(1).max(200);

export const sessionsRequests = [
  z.object({ page, type: z.literal('show_session'), id }),
  z.object({ page, type: z.literal('rename_session'), id, title: z.string().min(1).max(1_000) }),
  z.object({ page, type: z.literal('pin_session'), id, pinned: z.boolean() }),
  z.object({ page, type: z.literal('delete_session'), id }),
  /** Restores a session from the trash. */
  z.object({ page, type: z.literal('restore_session'), id }),
  /** Lists the sessions of all workspaces, or only of this one. */
  z.object({ page, type: z.literal('choose_workspaces'), everywhere: z.boolean() }),
  /** Opens the folder of a session of another workspace. `key` identifies the workspace. */
  z.object({ page, type: z.literal('open_elsewhere'), id, key: z.string().min(1).max(300) }),
  /** Searches the sessions of this workspace. If the query is too short, the search ends. */
  z.object({ page, type: z.literal('search_sessions'), words: z.string().max(1_000) }),
] as const;
