/** The input of the policy: the facts about a call that decide it. */

import type { Decision, Effect, Target } from '../core/session/effects.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Aliases } from './path-normalization.ts';
import type { SourcedRule } from './rules.ts';

export type PolicyInput = {
  mode: Mode;
  /**
   * Undefined if the model named a tool this run does not have. `source` is `builtin` or `mcp:<server>`; a tool of an MCP server is
   * `readonly` only if the user declared it so.
   */
  tool: { name: string; effect: Effect; source?: string; fingerprint?: string | undefined } | undefined;
  name: string;
  targets: readonly Target[];
  /** In a workspace the user does not trust, only reading in Ask mode is allowed. */
  trusted: boolean;
  /** Evaluates the command the call would run against rules and grants; see command.ts. */
  command?: CommandJudge | undefined;
  /** Network hosts the call would contact. */
  hosts?: readonly string[] | undefined;
  /** Whether one of the hosts is this computer or on a private network. */
  privateHost?: boolean | undefined;
  rules?: readonly SourcedRule[] | undefined;
  /** What the user allowed in earlier approvals, as far as it applies to this call. */
  grants?: readonly Permission[] | undefined;
  /** Paths and globs of the confirmed plan that this run carries out. */
  planScope?: readonly string[] | undefined;
  /** Returns the command that runs without asking and whose behavior this file determines; see steering.ts. */
  steers?: ((path: string) => string | undefined) | undefined;
  /** Files created by this run that have not been changed by anyone else since. */
  ownFiles?: ReadonlySet<string> | undefined;
  /** Other names of the call's paths, if they were resolved. */
  aliases?: Aliases | undefined;
  /** Workspace directories from which Git runs hooks. */
  hookPlaces?: readonly string[] | undefined;
  /** What the model has read so far: a secret, or text from a web page or an MCP server. */
  seen?: { secret?: boolean; strangers?: boolean } | undefined;
  /** Nobody can answer an approval request, so whatever needs an approval is denied. */
  unattended?: boolean | undefined;
};

/** Evaluates one command against rules and grants. Created in command.ts, which has access to the shell grammar. */
export type CommandJudge = (rules: readonly SourcedRule[], grants: readonly Permission[]) => Decision & { covers?: Permission[] };
