/** Running commands, as tools see it. Whoever is handed a runner can change anything that the user can: only Agent runs are. */
import type { CommandLine } from '../core/session/effects.ts';
import type { Location } from './types.ts';

export type CommandSpec = {
  text: string;
  /** A directory of the workspace, links resolved. */
  cwd: Location;
  /** After which it is stopped, unless it runs in the background. */
  timeoutMs: number;
  background: boolean;
};

/** `code` is unknown where the terminal did not say; `leftovers`: processes that it had left behind were stopped. */
export type CommandState =
  | { kind: 'running' }
  | { kind: 'exited'; code?: number; signal?: string; leftovers?: boolean }
  | { kind: 'timed_out' }
  | { kind: 'stopped' };

/** Text without control sequences: the first lines and the last; `gap` are the lines, counted from 1, that are left out between them. */
export type Excerpt = { head: string; tail?: string; gap?: { from: number; to: number } };

/** `withheld` are names of variables that the command did not get, since they look like keys or the user wants it so. */
export type CommandResult = { id: string; state: CommandState; durationMs: number; output: Excerpt; withheld?: readonly string[] };

/** Lines `from` to `to` of the output. `now`: how many there are so far, and how it stands; unknown where the program that ran it was restarted since. */
export type CommandLines = {
  text: string;
  from: number;
  to: number;
  now?: { lines: number; state: CommandState; durationMs: number };
};

export interface CommandRunner {
  readonly shell: CommandLine['shell'];
  /**
   * Resolves when the command has ended, was stopped by its time-out or by `signal`; in the background with its first output, or
   * after two seconds. `onOutput` is told the last lines while they come. @throws Error where it could not be started.
   */
  run(spec: CommandSpec, options: { signal: AbortSignal; onOutput?(tail: string): void }): Promise<CommandResult>;
  /**
   * The output from a line on, or from where the last reading ended; where there is nothing new of a command that runs, it waits a
   * few seconds for more. undefined where there is no such command.
   */
  read(id: string, fromLine: number | undefined, signal: AbortSignal): Promise<CommandLines | undefined>;
  /** Resolves when it has ended. false where there is no such command any more. */
  stop(id: string): Promise<boolean>;
}
