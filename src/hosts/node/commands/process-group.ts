/** Programs that Kedge starts, with whatever they start themselves: ended together, and not left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** After a stop, how long a program has to end by itself. */
export const GRACE_MS = 2_000;

/** Groups that may not outlive this program. */
const alive = new Set<ProcessGroup>();
process.once('exit', () => {
  for (const group of alive) group.kill();
});

/** A program that was started with a process group of its own, and all that it starts. */
export class ProcessGroup {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    alive.add(this);
  }

  /** It may outlive this program: what is left of it is nobody's business any more. */
  forget(): void {
    alive.delete(this);
  }

  /** Whether nothing of it runs any more, at the latest after this time. */
  async gone(ms: number): Promise<boolean> {
    for (const end = Date.now() + ms; this.#signal(0); await delay(10)) if (Date.now() >= end) return false;
    return true;
  }

  stop(): void {
    if (this.terminate()) setTimeout(() => this.kill(), GRACE_MS).unref();
  }

  /** @returns whether there was anybody to get it. */
  terminate(): boolean {
    return this.#signal('SIGTERM');
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Whether there was anybody to get it. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    if (process.platform === 'win32') {
      const runs = this.#child.exitCode === null && this.#child.signalCode === null;
      if (signal !== 0 && runs)
        spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => this.#child.kill());
      return runs;
    }
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}
