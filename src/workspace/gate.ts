/**
 * The write gate: the only code that is handed the means to write. It applies exactly the change that was shown, or nothing,
 * and leaves behind what is needed to take it back.
 */

import { type ChangeSummary, type ExecuteContext, type Review, type Revision, ToolError } from '../core/run/tool.ts';
import type { UndoResult } from '../core/session/events.ts';
import { changesFrom, revised } from './apply-revision.ts';
import { type ChangeSet, changeSet, diffOf, digestOf } from './changes.ts';
import { earlier, type History, historiesOf, type Staged } from './checkpoints.ts';
import { decodeText, encodeLike, hashOf, sameBytes } from './content.ts';
import type { FormatText } from './format-changes.ts';
import { withoutHunks } from './hunks.ts';
import { parsePath } from './paths.ts';
import { type BlobStore, type FileChange, NothingWritten, type Writer } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Called before the first byte changes, with all that is about to. */
export type RecordChanges = (changes: Omit<ChangeSummary, 'diff'>[]) => void;

type PlannedUndo = { result: UndoResult; change?: FileChange; isBlocked?: boolean };

export class WriteGate {
  readonly #workspace: Workspace;
  readonly #writer: Writer;
  readonly #blobs: BlobStore;
  /** How the user wants proposed texts tidied before they are shown, where the host can. */
  readonly format: FormatText | undefined;
  #queue: Promise<unknown>;

  constructor(workspace: Workspace, writer: Writer, blobs: BlobStore, format?: FormatText) {
    this.format = format;
    this.#workspace = workspace;
    this.#writer = writer;
    this.#blobs = blobs;
    this.#queue = Promise.resolve(writer.recover?.()).catch(() => undefined);
  }

  /** The change set of these changes. Its contents are kept from now on: the diff that is shown and a later undo read them. */
  async prepare(changes: FileChange[]): Promise<ChangeSet> {
    const set = await changeSet(changes);
    for (const { before, after } of changes) {
      if (before) await this.#blobs.put(before);
      if (after) await this.#blobs.put(after);
    }
    return set;
  }

