/** All sessions of a workspace: listing, naming, deleting, searching, forking and importing them. Those of other workspaces are only listed. */

import type { AgentUse } from '../../core/insights/agent-runs.ts';
import type { Cell } from '../../core/insights/fold.ts';
import type { Rating } from '../../core/session/answers.ts';
import { isChildRun } from '../../core/session/children/child-ids.ts';
import type { EventBody, RestorePoint, UndoResult } from '../../core/session/events.ts';
import { copiedEvents, endOf, fromOutside, lastBefore, openingOf, withCopiedMark } from '../../core/session/fork.ts';
import { emptySession } from '../../core/session/session-state.ts';
import { applyValidEvents } from '../../core/session/valid-events.ts';
import { readLines } from '../../sessions/log-lines.ts';
import { listSessions, type SessionInfo } from '../../sessions/session-list.ts';
import { type DeletedSession, isInTrash, listTrash, moveToTrash, restoreFromTrash } from '../../sessions/trash.ts';
import { writeWholeLog } from '../../sessions/whole-log.ts';
import type { SessionsPorts } from '../ports.ts';
import { pin, rate, rename } from '../session/about.ts';
import type { Bound } from '../session/plans.ts';
import { type Prompt, resentPrompt, sentPrompt, withoutKedgeNotes } from '../session/prompt.ts';
import type { Session } from '../session/session.ts';
import { SessionError } from '../session/session-error.ts';
import type { Work } from '../work.ts';
import type { SessionElsewhere } from './elsewhere.ts';
import type { SessionHit } from './search.ts';
import { type PromptVersions, versionsOf } from './versions.ts';

/** `workspace` names the folders that the session belongs to. */
export type ListedSession = SessionInfo & { workspace: string };

/**
 * Where a fork begins: after the event with the number `after`, or before the message of the event with the number `before`. Without
 * either, the whole session is copied.
 */
export type ForkPlace = { after?: number } | { before: number };

/** `prompt` is the message before which the session was forked, so that it can be sent again. `restored` are the results of the restore. */
export type Forked = { session: Session; prompt?: Prompt; restored?: readonly UndoResult[] };

/** A fork in which a prompt is sent again: `Session.prompt(prompt, bound)` starts its run. */
export type Resending = Forked & { prompt: Prompt; bound: Bound };

export type LibraryDesk = {
  ports: SessionsPorts;
  work: Work;
  /** The sessions that are open in this program. */
  open: ReadonlyMap<string, Session>;
  /** @throws SessionError if there is no such session */
  session(id: string): Promise<Session>;
  forget(id: string): void;
};

export class Library {
  readonly #desk: LibraryDesk;

  constructor(desk: LibraryDesk) {
    this.#desk = desk;
  }

