/** The input of the policy: the facts about a tool call that determine the decision. */

import type { Decision, Effect, Target } from '../core/session/effects.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Aliases } from './path-normalization.ts';
import type { SourcedRule } from './rules.ts';

export type PolicyInput = {
  mode: Mode;
  /**
   * The called tool, or undefined if this run has no tool of that name. `source` is `builtin` or `mcp:<server>`; a tool of an MCP server is
   * `readonly` only if the user declared that it only reads.
   */
  tool:
    | {
        name: string;
        effect: Effect;
        source?: string;
        fingerprint?: string | undefined;
        danger?: Pick<Decision, 'rule' | 'reason'> | undefined;
        delegates?: boolean | undefined;
      }
    | undefined;
  name: string;
  targets: readonly Target[];
  /** Whether the user trusts the workspace. If not, Kedge can only read its files, and only in Ask mode. */
  trusted: boolean;
  /** Evaluates the command the call would run against rules and grants; see command.ts. */
  command?: CommandJudge | undefined;
  /** Network hosts the call would contact. */
  hosts?: readonly string[] | undefined;
  /** Whether one of the hosts is this computer or on a private network. */
  privateHost?: boolean | undefined;
  rules?: readonly SourcedRule[] | undefined;
  /** The permissions from earlier approvals that may apply to this call. */
  grants?: readonly Permission[] | undefined;
  /** Paths and globs of the confirmed plan that this run carries out. */
  planScope?: readonly string[] | undefined;
  /** Returns the command that runs without asking and whose behavior this file determines; see steering.ts. */
  steers?: ((path: string) => string | undefined) | undefined;
  /** Paths of files that this run created and that were not changed by others. */
  ownFiles?: ReadonlySet<string> | undefined;
  /** Other names of the call's paths, if they were resolved. */
  aliases?: Aliases | undefined;
  /** Workspace directories from which Git runs hooks. */
  hookPlaces?: readonly string[] | undefined;
  /** Whether the model has read a secret in this session, and whether it has read text from web pages or MCP servers (`strangers`). */
  seen?: { secret?: boolean; strangers?: boolean } | undefined;
  /** Whether no user is available to answer an approval request. Calls that need approval are then denied. */
  unattended?: boolean | undefined;
};

/** Evaluates one command against rules and grants. Created in command.ts, which has access to the shell grammar. */
export type CommandJudge = (rules: readonly SourcedRule[], grants: readonly Permission[]) => Decision & { covers?: Permission[] };