  async wholeChanges(summaries: readonly ChangeSummary[]): Promise<ChangeSummary[]> {
    return (await changeSet(await changesFrom(summaries, this.#blobs), Number.POSITIVE_INFINITY)).summaries;
  }

  /** As much of the change as the user kept. @throws ToolError for a revision that does not fit it. */
  async revise(set: ChangeSet, revision: Revision): Promise<ChangeSet> {
    return this.prepare(await revised(set.changes, revision, this.#blobs));
  }

  /** The digest that `revise` will come to; undefined where nothing is left to do. */
  async revisedDigest(summaries: readonly ChangeSummary[], revision: Revision): Promise<string | undefined> {
    const kept = await revised(await changesFrom(summaries, this.#blobs), revision, this.#blobs);
    const hash = async (bytes: Uint8Array | undefined) => bytes && { hash: await hashOf(bytes) };
    const effects = await Promise.all(
      kept.map(async ({ path, before, after }) => {
        const [from, to] = await Promise.all([hash(before), hash(after)]);
        return { path, ...(from && { before: from.hash }), ...(to && { after: to.hash }) };
      }),
    );
    return effects.length === 0 ? undefined : digestOf(effects);
  }

  /** @throws ToolError, with every file as it was, when any of them is no longer what was shown or cannot be written. */
  apply(set: ChangeSet, { callId, record, signal }: Pick<ExecuteContext, 'callId' | 'record' | 'signal'>): Promise<void> {
    return this.#alone(async () => {
      for (const change of set.changes) await this.#expectUnchanged(change);
      const staged = await Promise.all(set.summaries.map(({ diff: _, ...rest }, index) => this.#staged(rest, set.changes[index])));
      // A change that has not begun when its run is stopped never does.
      signal.throwIfAborted();
      // The log knows what is about to happen before the first byte changes.
      record({ type: 'changes_staged', callId, changes: staged });
      const changes = set.changes.map((change, index) => ({ ...change, mode: staged[index]?.mode }));
      const overtaken = await this.#commit(changes, () => record({ type: 'changes_dropped', callId }));
      record({ type: 'file_changed', callId, changes: set.summaries });
      if (overtaken.length > 0)
        throw new ToolError(`The change was written, but somebody else changed ${overtaken.join(', ')} right afterwards. Read it again.`);
    });
  }

  /**
   * Takes back what was written, newest first, as one step where that can be. A file in which somebody went on is merged, or left
   * alone where the two meet. `record` is told before the first byte changes; what landed of it, the results say. Stopped before that, it
   * changes nothing; stopped later, it ends between two files.
   */
  undo(staged: readonly Staged[], record: RecordChanges, signal?: AbortSignal): Promise<UndoResult[]> {
    return this.#alone(async () => {
      const histories = historiesOf(staged);
      const plans: PlannedUndo[] = [];
      for (const history of histories) {
        signal?.throwIfAborted();
        plans.push(await this.#plan(history));
      }
      signal?.throwIfAborted();
      await this.#takeBack(plans, record, signal);
      await this.#removeEmpty(staged.flatMap(({ made = [] }) => made).reverse(), signal);
      // Something that has gone by now may have stood in its way.
      for (const [index, { isBlocked }] of plans.entries()) {
        if (!isBlocked || signal?.aborted) continue;
        const again = await this.#plan(histories[index] as History);
        await this.#takeBack([again], record, signal);
        plans[index] = again;
      }
      return plans.map(({ result }) => result);
    });
  }

  /** What these writes to one file come to in the file as it is now. */
  async review(staged: readonly Staged[]): Promise<Review> {
    const { result, change } = await this.#planOf(staged);
    if (result.outcome === 'refused') return { problem: result.reason ?? '' };
    return { ...diffOf(change?.after, change?.before), digest: await this.#digestOf(change) };
  }

  /** Takes back one hunk of what `review` showed. Another file than it showed is refused. */
  undoHunk(staged: readonly Staged[], { index, digest }: { index: number; digest: string }, record: RecordChanges): Promise<UndoResult[]> {
    return this.#alone(async () => {
      const plan = await this.#planOf(staged);
      const { change } = plan;
      if (!change) return [plan.result];
      if ((await this.#digestOf(change)) !== digest)
        return [{ path: change.path, outcome: 'refused', reason: 'It was changed since you saw it. Look at it again.' }];
      const [old, now] = [change.after && decodeText(change.after), change.before && decodeText(change.before)];
      if (change.before && old !== undefined && now !== undefined)
        plan.change = { ...change, after: encodeLike(withoutHunks(old, now, [index]), change.before) };
      await this.#takeBack([plan], record);
      return [plan.result];
    });
  }

  async #planOf(staged: readonly Staged[]): Promise<PlannedUndo> {
    const [history] = historiesOf(staged);
    return history ? this.#plan(history) : { result: { path: staged[0]?.path ?? '', outcome: 'unchanged' } };
  }

  async #digestOf(change: FileChange | undefined): Promise<string> {
    return (await changeSet(change ? [change] : [])).digest;
  }

  async #plan({ path, stretches, mode }: History): Promise<PlannedUndo> {
    try {
      const at = parsePath(path, this.#workspace.fs.folders);
      const before = await this.#now({ path, at });
      const { content, ...result } = await earlier(before, stretches, this.#blobs);
      if (!content) return { result: { path, ...result } };
      const change: FileChange = { path, at, before, after: content.bytes, mode };
      await this.#expectUnchanged(change);
      return { result: { path, ...result }, change };
    } catch (error) {
      return { result: refusal(path, error), isBlocked: true };
    }
  }

  async #takeBack(plans: PlannedUndo[], record: RecordChanges, signal?: AbortSignal): Promise<void> {
    const changes = plans.flatMap(({ change }) => change ?? []);
    if (changes.length === 0) return;
    // What is there now is kept too, so that the way back can be gone back.
    const { summaries } = await this.prepare(changes);
    record(await Promise.all(summaries.map(({ diff: _, ...rest }, index) => this.#staged(rest, changes[index]))));
    const files = plans.filter(({ change }) => change && !change.path.endsWith('/'));
    const isWhole = await this.#commit(files.map(({ change }) => change as FileChange)).then(
      () => true,
      () => false,
    );
    // One by one, so that a file that cannot be written does not keep the others from it.
    for (const plan of plans) {
      const { change } = plan;
      if (!change || (isWhole && files.includes(plan))) continue;
      try {
        if (signal?.aborted) throw new ToolError('It was stopped before this file.');
        await this.#expectUnchanged(change);
        await this.#commit([change]);
      } catch (error) {
        plan.result = refusal(change.path, error);
      }
    }
  }

  /** With what undo needs to know and nobody knows afterwards. */
  async #staged<Summary extends Omit<ChangeSummary, 'diff'>>(summary: Summary, change: FileChange | undefined): Promise<Summary> {
    if (!change || (change.before && change.after)) return summary;
    if (change.before) {
      const mode = change.path.endsWith('/') ? undefined : (await this.#workspace.stat(change.at))?.mode;
      return mode === undefined ? summary : { ...summary, mode };
    }
    const made: string[] = [];
    const { folder, path } = change.at;
    await this.#workspace.stat(change.at);
    for (let at = parentOf(path); at && !(await this.#workspace.fs.stat({ folder, path: at })); at = parentOf(at))
      made.push(`${this.#workspace.display({ folder, path: at })}/`);
    return made.length > 0 ? { ...summary, made: made.reverse() } : summary;
  }

  /** Directories that came with files, inner ones first: all at once, or else as many as can go. One that holds somebody's work by now stays. */
  async #removeEmpty(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    const changes = await this.#emptyAmong(paths, signal);
    if (signal?.aborted || changes.length === 0) return;
    const isDone = await this.#commit(changes).then(
      () => true,
      () => false,
    );
    for (const change of isDone ? [] : changes) if (!signal?.aborted) await this.#commit([change]).catch(() => undefined);
  }

  /** Those that hold nothing but each other. */
  async #emptyAmong(paths: readonly string[], signal: AbortSignal | undefined): Promise<FileChange[]> {
    const empty = new Map<string, FileChange>();
    // On the way to a real place there is no link, so one look is enough for all directories around it.
    let real = '';
    for (const path of paths) {
      if (signal?.aborted) break;
      try {
        const at = parsePath(path, this.#workspace.fs.folders);
        // The writer may have removed it with the file.
        if (!(await this.#workspace.fs.stat(at))) continue;
        const change: FileChange = { path, at, before: new Uint8Array(), after: undefined };
        if (!real.startsWith(path)) await this.#expectUnchanged(change);
        real = path;
        const left = (await this.#workspace.fs.list(at)).filter(({ name }) => !empty.has(`${path}${name}/`));
        if (left.length === 0) empty.set(path, change);
      } catch {
        // Not to be had: it is no content of anybody.
      }
    }
    return [...empty.values()];
  }

  /** Judged again at the last moment: the place must still be the place (no link slipped in), the content still the content. */
  async #expectUnchanged({ path, at, before }: FileChange): Promise<void> {
    const real = await this.#workspace.fs.canonical(at);
    if (!real || this.#workspace.display(real) !== path.replace(/\/$/, ''))
      throw new ToolError(`${path} is no longer at that place. Nothing was changed.`);
    const now = await this.#now({ path, at }).catch((error) => {
      throw new ToolError(`${error instanceof Error ? error.message : error} Nothing was changed.`);
    });
    if (!sameBytes(now, before)) {
      const what = !now ? 'was deleted' : !before ? 'exists by now' : 'was changed';
      throw new ToolError(`${path} ${what} since the change was prepared. Nothing was changed: read it again.`);
    }
  }

  /** `putBack` is told where it failed and nothing of it is left. Returns the paths that somebody else has changed since it landed. */
  async #commit(changes: readonly FileChange[], putBack?: () => void): Promise<string[]> {
    try {
      await this.#writer.commit(changes);
      const overtaken: string[] = [];
      for (const change of changes) {
        const now = await this.#now(change);
        if (sameBytes(now, change.after)) continue;
        if (sameBytes(now, change.before)) throw new Error(`${change.path} did not take the new content.`);
        overtaken.push(change.path);
      }
      return overtaken;
    } catch (error) {
      const lost = await this.#rollBack(changes, error instanceof NothingWritten);
      if (lost.length === 0) putBack?.();
      const why = error instanceof Error ? error.message : String(error);
      const state = lost.length ? `These could not be put back: ${lost.join(', ')}. Read them again.` : 'Nothing was changed.';
      throw new ToolError(`The change could not be written: ${why.replace(/\.?$/, '.')} ${state}`);
    }
  }

  /**
   * Returns the paths that could not be put back. What is neither the old nor the new content is somebody else's work: it stays, and only where
   * it is sure that `nothingLanded` nothing of the change is in it.
   */
  async #rollBack(changes: readonly FileChange[], nothingLanded: boolean): Promise<string[]> {
    const lost: string[] = [];
    for (const change of changes) {
      try {
        const now = await this.#now(change);
        if (sameBytes(now, change.before)) continue;
        const isTheirs = !sameBytes(now, change.after);
        if (isTheirs && nothingLanded) continue;
        if (isTheirs && now) throw new Error(`${change.path} was changed by somebody else.`);
        await this.#writer.commit([{ ...change, before: now, after: change.before }]);
      } catch {
        lost.push(change.path);
      }
    }
    return lost;
  }

  /** What is at the place, as a change has it. */
  async #now({ path, at }: Pick<FileChange, 'path' | 'at'>): Promise<Uint8Array | undefined> {
    if (!path.endsWith('/')) return (await this.#workspace.snapshot(at))?.bytes;
    const stat = await this.#workspace.fs.stat(at);
    if (stat && stat.type !== 'directory') throw new Error(`${path} is not a directory.`);
    return stat && new Uint8Array();
  }

  /** One change at a time, whichever session asks. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

function refusal(path: string, error: unknown): UndoResult {
  return { path, outcome: 'refused', reason: error instanceof Error ? error.message : String(error) };
}

/** Of a path in a folder: '' for what is in the folder itself. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
