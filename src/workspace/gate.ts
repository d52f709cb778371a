/**
 * The write gate: the only code that is handed the means to write. It applies exactly the change that was shown, or nothing,
 * and leaves behind what is needed to take it back.
 */
import type { UndoResult } from '../core/events.ts';
import { type ChangeSummary, type ExecuteContext, ToolError } from '../core/tool.ts';
import { type ChangeSet, changeSet } from './changes.ts';
import { hashOf, sameBytes } from './content.ts';
import { parsePath } from './paths.ts';
import type { BlobStore, FileChange, Writer } from './types.ts';
import type { Workspace } from './workspace.ts';

/** `landed`: known to have been written, whole. */
type Staged = { path: string; before?: string | undefined; after?: string | undefined; mode?: number; made?: string[]; landed: boolean };

export class WriteGate {
  readonly #workspace: Workspace;
  readonly #writer: Writer;
  readonly #blobs: BlobStore;
  #queue: Promise<unknown>;

  constructor(workspace: Workspace, writer: Writer, blobs: BlobStore) {
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

  /** @throws ToolError, with every file as it was, when any of them is no longer what was shown or cannot be written. */
  apply(set: ChangeSet, { callId, record, signal }: Pick<ExecuteContext, 'callId' | 'record' | 'signal'>): Promise<void> {
    return this.#alone(async () => {
      for (const change of set.changes) await this.#expectUnchanged(change);
      const staged = await Promise.all(set.summaries.map(({ diff: _, ...rest }, index) => this.#staged(rest, set.changes[index])));
      // A change that has not begun when its run is stopped never does.
      signal.throwIfAborted();
      // The log knows what is about to happen before the first byte changes.
      record({ type: 'changes_staged', callId, changes: staged });
      await this.#commit(set.changes.map((change, index) => ({ ...change, mode: staged[index]?.mode })));
      record({ type: 'file_changed', callId, changes: set.summaries });
    });
  }

  /**
   * Takes back what a run wrote, newest state to oldest, file by file. A file that is not as the run left it is refused:
   * somebody went on working in it.
   */
  undo(staged: readonly Staged[]): Promise<UndoResult[]> {
    return this.#alone(async () => {
      const results: UndoResult[] = [];
      for (const { path, before, left, mode } of netEffect(staged)) {
        try {
          results.push(await this.#restore(path, before, left, mode));
        } catch (error) {
          results.push({ path, outcome: 'refused', reason: error instanceof Error ? error.message : String(error) });
        }
      }
      for (const path of staged.flatMap(({ made = [] }) => made).reverse()) await this.#removeIfEmpty(path);
      return results;
    });
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
    for (let at = parentOf(path); at && !(await this.#workspace.stat({ folder, path: at })); at = parentOf(at))
      made.unshift(`${this.#workspace.display({ folder, path: at })}/`);
    return made.length > 0 ? { ...summary, made } : summary;
  }

  /** A directory that came with a file, and that holds somebody's work by now, stays. */
  async #removeIfEmpty(path: string): Promise<void> {
    try {
      const at = parsePath(path, this.#workspace.fs.folders);
      const change: FileChange = { path, at, before: new Uint8Array(), after: undefined };
      await this.#expectUnchanged(change);
      if ((await this.#workspace.fs.list(at)).length === 0) await this.#commit([change]);
    } catch {
      // Gone already, or not to be had: it is no content of anybody.
    }
  }

  async #restore(
    path: string,
    before: string | undefined,
    left: ReadonlySet<string | undefined>,
    mode: number | undefined,
  ): Promise<UndoResult> {
    const at = parsePath(path, this.#workspace.fs.folders);
    const now = await this.#now({ path, at });
    const hash = now && (await hashOf(now));
    if (hash === before) return { path, outcome: 'unchanged' };
    if (!left.has(hash)) return { path, outcome: 'refused', reason: now ? 'It was changed since.' : 'It was deleted since.' };
    const image = before === undefined ? undefined : await this.#blobs.get(before);
    if (before !== undefined && !image) return { path, outcome: 'refused', reason: 'Its earlier content is no longer kept.' };
    const change: FileChange = { path, at, before: now, after: image, mode };
    await this.#expectUnchanged(change);
    await this.#commit([change]);
    return { path, outcome: 'restored' };
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

  async #commit(changes: readonly FileChange[]): Promise<void> {
    try {
      await this.#writer.commit(changes);
      for (const { path, at, after } of changes) {
        if (!sameBytes(await this.#now({ path, at }), after)) throw new Error(`${path} did not take the new content.`);
      }
    } catch (error) {
      const lost = await this.#rollBack(changes);
      const why = error instanceof Error ? error.message : String(error);
      const state = lost.length ? `These could not be put back: ${lost.join(', ')}. Read them again.` : 'Nothing was changed.';
      throw new ToolError(`The change could not be written: ${why} ${state}`);
    }
  }

  /** Returns the paths that could not be put back: what is neither the old nor the new content is somebody else's work. */
  async #rollBack(changes: readonly FileChange[]): Promise<string[]> {
    const lost: string[] = [];
    for (const change of changes) {
      try {
        const now = await this.#now(change);
        if (sameBytes(now, change.before)) continue;
        if (now && !sameBytes(now, change.after)) throw new Error(`${change.path} was changed by somebody else.`);
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
    const stat = await this.#workspace.stat(at);
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

/**
 * What there was before the first change and what the changes may have left, per path; what is sure to have ended where it
 * began is left out. Newest first, and what has to go before what comes back, since it may stand in its way. A change that did not land (it failed and was put back, or the program ended) may have
 * left either.
 */
export function netEffect(
  staged: readonly Staged[],
): { path: string; before: string | undefined; left: ReadonlySet<string | undefined>; mode?: number | undefined }[] {
  const net = new Map<string, { path: string; before: string | undefined; left: Set<string | undefined>; mode?: number | undefined }>();
  for (const { path, before, after, mode, landed } of staged) {
    const known = net.get(path) ?? { path, before, left: new Set([before]) };
    if (mode !== undefined) known.mode ??= mode;
    known.left = landed ? new Set([after]) : known.left.add(after);
    net.set(path, known);
  }
  const changed = [...net.values()].filter(({ before, left }) => left.size > 1 || !left.has(before)).reverse();
  return [...changed.filter(({ before }) => before === undefined), ...changed.filter(({ before }) => before !== undefined)];
}

/** Of a path in a folder: '' for what is in the folder itself. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
