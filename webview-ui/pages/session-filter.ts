/** Selects the sessions that the page lists, and the rows of the list to draw. */
import type { Mode } from '../../src/core/session/events.ts';
import type { SessionEntry, SessionsFound } from '../../src/protocol/sessions-page.ts';

export type SessionFilter = { words: string; show: SessionEntry['status'] | 'all' | 'pinned'; mode: Mode | 'all' };

/** The shortest text that is searched in messages and results. Titles are compared with any text. */
export const MIN_SEARCH = 3;

export const isSearch = (words: string) => words.trim().length >= MIN_SEARCH;

/** Returns the sessions to list. Results of a search for other words are ignored. */
export function filtered(sessions: readonly SessionEntry[], { words, show, mode }: SessionFilter, found?: SessionsFound): SessionEntry[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const ids = new Set(found?.words === words.trim() ? found.ids : []);
  return sessions.filter(
    (each) =>
      (show === 'all' || (show === 'pinned' ? each.isPinned : each.status === show)) &&
      (mode === 'all' || each.mode === mode) &&
      ((ids.has(each.id) && each.workspace?.key === undefined) || parts.every((part) => textOf(each).includes(part))),
  );
}

/** Returns the parts of a session that are compared with the query's words if no search has found the words in its texts. */
function textOf({ title, workspace }: SessionEntry): string {
  return `${title} ${workspace?.name ?? ''}`.toLowerCase();
}

/** The height of a row, and the number of rows that are drawn beyond the visible area. */
export const ROW_PX = 46;
const BEYOND = 8;

/** Returns the first row to draw and the row after the last one. */
export function rowsInSight(count: number, scrollTop: number, height: number): [from: number, to: number] {
  const from = Math.max(0, Math.floor(scrollTop / ROW_PX) - BEYOND);
  return [Math.min(from, count), Math.min(count, Math.ceil((scrollTop + height) / ROW_PX) + BEYOND)];
}
