/** The interfaces between a conversation and its terminal. */
import type { AgentEvent } from '../../../core/session/events.ts';
import type { RunView } from '../../../core/view/run-view.ts';
import type { Output, Paint } from '../output/terminal.ts';
import type { Prompter } from '../questions.ts';
import type { Completion } from './input/completion.ts';

/** The user's side: it shows events and asks. There is one for terminals that can redraw lines, and one that writes only lines. */
export type Front = {
  readonly prompter: Prompter;
  readonly paint: Paint;
  /** Starts to show a session, whose last run is `run`. Returns the handler of its events. */
  show(run: RunView | undefined, isVerbose: () => boolean): { handle(event: AgentEvent): void };
  /** Prints a text that is not part of an answer. It can contain anything. */
  say(text: string): void;
  /** Prints a message of the user. */
  echo(text: string): void;
  /** Prints Markdown. */
  markdown(text: string): void;
  /** Returns a text to the input, because it was not sent. */
  draft(text: string): void;
  /** The terminal itself, for its bell. */
  readonly bell: Output;
  /** Shows that the state of the conversation has changed. */
  update(): void;
  /** Gives the terminal to another program while `use` runs. */
  release<T>(use: () => T): T;
};

/** The conversation, as the terminal controls it. */
export type Controls = {
  readonly isRunning: boolean;
  /** The texts of messages that wait for the model. */
  readonly queued: readonly string[];
  /** Mode, model and the like, in a few words. */
  readonly facts: readonly string[];
  /** Handles what the user entered. It never rejects. */
  submit(text: string): Promise<void>;
  /** Stops the run. Returns false if there is nothing to stop, or if it is being stopped already. */
  interrupt(): boolean;
  /** Pauses the run, or continues a paused one. */
  pauseOrContinue(): void;
  nextMode(): void;
  /** Sends the request immediately while a run waits to send it again. */
  retryNow(): boolean;
  complete(text: string, caret: number): Promise<Completion | undefined>;
};
