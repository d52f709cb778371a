/**
 * Lessons: entries of the memory that Kedge proposes after a run. They are derived again from the log whenever they are shown, and nothing is stored
 * before the user has confirmed it. Only the digests of answered proposals are stored besides, so that none is made twice.
 */
import { holdsKey } from '../../core/keys.ts';
import { mentionsOf } from '../../core/model/notes.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import { readLastRun } from '../../core/view/session-view.ts';
import { memoryEntries } from '../../core/words/memory-list.ts';
import type { MemoryStore } from '../../tools/remember.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { digestOf } from '../context/digest.ts';
import type { AssistantPorts } from '../ports.ts';
import { withheldFilterOf, withSessionRules } from '../run/judge.ts';
import { seenIn } from '../run/seen.ts';
import type { Session } from '../session/session.ts';
import { SessionError } from '../session/session-error.ts';
import { type DerivedLesson, lessonEntry, lessonOf, MAX_LESSON, MAX_LESSONS } from './derive.ts';

/** A proposed lesson of a run. */
export type Lesson = { runId: string; text: string };
type OpenSession = Pick<Session, 'state' | 'events'>;

export class Lessons {
  readonly #ports: AssistantPorts;

  constructor(ports: AssistantPorts) {
    this.#ports = ports;
  }

  /** Returns the lesson to propose after the last run of a session, or undefined. It never writes, and never fails: nobody asked for it. */
  async proposal(session: OpenSession): Promise<Lesson | undefined> {
    const found = await this.#find(session).catch(() => undefined);
    return found && { runId: found.runId, text: found.text };
  }

  /**
   * Stores the proposed lesson of a run or, with `words`, what the user wrote instead. Returns a sentence for the user.
   * @throws SessionError if there is no such proposal, or the words cannot be stored
   */
  async keep(session: OpenSession, runId: string, words?: string): Promise<string> {
    const { store, digest, text } = await this.#expect(session, runId);
    const entry = words === undefined ? text : lessonEntry(words);
    if (entry === '') throw new SessionError('There is nothing to remember. Enter a text, or dismiss the proposal.');
    if (entry.length > MAX_LESSON)
      throw new SessionError(`The text was not stored, because it has ${entry.length} characters. It can have at most ${MAX_LESSON}.`);
    if (holdsKey(entry)) throw new SessionError('The text was not stored, because a part of it looks like a key or a password. Remove it.');
    await store.add('lessons', entry);
    await store.answer(digest);
    return `Remembered for similar tasks in this workspace: ${entry}`;
  }

  /** Declines the proposed lesson of a run. It is not proposed again, even after another run. */
  async dismiss(session: OpenSession, runId: string): Promise<void> {
    const { store, digest } = await this.#expect(session, runId);
    await store.answer(digest);
  }

  /**
   * Carries out what the user wrote after `/lesson`: nothing, to see the proposal; `keep`, also with other words; or `dismiss`. Returns a sentence for the
   * user. @throws SessionError if that is not possible
   */
  async command(session: OpenSession, words: string): Promise<string> {
    const found = await this.#find(session);
    if (!found) return 'There is nothing to remember from the last run.';
    const [, verb, rest = ''] = /^\s*(keep|dismiss)?(?:\s+|$)([\s\S]*)$/.exec(words) ?? [];
    if (verb === 'keep') return this.keep(session, found.runId, rest.trim() || undefined);
    if (verb === 'dismiss' && rest === '') return this.#dismissed(session, found.runId);
    if (words.trim() !== '') throw new SessionError('Use /lesson, /lesson keep, /lesson keep OTHER WORDS, or /lesson dismiss.');
    return proposalText(found);
  }

  async #dismissed(session: OpenSession, runId: string): Promise<string> {
    await this.dismiss(session, runId);
    return 'Dismissed. This is not proposed again.';
  }

  async #expect(session: OpenSession, runId: string) {
    const found = await this.#find(session);
    if (found?.runId !== runId) throw new SessionError('This proposal is out of date, so nothing was stored.');
    return found;
  }

  async #find(session: OpenSession): Promise<(DerivedLesson & { runId: string; digest: string; store: MemoryStore }) | undefined> {
    const { remembered: store, settings } = this.#ports;
    if (!store || settings.lessons?.() === false || settings.memory?.() === 0 || session.state.lastRun?.status !== 'finished')
      return undefined;
    const run = readLastRun(session.events);
    // Most runs are ruled out before any file is read.
    if (!run || !lessonOf(run, () => true) || (await this.#showsWithheld(session))) return undefined;
    const isWithheld = await this.#withheldPaths(session);
    const lesson = lessonOf(run, (path) => !isWithheld(path));
    if (!lesson) return undefined;
    const digest = await digestOf(lesson.about);
    const [answered, kept] = await Promise.all([store.answered(), store.read('lessons')]);
    if (answered.includes(digest) || memoryEntries(kept).length >= MAX_LESSONS) return undefined;
    return { ...lesson, runId: run.id, digest, store };
  }

  /** Returns true if the session read something that may not be read without approval, because a command of the model could repeat it. */
  async #showsWithheld({ state, events }: OpenSession): Promise<boolean> {
    const { places } = aliasesIn(this.#ports.fileSystem().folders);
    if (seenIn(events, places)().secret) return true;
    const isWithheld = await this.#withheldPaths({ state });
    for (const event of events.select(({ type }) => type === 'tool_started' || type === 'message_added'))
      if (pathsRead(event).some(isWithheld)) return true;
    return false;
  }

  async #withheldPaths({ state }: Pick<OpenSession, 'state'>): Promise<(path: string) => boolean> {
    const ruled = withSessionRules(this.#ports, state);
    const workspace = new Workspace(await withIgnoreFiles(this.#ports.fileSystem()), withheldFilterOf(ruled));
    const isWithheld = workspace.withheldPaths();
    return (path) => {
      try {
        return isWithheld(path);
      } catch {
        return true;
      }
    };
  }
}

/** Returns the question to the user where there are no buttons. */
export function proposalText({ text }: Pick<Lesson, 'text'>): string {
  return `Remember this for similar tasks? ${text}\nTo keep it: /lesson keep, or /lesson keep and your own words. If not: /lesson dismiss`;
}

function pathsRead(event: AgentEvent): string[] {
  if (event.type === 'tool_started') return event.targets.flatMap(({ path, access }) => (access === 'read' ? [path] : []));
  return event.type === 'message_added'
    ? mentionsOf(event.message).flatMap(({ kind, path }) => (path !== undefined && FILES.has(kind) ? [path] : []))
    : [];
}

const FILES: ReadonlySet<string> = new Set(['file', 'selection', 'symbol']);
