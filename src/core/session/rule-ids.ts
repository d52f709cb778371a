/**
 * The ids of the policy's rules. Logs and receipts contain the id of the rule that decided a call; the decision's `reason` is the sentence
 * for the user.
 */

/** Rules that require approval because of what a command does, even if the user has granted a permission. */
export type CommandConcern =
  | 'unreadable'
  | 'dynamic'
  | 'shadowed'
  | 'here-document'
  | 'environment'
  | 'loop'
  | 'shell-state'
  | 'runs-other'
  | 'inline-code'
  | 'deletes'
  | 'writes'
  | 'sends'
  | 'installs'
  | 'system'
  | 'other-folder'
  | 'repository-config'
  | 'secrets'
  | 'devices';

export type RuleId =
  | CommandConcern
  /** A rule in the user or workspace settings. It can allow a call, deny it or require approval. */
  | 'rule'
  // These rules deny a call.
  | 'unknown-tool'
  | 'read-only-mode'
  | 'untrusted-workspace'
  | 'command-denied'
  /** A hook denied the call, or requires an approval. */
  | 'hook'
  // These rules require approval, even if the user has granted a permission.
  | 'outside-workspace'
  | 'secret'
  | 'protected-path'
  | 'sends-after-secret'
  | 'guarded-path'
  | 'command-asked'
  | 'outside-plan'
  | 'steers-command'
  | 'external'
  | 'unknown-targets'
  // These rules require approval, unless a rule or a permission allows the call.
  | 'edit'
  | 'private-host'
  | 'mcp'
  | 'command'
  | 'command-elsewhere'
  // These rules allow a call.
  | 'read-only'
  | 'mcp-read-only'
  | 'confirmed-plan'
  | 'edits-granted'
  | 'granted'
  | 'command-prefix'
  | 'approved';
