/** Stops a program together with all programs that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a program may run after SIGTERM before it is killed. */
export const GRACE_MS = 2_000;

/** Groups that must not outlive this process. */
const alive = new Set<ProcessGroup>();
process.once('exit', () => {
  for (const group of alive) group.kill();
});

/** The fields other than `pid` are needed only on Windows. */
type Child = Pick<ChildProcess, 'pid'> & Partial<Pick<ChildProcess, 'exitCode' | 'signalCode'>> & { kill?(): unknown };

/** A program in its own process group, which includes all programs that it starts. */
export class ProcessGroup {
  readonly #child: Child;

  constructor(child: Child) {
    this.#child = child;
    alive.add(this);
  }

  /** Lets the rest of the group outlive this process. */
  forget(): void {
    alive.delete(this);
  }

  /** Waits at most `ms` milliseconds for the group to exit. Returns true if it has exited. */
  async gone(ms: number): Promise<boolean> {
    for (const end = performance.now() + ms; this.#signal(0); await delay(10)) if (performance.now() >= end) return false;
    return true;
  }

  stop(): void {
    if (this.terminate()) setTimeout(() => this.kill(), GRACE_MS).unref();
  }

  /** Stops the group. Returns true if any process of the group was running. */
  terminate(): boolean {
    return this.#signal('SIGTERM');
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Sends a signal to the group. Returns true if any process of the group was running. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    if (process.platform === 'win32') {
      const runs = this.#child.exitCode === null && this.#child.signalCode === null;
      if (signal !== 0 && runs)
        spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => this.#child.kill?.());
      return runs;
    }
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}
