/** The versions of a prompt that was edited or sent again. Each version is in a separate session, because events are never removed from a log. */
import type { PromptEdit } from '../../core/session/summary.ts';
import type { SessionInfo } from '../../sessions/session-list.ts';
import type { Session } from '../session/session.ts';

/**
 * For each run of a session whose prompt has several versions: the sessions that contain the versions, oldest version first, and the index of the
 * version in this session.
 */
export type PromptVersions = Record<string, { index: number; sessionIds: string[] }>;

/** @param infos all sessions, sorted by last change, newest first */
export function versionsOf({ id, state }: Pick<Session, 'id' | 'state'>, infos: readonly SessionInfo[]): PromptVersions {
  const versions: PromptVersions = {};
  const edited = infos.flatMap((info) => (info.edits ?? []).map((edit) => ({ info, edit })));
  if (edited.length === 0) return versions;
  const known = new Set(infos.map((info) => info.id));
  for (const run of state.runs.values()) {
    const first = run.edits ?? run.runId;
    const later = edited.filter(({ edit }) => edit.edits === first);
    const isLater = new Set(later.map(({ info }) => info.id));
    /** The sessions that contain each version, by the id of the run that it started. */
    const sessions = new Map<string, { at: number; ids: string[] }>();
    // The session that an edited version was forked from contains the first version, unless it contains a later version itself.
    const origins = later
      .flatMap(({ info: { parent } }) => (parent ? [parent.sessionId] : []))
      .filter((each) => known.has(each) && !isLater.has(each));
    if (origins.length > 0 || run.runId === first) sessions.set(first, { at: 0, ids: origins });
    for (const { info, edit } of later) add(sessions, edit, info.id);
    if (sessions.size < 2) continue;
    const ordered = [...sessions].sort(([, a], [, b]) => a.at - b.at);
    versions[run.runId] = {
      index: ordered.findIndex(([runId]) => runId === run.runId),
      sessionIds: ordered.map(([runId, { ids }]) => (runId === run.runId ? id : (ids[0] ?? id))),
    };
  }
  return versions;
}

function add(sessions: Map<string, { at: number; ids: string[] }>, { runId, at }: PromptEdit, id: string): void {
  const found = sessions.get(runId);
  if (found) found.ids.push(id);
  else sessions.set(runId, { at, ids: [id] });
}
