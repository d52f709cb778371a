/**
 * The ids of the policy's rules. Logs and receipts contain the id of the rule that decided a call; the decision's `reason` is the sentence
 * for the user.
 */

/** These rules ask regardless of permissions, because of what a command does. */
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
  /** A rule of the user's settings or of the workspace: it can allow, ask or deny. */
  | 'rule'
  // These deny.
  | 'unknown-tool'
  | 'read-only-mode'
  | 'untrusted-workspace'
  | 'command-denied'
  // These ask whatever was granted.
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
  // These ask until a rule or a grant allows the call.
  | 'edit'
  | 'private-host'
  | 'mcp'
  | 'command'
  | 'command-elsewhere'
  // These allow.
  | 'read-only'
  | 'mcp-read-only'
  | 'confirmed-plan'
  | 'edits-granted'
  | 'granted'
  | 'command-prefix'
  | 'approved';
