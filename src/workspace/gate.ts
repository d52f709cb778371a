/**
 * The write gate is the only code that receives a `Writer`. It applies exactly the change that was displayed, or nothing, and stores the
 * contents that undo needs.
 */

import { type ExecuteContext, ToolError } from '../core/run/tool.ts';
import type { ChangeSummary, Review, Revision } from '../core/session/effects.ts';
import type { UndoResult } from '../core/session/events.ts';
import { changesFrom, reviseChanges } from './apply-revision.ts';
import { type ChangeSet, changeSet, diffOf, digestOf } from './changes.ts';
import { type History, historiesOf, restoredContent, type Staged } from './checkpoints.ts';
import { decodeText, encodeLike, hashOf, sameBytes } from './content.ts';
import { currentContent, emptyDirectories, expectUnchanged, withUndoInfo } from './current.ts';
import type { FormatText } from './format-changes.ts';
import { withoutHunks } from './hunks.ts';
import { parsePath } from './paths.ts';
import { type BlobStore, type FileChange, NothingWritten, type Writer } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Records all changes before the first byte is written. */
export type RecordChanges = (changes: Omit<ChangeSummary, 'diff'>[]) => void;

type PlannedUndo = { result: UndoResult; change?: FileChange; isBlocked?: boolean };

export class WriteGate {
  readonly #workspace: Workspace;
  readonly #writer: Writer;
  readonly #blobs: BlobStore;
  /**
   * Formats a proposed text according to the user's settings, before the change is displayed. The property is undefined if the host has no formatter.
   */
  readonly format: FormatText | undefined;
  #queue: Promise<unknown>;

  constructor(workspace: Workspace, writer: Writer, blobs: BlobStore, format?: FormatText) {
    this.format = format;
    this.#workspace = workspace;
    this.#writer = writer;
    this.#blobs = blobs;
    this.#queue = Promise.resolve(writer.recover?.()).catch(() => undefined);
  }

  /** Builds the change set and stores all contents as blobs, because the displayed diff and a later undo read them. */
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

