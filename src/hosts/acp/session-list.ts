/** Lists the sessions of a folder, or of all folders. */
import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type ListSessionsRequest, type ListSessionsResponse, RequestError, type SessionInfo } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../core/words/visible-text.ts';
import type { AcpHost } from './ports.ts';

const PAGE = 100;

/** The cursor is the number of sessions on the pages before. */
export async function listSessions(host: AcpHost, { cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
  const from = cursor == null ? 0 : /^\d{1,9}$/.test(cursor) ? Number(cursor) : undefined;
  if (from === undefined) throw RequestError.invalidParams(undefined, 'The cursor is not valid. List the sessions again.');
  if (cwd != null && !isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `${JSON.stringify(cwd)} is not an absolute path.`);
  const all = await sessionsIn(host, cwd ?? undefined);
  const to = from + PAGE;
  return { sessions: all.slice(from, to), ...(to < all.length && { nextCursor: String(to) }) };
}

/**
 * Moves a session into the trash. The id alone says nothing about the folder, so all folders are searched. A session that does not exist
 * is not an error: it may have been deleted elsewhere. @throws SessionError while a run is in progress in the session
 */
export async function deleteSession(host: AcpHost, sessionId: string): Promise<void> {
  const found = (await sessionsIn(host, undefined)).find((info) => info.sessionId === sessionId);
  if (!found) return;
  const { assistant } = host.open([found.cwd, ...(found.additionalDirectories ?? [])]);
  try {
    await assistant.removeSession(sessionId);
  } finally {
    await assistant.shutDown();
  }
}

async function sessionsIn({ open }: AcpHost, cwd: string | undefined): Promise<SessionInfo[]> {
  const { assistant, fs } = open([cwd ?? process.cwd()]);
  try {
    const folders = fs.folders.map(({ root }) => root);
    const own = (await assistant.sessions()).map((info) => ({ ...info, folders }));
    const others = await (await assistant.library()).elsewhere();
    const wanted = cwd === undefined ? undefined : realpathSync.native(cwd);
    return [...own, ...others]
      .filter((info) => info.folders[0] !== undefined && (wanted === undefined || info.folders[0] === wanted))
      .sort((a, b) => b.changedAt - a.changedAt)
      .map(infoOf);
  } finally {
    await assistant.shutDown();
  }
}

type Listed = { id: string; title: string; changedAt: number; folders: readonly string[] };

function infoOf({ id, title, changedAt, folders: [cwd = '', ...more] }: Listed): SessionInfo {
  return {
    sessionId: id,
    cwd,
    ...(more.length > 0 && { additionalDirectories: more }),
    title: visibleLine(title),
    updatedAt: new Date(changedAt).toISOString(),
  };
}
