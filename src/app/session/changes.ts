/** The files that a session changed: reviews, undo and restore. */
import type { ChangeSummary, Review } from '../../core/session/effects.ts';
import type { RestorePoint } from '../../core/session/events.ts';
import type { TakeBackPorts, TakingBack, UndoPart } from './undo.ts';

const loadUndo = () => import('./undo.ts');
type UndoCode = Awaited<ReturnType<typeof loadUndo>>;

export type ChangesPorts = TakeBackPorts & {
  /** @throws SessionError while a run is live. */
  expectIdle(): void;
};

export class Changes {
  readonly #ports: ChangesPorts;
  #takingBack: Promise<void> | undefined;

  constructor(ports: ChangesPorts) {
    this.#ports = ports;
  }

  /** Resolves when the current undo or restore has ended. The property is undefined if none is in progress. */
  get takingBack(): Promise<void> | undefined {
    return this.#takingBack;
  }

  /**
   * Undoes the changes of a run: all of them, one file, or one hunk of a file as `review` returned it. Later changes by others are kept by
   * merging. If merging is not possible, the file is refused. If `signal` stops the undo, the log records what was already undone.
   */
  async undo(runId: string, part?: UndoPart, signal?: AbortSignal): Promise<void> {
    this.#ports.expectIdle();
    await this.#takeBack(({ undoing }) => undoing(this.#ports.log.state, runId, part), signal);
  }

  /** Restores the files that Kedge changed to their state at a point of this session, across all of its runs. */
  async restore(to: RestorePoint): Promise<void> {
    this.#ports.expectIdle();
    await this.#takeBack(({ restoring }) => restoring(this.#ports.log.state, to));
  }

  /** Returns proposed changes with their complete diffs. The log contains only the beginning of a long diff. */
  async whole(changes: readonly ChangeSummary[]): Promise<ChangeSummary[]> {
    return (await this.#ports.gate('')).wholeChanges(changes);
  }

  /** Returns the changes of a run that a file still contains, in hunks. */
  async review(runId: string, path: string): Promise<Review> {
    const [gate, { writesOfRun }] = await Promise.all([this.#ports.gate(runId), loadUndo()]);
    return gate.review(writesOfRun(this.#ports.log.state, runId, path));
  }

  async #takeBack(plan: (code: UndoCode) => TakingBack, signal?: AbortSignal): Promise<void> {
    const ended = loadUndo().then((code) => code.takeBack(() => plan(code), this.#ports, signal));
    this.#takingBack = ended.catch(() => undefined);
    try {
      await ended;
    } finally {
      this.#takingBack = undefined;
    }
  }
}
