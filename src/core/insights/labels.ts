/** The labels of the counts in the insights, as users read them. */

import type { BudgetKey } from '../session/limits.ts';
import type { RuleId } from '../session/rule-ids.ts';
import type { EditFailure } from './edit-failures.ts';

export const FAILED_EDITS: Readonly<Record<EditFailure, string>> = {
  arguments: 'Invalid arguments',
  not_found: 'The passage was not in the file',
  ambiguous: 'The passage was ambiguous',
  no_change: 'Nothing to change',
  omitted: 'Code was replaced by a placeholder',
  no_file: 'The file did not exist',
  exists: 'The file already existed',
  changed: 'The file had changed',
  denied: 'Denied by a rule or the mode',
  rejected: 'Rejected by you',
  other: 'Other',
};

export const LIMITS: Readonly<Record<BudgetKey, string>> = {
  turns: 'Turns per run',
  callsPerTurn: 'Tool calls per turn',
  callsPerRun: 'Tool calls per run',
  minutes: 'Minutes per run',
  tokens: 'Tokens per run',
  usd: 'Cost per run',
  'day.runs': 'Runs per day',
  'day.turns': 'Turns per day',
  'day.calls': 'Tool calls per day',
  'day.tokens': 'Tokens per day',
  'day.usd': 'Cost per day',
  'day.minutes': 'Minutes per day',
  runsPerMinute: 'Runs per minute',
  cooldown: 'Time between runs',
  price: 'Unknown price',
};

const DANGEROUS = 'Command with a risk';

/** The labels of the rules. Several rules about commands have the same label. */
export const RULES: Readonly<Record<RuleId, string>> = {
  unreadable: 'Command that cannot be parsed',
  dynamic: 'Command that cannot be parsed',
  shadowed: 'Command that cannot be parsed',
  'here-document': 'Command that cannot be parsed',
  environment: DANGEROUS,
  loop: 'Command that cannot be parsed',
  'shell-state': DANGEROUS,
  'runs-other': DANGEROUS,
  'inline-code': DANGEROUS,
  deletes: 'Command that deletes files',
  writes: 'Command that writes files',
  sends: 'Command that sends data',
  installs: 'Command that installs software',
  system: DANGEROUS,
  'other-folder': 'Command in another folder',
  'repository-config': DANGEROUS,
  secrets: 'File with secrets',
  devices: DANGEROUS,
  rule: 'Your rules',
  'unknown-tool': 'Unknown tool',
  'read-only-mode': 'Read-only mode',
  'untrusted-workspace': 'Restricted Mode',
  'command-denied': 'Your denied commands',
  'outside-workspace': 'File outside the workspace',
  secret: 'File with secrets',
  'protected-path': 'Protected file',
  'sends-after-secret': 'Request after reading a secret',
  'guarded-path': 'Protected file',
  'command-asked': 'Your rules',
  'outside-plan': 'File outside the plan',
  'steers-command': 'File that controls commands',
  external: 'Action beyond the workspace',
  'unknown-targets': 'Unknown files',
  edit: 'Edit',
  'private-host': 'Private network',
  mcp: 'MCP tool',
  command: 'Command',
  'command-elsewhere': 'Command in another folder',
  'read-only': 'Read-only call',
  'mcp-read-only': 'Read-only call (MCP)',
  'confirmed-plan': 'Confirmed plan',
  'edits-granted': 'Your permissions',
  granted: 'Your permissions',
  'command-prefix': 'Your allowed commands',
  approved: 'Your approval',
  hook: 'Hook',
};