  /** Reduces the change to the parts that the user accepted. @throws ToolError when the revision does not fit the change. */
  async revise(set: ChangeSet, revision: Revision): Promise<ChangeSet> {
    return this.prepare(await reviseChanges(set.changes, revision, this.#blobs));
  }

  /** Returns the digest that `revise` would produce, or undefined when the revision leaves no change. */
  async revisedDigest(summaries: readonly ChangeSummary[], revision: Revision): Promise<string | undefined> {
    const accepted = await reviseChanges(await changesFrom(summaries, this.#blobs), revision, this.#blobs);
    const hash = async (bytes: Uint8Array | undefined) => bytes && { hash: await hashOf(bytes) };
    const effects = await Promise.all(
      accepted.map(async ({ path, before, after }) => {
        const [from, to] = await Promise.all([hash(before), hash(after)]);
        return { path, ...(from && { before: from.hash }), ...(to && { after: to.hash }) };
      }),
    );
    return effects.length === 0 ? undefined : digestOf(effects);
  }

  /**
   * Applies the change set. @throws ToolError when a file has changed since it was displayed, or cannot be written. Every file then has
   * its old content, unless the message names it.
   */
  apply(set: ChangeSet, { callId, record, signal }: Pick<ExecuteContext, 'callId' | 'record' | 'signal'>): Promise<void> {
    return this.#enqueue(async () => {
      for (const change of set.changes) await expectUnchanged(this.#workspace, change);
      const staged = await Promise.all(
        set.summaries.map(({ diff: _, ...rest }, index) => withUndoInfo(this.#workspace, rest, set.changes[index])),
      );
      // A run that was stopped must not start another change.
      signal.throwIfAborted();
      // The event must be in the log before the first byte changes, so that a crash can be recovered from.
      record({ type: 'changes_staged', callId, changes: staged });
      const changes = set.changes.map((change, index) => ({ ...change, mode: staged[index]?.mode ?? change.mode }));
      const overtaken = await this.#commit(changes, () => record({ type: 'changes_dropped', callId }));
      record({ type: 'file_changed', callId, changes: set.summaries });
      if (overtaken.length > 0)
        throw new ToolError(
          `The change was written, but another program changed ${overtaken.join(', ')} right afterwards. Read the files again.`,
        );
    });
  }

  /**
   * Undoes recorded writes, newest first, in one step if possible. Later changes by others are merged. A file with a conflict is not
   * changed. `record` is called before the first byte is written; the results say which files were restored. An abort before `record`
   * changes nothing; a later abort takes effect between two files.
   */
  undo(staged: readonly Staged[], record: RecordChanges, signal?: AbortSignal): Promise<UndoResult[]> {
    return this.#enqueue(async () => {
      const histories = historiesOf(staged);
      const plans: PlannedUndo[] = [];
      for (const history of histories) {
        signal?.throwIfAborted();
        plans.push(await this.#planUndo(history));
      }
      signal?.throwIfAborted();
      await this.#applyUndo(plans, record, signal);
      await this.#removeEmpty(staged.flatMap(({ made = [] }) => made).reverse(), signal);
      // The file that blocked this path may have been removed since.
      for (const [index, { isBlocked }] of plans.entries()) {
        if (!isBlocked || signal?.aborted) continue;
        const again = await this.#planUndo(histories[index] as History);
        await this.#applyUndo([again], record, signal);
        plans[index] = again;
      }
      return plans.map(({ result }) => result);
    });
  }

  /** Returns what undoing these writes to one file would change in its current content. */
  async review(staged: readonly Staged[]): Promise<Review> {
    const { result, change } = await this.#planUndoOf(staged);
    if (result.outcome === 'refused') return { problem: result.reason ?? '' };
    return { ...diffOf(change?.after, change?.before), digest: await this.#digestOf(change) };
  }

  /** Undoes one hunk of the diff that `review` returned. The result is `refused` when the file has changed since. */
  undoHunk(staged: readonly Staged[], { index, digest }: { index: number; digest: string }, record: RecordChanges): Promise<UndoResult[]> {
    return this.#enqueue(async () => {
      const plan = await this.#planUndoOf(staged);
      const { change } = plan;
      if (!change) return [plan.result];
      if ((await this.#digestOf(change)) !== digest)
        return [
          { path: change.path, outcome: 'refused', reason: 'The file has changed since the diff was displayed. Review the file again.' },
        ];
      const [old, now] = [change.after && decodeText(change.after), change.before && decodeText(change.before)];
      if (change.before && old !== undefined && now !== undefined)
        plan.change = { ...change, after: encodeLike(withoutHunks(old, now, [index]), change.before) };
      await this.#applyUndo([plan], record);
      return [plan.result];
    });
  }

  /** Plans the undo of one file by hunks. If others have changed the same lines, the rest can still be undone. */
  async #planUndoOf(staged: readonly Staged[]): Promise<PlannedUndo> {
    const [history] = historiesOf(staged);
    if (!history) return { result: { path: staged[0]?.path ?? '', outcome: 'unchanged' } };
    const plan = await this.#planUndo(history);
    const partial = plan.result.outcome === 'refused' ? await this.#planUndo(history, true) : plan;
    return partial.change ? partial : plan;
  }

  async #digestOf(change: FileChange | undefined): Promise<string> {
    return (await changeSet(change ? [change] : [])).digest;
  }

  async #planUndo({ path, stretches, mode }: History, isPartial = false): Promise<PlannedUndo> {
    try {
      const at = parsePath(path, this.#workspace.fs.folders);
      const before = await currentContent(this.#workspace, { path, at });
      const { content, ...result } = await restoredContent(before, stretches, this.#blobs, isPartial);
      if (!content) return { result: { path, ...result } };
      const change: FileChange = { path, at, before, after: content.bytes, mode };
      await expectUnchanged(this.#workspace, change);
      return { result: { path, ...result }, change };
    } catch (error) {
      return { result: refusal(path, error), isBlocked: true };
    }
  }

  async #applyUndo(plans: PlannedUndo[], record: RecordChanges, signal?: AbortSignal): Promise<void> {
    const changes = plans.flatMap(({ change }) => change ?? []);
    if (changes.length === 0) return;
    // The current contents are stored as well, so that the undo can itself be undone.
    const { summaries } = await this.prepare(changes);
    record(await Promise.all(summaries.map(({ diff: _, ...rest }, index) => withUndoInfo(this.#workspace, rest, changes[index]))));
    const files = plans.filter(({ change }) => change && !change.path.endsWith('/'));
    const isWhole = await this.#commit(files.map(({ change }) => change as FileChange)).then(
      () => true,
      () => false,
    );
    // If the joint write failed, the files are written one by one, so that one failure does not prevent the others.
    for (const plan of plans) {
      const { change } = plan;
      if (!change || (isWhole && files.includes(plan))) continue;
      try {
        if (signal?.aborted) throw new ToolError('The undo was stopped before this file.');
        await expectUnchanged(this.#workspace, change);
        await this.#commit([change]);
      } catch (error) {
        plan.result = refusal(change.path, error);
      }
    }
  }

  /**
   * Removes the directories that were created for files, inner directories first. If that fails in one step, they are removed one by one. A
   * directory that contains other files stays.
   */
  async #removeEmpty(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    const changes = await emptyDirectories(this.#workspace, paths, signal);
    if (signal?.aborted || changes.length === 0) return;
    const isDone = await this.#commit(changes).then(
      () => true,
      () => false,
    );
    for (const change of isDone ? [] : changes) if (!signal?.aborted) await this.#commit([change]).catch(() => undefined);
  }

  /**
   * Writes the changes and rolls them back on failure. `onRolledBack` is called when the rollback was complete. Returns the paths that
   * another program changed right after the write. @throws ToolError when the write failed.
   */
  async #commit(changes: readonly FileChange[], onRolledBack?: () => void): Promise<string[]> {
    try {
      await this.#writer.commit(changes);
      const overtaken: string[] = [];
      for (const change of changes) {
        const now = await currentContent(this.#workspace, change);
        if (sameBytes(now, change.after)) continue;
        if (sameBytes(now, change.before)) throw new Error(`${change.path} does not have the new content.`);
        overtaken.push(change.path);
      }
      return overtaken;
    } catch (error) {
      const lost = await this.#rollBack(changes, error instanceof NothingWritten);
      if (lost.length === 0) onRolledBack?.();
      const why = error instanceof Error ? error.message : String(error);
      const state = lost.length ? `These files could not be restored: ${lost.join(', ')}. Read them again.` : 'Nothing was changed.';
      throw new ToolError(`The change could not be written: ${why.replace(/\.?$/, '.')} ${state}`);
    }
  }

  /**
   * Restores the old contents and returns the paths for which this failed. A file that another program changed is left unchanged. It counts
   * as not restored, unless `nothingLanded` is set, which means that the writer wrote nothing.
   */
  async #rollBack(changes: readonly FileChange[], nothingLanded: boolean): Promise<string[]> {
    const lost: string[] = [];
    for (const change of changes) {
      try {
        const now = await currentContent(this.#workspace, change);
        if (sameBytes(now, change.before)) continue;
        const isTheirs = !sameBytes(now, change.after);
        if (isTheirs && nothingLanded) continue;
        if (isTheirs && now) throw new Error(`${change.path} was changed by another program.`);
        await this.#writer.commit([{ ...change, before: now, after: change.before }]);
      } catch {
        lost.push(change.path);
      }
    }
    return lost;
  }

  /** Runs one change at a time across all sessions. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

function refusal(path: string, error: unknown): UndoResult {
  return { path, outcome: 'refused', reason: error instanceof Error ? error.message : String(error) };
}