  get #directory(): string {
    return this.#desk.ports.store.directory;
  }

  /** Lists sessions, newest first. */
  async list(): Promise<ListedSession[]> {
    const folders = this.#desk.ports.fileSystem().folders;
    const workspace = folders.map(({ name }) => name).join(', ');
    return (await listSessions(this.#directory)).map((info) => {
      const isRunning = info.status === 'paused' && this.#desk.open.get(info.id)?.running === true;
      return { ...info, ...(isRunning && { status: 'running' }), workspace };
    });
  }

  /** Lists the sessions of all other workspaces of this computer, newest first. */
  async elsewhere(): Promise<SessionElsewhere[]> {
    return (await import('./elsewhere.ts')).sessionsElsewhere(this.#desk.ports);
  }

  async rename(id: string, title: string): Promise<void> {
    rename(await this.#desk.session(id), title);
  }

  /** Logs the user's rating of the answer of a run. @throws SessionError if there is no such run, or another process uses the session */
  async rate(id: string, runId: string, rating: Rating | 'none', words?: string): Promise<void> {
    rate(await this.#desk.session(id), runId, rating, words);
  }

  async pin(id: string, pinned: boolean): Promise<void> {
    pin(await this.#desk.session(id), pinned);
  }

  /**
   * Moves a session into the trash. Files that it changed are not affected. @throws SessionError while a run or an undo is in progress in the
   * session, in this or another process.
   */
  remove(id: string): void {
    const { ports, open, forget } = this.#desk;
    const session = open.get(id);
    // The lock prevents other processes from starting a run in the session.
    const log = ports.store.log(id);
    if (session?.busy || !log.lock())
      throw new SessionError('A run or an undo is in progress in this session. Stop it, or wait until it ends.');
    try {
      session?.close();
      forget(id);
      moveToTrash(this.#directory, id);
    } finally {
      log.unlock();
    }
  }

  /** Lists the sessions in the trash, newest deletion first. */
  deleted(): Promise<DeletedSession[]> {
    return listTrash(this.#directory);
  }

  /** Returns whether a session is in the trash, because this or another window has deleted it. */
  isDeleted(id: string): boolean {
    return isInTrash(this.#directory, id);
  }

  /** Moves a session out of the trash. @throws SessionError if it is not there */
  restore(id: string): void {
    if (!restoreFromTrash(this.#directory, id)) throw new SessionError(`The session ${id} is not in the trash. List the sessions again.`);
  }

  /** Yields the lines that contain all words, newest sessions first. */
  async *search(words: string, signal?: AbortSignal): AsyncGenerator<SessionHit> {
    const [{ searchSessions }, { ports }] = await Promise.all([import('./search.ts'), this.#desk.work.load()]);
    yield* searchSessions(words, ports, signal);
  }

  /**
   * Starts a session that begins with the events of another one. With `restore`, the files that Kedge changed after that point are restored
   * first, which is logged in the other session and can be undone there. Otherwise, the other session stays unchanged.
   * @throws SessionError if there is no such session, or if files cannot be restored because a run is in progress
   */
  async fork(id: string, place: ForkPlace = {}, { restore = false } = {}): Promise<Forked> {
    const parent = await this.#desk.session(id);
    const events = parent.events.slice();
    const before = 'before' in place ? events.find(({ seq }) => seq === place.before) : undefined;
    if ('before' in place && !before) throw new SessionError('This message is not in the session. Open the session again.');
    const until = before ? lastBefore(events, before.seq) : (('after' in place ? place.after : undefined) ?? parent.state.seq);
    const opening: EventBody & { at: number } = { type: 'session_forked', parent: { sessionId: id, seq: until }, at: this.#now() };
    const copied = copiedEvents(events, { until, opening });
    const mode = before && parent.state.runs.get(before.runId)?.mode;
    const message = before?.type === 'message_added' && before.message.role === 'user' ? before.message : undefined;
    const restored = restore ? await restoreFiles(parent, until) : undefined;
    const { store } = this.#desk.ports;
    const forkId = store.newId();
    writeWholeLog(store.log(forkId), withCopiedMark(copied));
    const session = await this.#desk.session(forkId);
    const prompt = message && mode && sentPrompt(message, mode);
    return { session, ...(prompt && { prompt }), ...(restored && { restored }) };
  }

  /** Forks a session before the user's last message, so that it can be answered again. @throws SessionError if there is no message */
  async forkBeforeLast(id: string, options: { restore?: boolean } = {}): Promise<Forked> {
    const { events } = await this.#desk.session(id);
    const last = events.ofType('message_added').findLast(({ message, runId }) => message.role === 'user' && !isChildRun(runId));
    if (!last) throw new SessionError('This session has no messages yet. Send a message first.');
    return this.fork(id, { before: last.seq }, options);
  }

  /** Forks a session before the prompt of a run, which can be changed and sent again. @throws SessionError if the run has no such prompt */
  async forkBeforeRun(id: string, runId: string, options: { restore?: boolean } = {}): Promise<Resending> {
    const { state, events } = await this.#desk.session(id);
    const run = state.runs.get(runId);
    const opening = openingOf(
      events.select((event) => event.runId === runId),
      runId,
    );
    const prompt = run && opening && resentPrompt(run, opening.messages);
    if (!run || !opening || !prompt) throw new SessionError('This message cannot be sent again. Send a new message.');
    const forked = await this.fork(id, { before: opening.seq }, options);
    // The queued messages are sent before the prompt again.
    for (const { content } of opening.queued) forked.session.queue.add({ role: 'user', content: withoutKedgeNotes(content) });
    const bound = {
      edits: run.edits ?? runId,
      ...(run.revises && forked.session.state.plans.has(run.revises) && { revises: run.revises }),
    };
    return { ...forked, prompt, bound };
  }

  /** Forks a session after a run or, with `callId`, after the step of this call. @throws SessionError if there is no such run or step */
  async forkAfterRun(id: string, runId: string, callId?: string, options: { restore?: boolean } = {}): Promise<Forked> {
    const { events } = await this.#desk.session(id);
    const own = events.select((event) => event.runId === runId);
    const after = endOf(own, runId, callId);
    if (after === undefined) throw new SessionError('This step is not in the session. Open the session again.');
    return this.fork(id, { after }, options);
  }

  /** Returns the versions of the prompts of a session that were edited, or sent again, in this or other sessions, by run. */
  async versions(session: Session): Promise<PromptVersions> {
    return versionsOf(session, await listSessions(this.#directory));
  }

  /**
   * Starts a session with the events of a log that was exported. Its permissions, open questions and approvals are left out, and nothing in
   * it can be undone, confirmed or continued as a plan. @returns the session, and the number of lines that are not valid events
   * @throws SessionError if the log has no events; NewerLogError if a newer version wrote it
   */
  async importLog(bytes: Uint8Array): Promise<{ session: Session; skipped: number }> {
    const { events: lines, damaged, isTorn } = readLines(Buffer.from(bytes));
    const events = applyValidEvents(emptySession(), lines);
    if (!events.some(({ type }) => type === 'run_started'))
      throw new SessionError('This file is not an exported Kedge session. Export a session with kedge export --format json.');
    const copied = copiedEvents(events.flatMap(fromOutside));
    const imported = { type: 'session_imported', runId: '', seq: (copied.at(-1)?.seq ?? 0) + 1, at: this.#now() } as const;
    const { store } = this.#desk.ports;
    const id = store.newId();
    writeWholeLog(store.log(id), [...copied, imported]);
    return { session: await this.#desk.session(id), skipped: damaged + Number(isTorn) + lines.length - events.length };
  }

  /**
   * Counts what happened in all sessions. Returns one list for each session. Only the logs that have changed since the last call are read.
   * With `everywhere`, the sessions of all workspaces are counted.
   */
  async insights(signal?: AbortSignal, { everywhere = false } = {}): Promise<(readonly Cell[])[]> {
    const { countsOfSessions } = await import('./insights.ts');
    return this.#inEach(everywhere, (directory) => countsOfSessions(directory, signal));
  }

  /** Returns how often each agent ran in all workspaces, and how its runs ended, by its name. */
  async agentUses(signal?: AbortSignal): Promise<ReadonlyMap<string, AgentUse>> {
    const { agentUses, agentRunsOfSessions } = await import('./insights.ts');
    return agentUses(await this.#inEach(true, (directory) => agentRunsOfSessions(directory, signal)));
  }

  /** Reads the directory of this workspace's sessions, and of all others if `everywhere` is true. */
  async #inEach<T>(everywhere: boolean, read: (directory: string) => Promise<readonly T[]>): Promise<T[]> {
    const { otherWorkspaces } = await import('./elsewhere.ts');
    const others = everywhere ? otherWorkspaces(this.#desk.ports).map(({ sessions }) => sessions) : [];
    const all: T[] = [];
    for (const directory of [this.#directory, ...others]) all.push(...(await read(directory)));
    return all;
  }

  #now(): number {
    return (this.#desk.ports.now ?? Date.now)();
  }
}

/**
 * Returns the writes of a session that can be undone, one for each call or undo. Writes that an imported session made on another computer
 * are not included.
 */
function writesIn({ events, state }: Session): { seq: number; runId: string; id: string }[] {
  const staged = new Set(state.staged.map(({ callId }) => callId));
  return events.slice(events.findLastIndex(({ type }) => type === 'session_imported') + 1).flatMap((event) => {
    const id = event.type === 'changes_staged' ? event.callId : event.type === 'undo_staged' ? event.undoId : undefined;
    return id !== undefined && staged.has(id) ? [{ seq: event.seq, runId: event.runId, id }] : [];
  });
}

/** Restores the files to their state after the event with the number `until`. @returns undefined if nothing was written since */
async function restoreFiles(session: Session, until: number): Promise<readonly UndoResult[] | undefined> {
  const { changes } = session;
  const writes = writesIn(session);
  if (!writes.some(({ seq }) => seq > until)) return undefined;
  const last = writes.findLast(({ seq }) => seq <= until);
  const to: RestorePoint = last ? { runId: last.runId, callId: last.id } : { runId: writes[0]?.runId ?? '' };
  let results: readonly UndoResult[] = [];
  const end = session.subscribe((event) => {
    if (event.type === 'changes_restored') results = event.results;
  });
  try {
    await changes.restore(to);
  } finally {
    end();
  }
  return results;
}
