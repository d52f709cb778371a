/** Remembers which changes of runs the user has neither kept nor undone, across reloads of the window. */
import type * as vscode from 'vscode';

const KEY = 'kedge.reviews';
/** The maximum number of runs that are remembered. Changes of older runs count as kept. */
const MAX_RUNS = 40;

/** `files` holds the keys of the blocks that the user kept, by path. */
export type RunReview = { sessionId: string; runId: string; files: Readonly<Record<string, readonly string[]>> };

export class ReviewList {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** The runs with changes to review, oldest first. */
  get runs(): readonly RunReview[] {
    return this.#memory.get<RunReview[]>(KEY, []);
  }

  /** The paths with changes to review, starting with the newest run. */
  get paths(): string[] {
    return [...new Set(this.runs.toReversed().flatMap(({ files }) => Object.keys(files)))];
  }

  ofPath(path: string): RunReview[] {
    return this.runs.filter(({ files }) => files[path] !== undefined);
  }

  /** Call this when a run has changed files. */
  async add(sessionId: string, runId: string, paths: readonly string[]): Promise<void> {
    const old = this.runs.find((run) => run.runId === runId);
    const files = { ...old?.files, ...Object.fromEntries(paths.map((path) => [path, old?.files[path] ?? []])) };
    const others = this.runs.filter((run) => run !== old);
    await this.#store([...others, { sessionId, runId, files }].slice(-MAX_RUNS));
  }

  /** Sets which blocks of a file were kept. Without `kept`, the review of the file is complete. */
  async set(runId: string, path: string, kept: readonly string[] | undefined): Promise<void> {
    const runs = this.runs.flatMap((run) => {
      if (run.runId !== runId) return [run];
      const { [path]: _, ...others } = run.files;
      const files = kept ? { ...others, [path]: kept } : others;
      return Object.keys(files).length > 0 ? [{ ...run, files }] : [];
    });
    await this.#store(runs);
  }

  async removeSession(sessionId: string): Promise<void> {
    await this.#store(this.runs.filter((run) => run.sessionId !== sessionId));
  }

  async clear(): Promise<void> {
    await this.#store([]);
  }

  #store(runs: readonly RunReview[]): Thenable<void> {
    return this.#memory.update(KEY, runs.length > 0 ? runs : undefined);
  }
}
