/** The files that a session changed: their review, and how changes are taken back. */
import type { ChangeSummary, Review } from '../../core/session/effects.ts';
import type { RestorePoint } from '../../core/session/events.ts';
import { writesOfRun } from './checkpoints.ts';
import { restoring, type TakeBackPorts, type TakingBack, takeBack, type UndoPart, undoing } from './undo.ts';

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

  /** Resolves when the undo or restore that is under way has ended; undefined where none is. */
  get takingBack(): Promise<void> | undefined {
    return this.#takingBack;
  }

  /**
   * Takes back what a run wrote: all of it, one file, or one hunk of that as `review` showed it. Where somebody went on working, theirs is
   * kept by merging, or the file is refused. Where `signal` stops it, nothing was done, or the log says what was.
   */
  async undo(runId: string, part?: UndoPart, signal?: AbortSignal): Promise<void> {
    this.#ports.expectIdle();
    await this.#takeBack(() => undoing(this.#ports.log.state, runId, part), signal);
  }

  /** Takes the files that Kedge wrote back to how they were at that point of this session, over all of its runs. */
  async restore(to: RestorePoint): Promise<void> {
    this.#ports.expectIdle();
    await this.#takeBack(() => restoring(this.#ports.log.state, to));
  }

  /** Proposed changes with all of their diffs, of which the log keeps the beginning. */
  async whole(changes: readonly ChangeSummary[]): Promise<ChangeSummary[]> {
    return (await this.#ports.gate()).wholeChanges(changes);
  }

  /** What is left in a file of a run's changes, by hunks. */
  async review(runId: string, path: string): Promise<Review> {
    return (await this.#ports.gate()).review(writesOfRun(this.#ports.log.state, runId, path));
  }

  async #takeBack(plan: () => TakingBack, signal?: AbortSignal): Promise<void> {
    const ended = takeBack(plan, this.#ports, signal);
    this.#takingBack = ended.catch(() => undefined);
    try {
      await ended;
    } finally {
      this.#takingBack = undefined;
    }
  }
}
