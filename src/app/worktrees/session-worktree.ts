/** The Git worktree in which a session works, so that the user's files stay as they are until the user has reviewed the changes. */
import { type ElsewhereChange, type ElsewhereChanges, isUnapplied, PARTLY_APPLIED } from '../../tools/edit/apply-worktree.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts, WorktreesPort } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { SessionError } from '../session/session-error.ts';
import { loadWorktrees } from './load-worktrees.ts';
import { sweepWorktrees } from './sweep.ts';

export class SessionWorktree {
  readonly #session: Session;
  readonly #ports: AssistantPorts;

  constructor(session: Session, ports: AssistantPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  /**
   * Creates the worktree for the first run of the session. Returns its id for that run.
   * @throws SessionError if it cannot be created, or if the session already has runs
   */
  async create(signal: AbortSignal): Promise<string> {
    if (this.#session.state.runs.size > 0) throw new SessionError('Only a new session can work in a worktree. Start a new session.');
    const worktrees = await this.#worktrees();
    await sweepWorktrees(worktrees, this.#ports);
    return worktrees.create(this.#session.id, signal);
  }

  /** Lists the changed files without those that were applied completely. @throws SessionError if the session has no worktree */
  async changes(signal: AbortSignal): Promise<ElsewhereChanges> {
    const id = this.#id;
    const all = await (await this.#worktrees()).changes(id, this.#session.id, signal);
    if (!this.isPartlyApplied) return all;
    const workspace = new Workspace(this.#ports.fileSystem());
    const changes: ElsewhereChange[] = [];
    for (const change of all.changes) if (await isUnapplied(workspace, change)) changes.push(change);
    return { ...all, changes };
  }

  /** Whether some changes of the worktree were applied while the rest stayed in it. */
  get isPartlyApplied(): boolean {
    const { staged, runs, worktree } = this.#session.state;
    return staged.some(({ runId, landed }) => {
      const { applies } = runs.get(runId) ?? {};
      return landed && applies !== undefined && 'worktree' in applies && applies.worktree === worktree;
    });
  }

  /** Asks the user to approve the changes, and applies them to the user's files. Resolves when the user has answered. */
  async apply(): Promise<void> {
    await this.#session.apply({ worktree: this.#id });
    await this.closeApplied();
  }

  /** Deletes the worktree with its changes. @throws SessionError while a run is not finished */
  async drop(): Promise<void> {
    // Another window may have continued the session.
    this.#session.refresh();
    const id = this.#id;
    const { busy, state } = this.#session;
    if (busy || state.lastRun?.status !== 'finished')
      throw new SessionError('The run in this worktree is not finished. Stop it before you drop its changes.');
    await this.#close(id, 'dropped');
  }

  /**
   * Closes the worktree if the last run applied all its changes. What the user left out stays in it, and so does everything if the program ended
   * before the result was logged.
   */
  async closeApplied(): Promise<void> {
    const { worktree, lastRun, staged } = this.#session.state;
    const { applies } = lastRun ?? {};
    // Code from an answer can be applied to files of the worktree, which then goes on.
    if (worktree === undefined || !lastRun || !applies || !('worktree' in applies)) return;
    if (!staged.some(({ runId, landed }) => landed && runId === lastRun.runId)) return;
    const finished = this.#session.events.ofType('tool_finished', lastRun.runId).at(-1);
    if (finished && !finished.result.isError && finished.note !== PARTLY_APPLIED) await this.#close(worktree, 'applied');
  }

  async #close(worktree: string, outcome: 'applied' | 'dropped'): Promise<void> {
    this.#session.note({ type: 'session_worktree_closed', worktree, outcome });
    // A worktree that cannot be deleted now is deleted before the next one is created.
    await (await this.#worktrees()).remove(worktree).catch(() => undefined);
  }

  /** @throws SessionError if the session has no worktree */
  get #id(): string {
    const { worktree } = this.#session.state;
    if (worktree === undefined) throw new SessionError('This session does not work in a worktree.');
    return worktree;
  }

  #worktrees(): Promise<WorktreesPort> {
    return loadWorktrees(this.#ports);
  }
}
