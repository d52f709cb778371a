/** Searches the titles and texts of all sessions. */
import { emptySession } from '../../core/session/session-state.ts';
import { type SessionText, textsOf } from '../../core/session/texts.ts';
import { applyValidEvents } from '../../core/session/valid-events.ts';
import { listSessions, type SessionInfo } from '../../sessions/session-list.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { folded, TextIndex } from '../../sessions/text-index.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';
import { withheldFilterOf } from '../run/judge.ts';

/** `line` is the line that matches best, shortened. `seq` is the number of its event. Both are missing if only the title matches. */
export type SessionHit = { session: SessionInfo; line?: string; seq?: number; from?: SessionText['from']; title?: string };

const MAX_LINE = 200;
const MAX_HITS_EACH = 3;
/** How long the search works, in milliseconds, before other work of the program gets a turn. */
const WORK_MS = 20;

export type SearchPorts = Pick<AssistantPorts, 'fileSystem' | 'policy'> & { store: SessionStore };

/**
 * Yields the lines that contain all words: newest sessions first, each with at most three lines. If only the session as a whole contains
 * all words, the lines that contain the most words are returned. Sessions that are not in the index yet are searched after the others.
 */
export async function* searchSessions(query: string, ports: SearchPorts, signal?: AbortSignal): AsyncGenerator<SessionHit> {
  const words = [...new Set(folded(query).split(/\s+/).filter(Boolean))];
  if (words.length === 0) return;
  const { store } = ports;
  const index = new TextIndex(store.directory);
  const judge = await readable(ports);
  const sessions = await listSessions(store.directory);
  const missing: SessionInfo[] = [];
  const yields = new Pauses();
  for (const session of sessions) {
    await yields.next(signal);
    const left = missingIn(session, words);
    const may = index.mayContain(session.id, left);
    if (may === undefined) missing.push(session);
    else if (may) yield* hitsIn(session, words, left, await judge(storedTexts(index, session.id)));
  }
  for (const session of missing) {
    await yields.next(signal);
    const texts = await makeTexts(session.id, store, index, judge);
    if (texts) yield* hitsIn(session, words, missingIn(session, words), texts);
  }
  index.removeOthers(new Set(sessions.map(({ id }) => id)));
}

/** Returns the words that the title does not contain. */
function missingIn({ title }: SessionInfo, words: readonly string[]): string[] {
  const text = folded(title);
  return words.filter((word) => !text.includes(word));
}

function storedTexts(index: TextIndex, id: string): SessionText[] {
  try {
    return index.texts(id);
  } catch {
    return [];
  }
}

/** Reads a log and adds its texts to the index. Texts of files that may not be read without approval are left out. */
async function makeTexts(
  id: string,
  store: SessionStore,
  index: TextIndex,
  judge: (texts: readonly SessionText[]) => Promise<SessionText[]>,
): Promise<SessionText[] | undefined> {
  try {
    const log = index.stampOf(id);
    const events = await store.load(id);
    if (!events) return undefined;
    const texts = await judge([...textsOf(applyValidEvents(emptySession(), events))]);
    index.write(id, log, texts);
    return texts;
  } catch {
    // The log was written by a newer version, or has been deleted.
    return undefined;
  }
}

/** @param left the words that the title does not contain */
function* hitsIn(
  session: SessionInfo,
  words: readonly string[],
  left: readonly string[],
  texts: readonly SessionText[],
): Generator<SessionHit> {
  const seen = new Set<string>();
  const lines: { hit: SessionHit; matched: number }[] = [];
  for (const { seq, from, title, text } of texts) {
    const all = folded(text);
    const inText = words.filter((word) => all.includes(word));
    if (inText.length === 0) continue;
    for (const word of inText) seen.add(word);
    lines.push(bestLine(session, { seq, from, title, text }, inText));
  }
  if (left.some((word) => !seen.has(word))) return;
  if (lines.length === 0) return void (yield { session });
  const most = lines.reduce((best, { matched }) => Math.max(best, matched), 0);
  // The newest lines are the most useful.
  for (const { hit } of lines.filter(({ matched }) => matched === most).slice(-MAX_HITS_EACH)) yield hit;
}

type Said = Pick<SessionText, 'seq' | 'from' | 'text'> & { title: string | undefined };

function bestLine(session: SessionInfo, { seq, from, title, text }: Said, words: readonly string[]): { hit: SessionHit; matched: number } {
  let [best, matched] = ['', 0];
  for (const line of text.split('\n')) {
    const all = folded(line);
    const count = words.filter((word) => all.includes(word)).length;
    if (count > matched) [best, matched] = [line, count];
  }
  return { hit: { session, line: shortened(best, words), seq, from, ...(title !== undefined && { title }) }, matched };
}

function shortened(line: string, words: readonly string[]): string {
  if (line.length <= MAX_LINE) return line.trim();
  const all = folded(line);
  const first = Math.min(...words.map((word) => all.indexOf(word)).filter((at) => at >= 0));
  const start = Math.max(0, first - MAX_LINE / 4);
  return `${start > 0 ? '…' : ''}${line.slice(start, start + MAX_LINE).trim()}…`;
}

/** Returns a filter that leaves out texts of files that may not be read without approval now, as `recall` does. */
async function readable(ports: SearchPorts): Promise<(texts: readonly SessionText[]) => Promise<SessionText[]>> {
  const workspace = new Workspace(await withIgnoreFiles(ports.fileSystem()), withheldFilterOf(ports));
  const isWithheld = workspace.withheldFiles('recall');
  const known = new Map<string, Promise<boolean>>();
  const check = async (path: string) => {
    try {
      return isWithheld(await workspace.locate(path));
    } catch {
      return true;
    }
  };
  return async (texts) => {
    const kept: SessionText[] = [];
    for (const text of texts) {
      let withheld = false;
      for (const path of text.paths) {
        const checked = known.get(path) ?? check(path);
        known.set(path, checked);
        withheld ||= await checked;
      }
      if (!withheld) kept.push(text);
    }
    return kept;
  };
}

/** Pauses long work regularly, so that other work of the program gets a turn. */
class Pauses {
  #begun = performance.now();

  async next(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (performance.now() - this.#begun < WORK_MS) return;
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
    this.#begun = performance.now();
  }
}
