/** What the policy judges by. */
import type { Decision, Effect, Target } from '../core/session/effects.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Aliases } from './names.ts';
import type { SourcedRule } from './rules.ts';

export type PolicyInput = {
  mode: Mode;
  /**
   * undefined when the model named a tool that this run does not have. A `source` that is not `builtin` is `mcp:<server>`; such a
   * tool is `readonly` by the user's own word only.
   */
  tool: { name: string; effect: Effect; source?: string; fingerprint?: string | undefined } | undefined;
  name: string;
  targets: readonly Target[];
  /** A workspace the user does not trust allows reading in Ask mode, and nothing else. */
  trusted: boolean;
  /** Judges the command that the call would run, by what users allowed; see grants.ts. */
  command?: CommandJudge | undefined;
  /** On the network, that it would speak to. */
  hosts?: readonly string[] | undefined;
  /** One of the hosts is this computer or in a private network. */
  privateHost?: boolean | undefined;
  rules?: readonly SourcedRule[] | undefined;
  /** What the user allowed when asked, as far as it counts for this call. */
  grants?: readonly Permission[] | undefined;
  /** Paths and globs of the confirmed plan that this run carries out. */
  planScope?: readonly string[] | undefined;
  /** Names the command that runs without asking and takes from this file what it does; see steering.ts. */
  steers?: ((path: string) => string | undefined) | undefined;
  /** Files that this run made itself, and that are still as it left them. */
  ownFiles?: ReadonlySet<string> | undefined;
  /** What else its paths are called, where that is known. */
  aliases?: Aliases | undefined;
  /** Directories of the workspace that git runs hooks from. */
  hookPlaces?: readonly string[] | undefined;
  /** What the model has seen: a secret, or words of a page or of an MCP server. */
  seen?: { secret?: boolean; strangers?: boolean } | undefined;
  /** Nobody can be asked: what would ask is denied. */
  unattended?: boolean | undefined;
};

/** Judges one command by rules and grants; made in command.ts, where the grammar is. */
export type CommandJudge = (rules: readonly SourcedRule[], grants: readonly Permission[]) => Decision & { covers?: Permission[] };
