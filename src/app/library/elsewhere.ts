/**
 * The sessions of other workspaces. Only the facts that lists show are read. These sessions are continued in their own workspace, because
 * other rules and files apply there. For the same reason, their texts are not searched from here.
 */
import { listSessions, type SessionInfo } from '../../sessions/session-list.ts';
import { type StoredWorkspace, storedWorkspaces } from '../../sessions/workspaces.ts';
import type { SessionsPorts } from '../ports.ts';

/** `key` identifies the workspace. `folders` are its real paths, or empty if they are unknown. */
export type SessionElsewhere = SessionInfo & { workspace: string } & Pick<StoredWorkspace, 'key' | 'folders'>;

/** How long lists are read, in milliseconds, before other work of the program gets a turn. */
const WORK_MS = 20;

/** Returns the workspaces that are stored beside this one. */
export function otherWorkspaces({ workspaces }: Pick<SessionsPorts, 'workspaces'>): StoredWorkspace[] {
  if (!workspaces) return [];
  const own = workspaces.folders.join('\0');
  return storedWorkspaces(workspaces.directory).filter(
    // The data of one folder can be in two places: where the terminal program stores it, and where an earlier version of the extension
    // stored it.
    ({ key, folders }) => key !== workspaces.key && (folders.length === 0 || folders.join('\0') !== own),
  );
}

/** Lists the sessions of the other workspaces, newest first. */
export async function sessionsElsewhere(ports: Pick<SessionsPorts, 'workspaces'>): Promise<SessionElsewhere[]> {
  const all: SessionElsewhere[] = [];
  let begun = performance.now();
  for (const { key, sessions, name, folders } of otherWorkspaces(ports)) {
    for (const info of await listSessions(sessions)) all.push({ ...info, workspace: name, key, folders });
    if (performance.now() - begun < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
  return all.sort((a, b) => b.changedAt - a.changedAt);
}

/** Returns whether the title or the name of the workspace contains all words. */
export function isNamedBy({ title, workspace }: Pick<SessionElsewhere, 'title' | 'workspace'>, words: string): boolean {
  const text = `${title} ${workspace}`.toLowerCase();
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return parts.length > 0 && parts.every((part) => text.includes(part));
}
