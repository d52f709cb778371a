/** The time after which a program that could not be stopped goes on: no shell could continue it. */
const GRACE_MS = 300;

/** Stops this program until the shell continues it, as Ctrl+Z and `kill -TSTP` do. The shell gets the terminal as it was. */
export class Suspension {
  readonly #terminal: { leave(): void; enter(): void };

  constructor(terminal: { leave(): void; enter(): void }) {
    this.#terminal = terminal;
  }

  /** Handles the signal, which other programs can send. */
  start(): void {
    if (process.platform !== 'win32') process.on('SIGTSTP', this.suspend);
  }

  stop(): void {
    process.off('SIGTSTP', this.suspend);
  }

  readonly suspend = (): void => {
    if (process.platform === 'win32') return;
    // Without a listener, the signal stops the program.
    this.stop();
    this.#terminal.leave();
    const enter = () => {
      clearTimeout(timer);
      process.off('SIGCONT', enter);
      this.#terminal.enter();
      this.start();
    };
    process.once('SIGCONT', enter);
    // The timer also keeps the program running, because no keys are read.
    const timer = setTimeout(enter, GRACE_MS);
    process.kill(process.pid, 'SIGTSTP');
  };
}
