/** The interface through which tools run commands. A command can change anything that the user can, so only Agent runs receive a runner. */
import type { CommandLine } from '../core/session/effects.ts';
import type { Location } from './types.ts';

export type CommandSpec = {
  text: string;
  /** A directory of the workspace, with symbolic links resolved. */
  cwd: Location;
  /** The command is stopped after this time, unless it runs in the background. */
  timeoutMs: number;
  background: boolean;
};

/** `code` is missing when the terminal did not report one. `leftovers` is true when processes that the command left behind were stopped. */
export type CommandState =
  | { kind: 'running' }
  | { kind: 'exited'; code?: number; signal?: string; leftovers?: boolean }
  | { kind: 'timed_out' }
  | { kind: 'stopped' };

/** The beginning and the end of an output, without control sequences. `gap` gives the omitted lines between them, counted from 1. */
export type Excerpt = { head: string; tail?: string; gap?: { from: number; to: number } };

/**
 * `withheld` lists the environment variables that were not passed to the command, because they look like keys or the user's settings
 * exclude them.
 */
export type CommandResult = { id: string; state: CommandState; durationMs: number; output: Excerpt; withheld?: readonly string[] };

/**
 * Lines `from` to `to` of the output. `now` is the current state and total line count. It is missing when Kedge was restarted after the
 * command was started.
 */
export type CommandLines = {
  text: string;
  from: number;
  to: number;
  now?: { lines: number; state: CommandState; durationMs: number };
};

export interface CommandRunner {
  readonly shell: CommandLine['shell'];
  /**
   * Resolves when the command has exited or was stopped by its timeout or `signal`. A background command resolves with its first output, or
   * after two seconds. `onOutput` receives the latest lines while the command runs. @throws Error when the command cannot be started.
   */
  run(spec: CommandSpec, options: { signal: AbortSignal; onOutput?(tail: string): void }): Promise<CommandResult>;
  /**
   * Returns output from `fromLine` on, or from where the last read ended. It waits a few seconds when a running command has no new output.
   * Returns undefined when there is no such command.
   */
  read(id: string, fromLine: number | undefined, signal: AbortSignal): Promise<CommandLines | undefined>;
  /** Resolves when the command has exited. Resolves to false when there is no such command. */
  stop(id: string): Promise<boolean>;
}
