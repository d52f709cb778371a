/** One pure judge of every call of every host. It knows nothing of files or editors: only what the call is and what it would touch. */
import type { Mode } from '../core/events.ts';
import type { Decision, Effect, Target } from '../core/tool.ts';
import { globMatcher } from './glob.ts';
import { isProtected } from './protected.ts';

export type PolicyInput = {
  mode: Mode;
  /** undefined when the model named a tool that this run does not have. */
  tool: { name: string; effect: Effect } | undefined;
  name: string;
  targets: readonly Target[];
  /** A workspace the user does not trust allows reading in Ask mode, and nothing else. */
  trusted: boolean;
  /** The user chose not to be asked for edits: for this run, this session or this workspace. */
  editsGranted: boolean;
  /** Paths and globs of the confirmed plan that this run carries out. */
  planScope?: readonly string[] | undefined;
};

const allow = (rule: string, reason: string): Decision => ({ kind: 'allow', rule, reason });
const ask = (rule: string, reason: string): Decision => ({ kind: 'ask', rule, reason });
const deny = (rule: string, reason: string): Decision => ({ kind: 'deny', rule, reason });

const MODE_NAME: Record<Mode, string> = { ask: 'Ask', plan: 'Plan', agent: 'Agent' };

/** The first rule that applies decides; they stand in the order deny, ask, allow. */
export function decide({ mode, tool, name, targets, trusted, editsGranted, planScope }: PolicyInput): Decision {
  if (!tool) return deny('unknown-tool', `There is no tool ${name} in ${MODE_NAME[mode]} mode.`);
  const reads = tool.effect === 'readonly' && targets.every((target) => target.access === 'read');
  if (mode !== 'agent' && !reads) return deny('read-only-mode', `${MODE_NAME[mode]} mode cannot change anything.`);
  if (!trusted && mode !== 'ask') return deny('untrusted-workspace', 'The workspace is not trusted: only Ask mode works in it.');

  const outside = targets.find((target) => target.outside);
  if (outside) return ask('outside-workspace', `${outside.path} is outside the workspace.`);
  if (reads) return allow('read-only', 'It only reads.');
  if (tool.effect === 'external') return ask('external', `${name} reaches beyond the workspace.`);
  const written = targets.filter((target) => target.access !== 'read');
  if (written.length === 0) return ask('unknown-targets', 'What it would change is not known beforehand.');

  const guarded = written.find((target) => isProtected(target.path));
  if (guarded) return ask('protected-path', `${guarded.path} is protected: it runs by itself, or configures editors, agents or git.`);
  if (planScope) {
    const beyond = written.find((target) => !inScope(target.path, planScope));
    if (beyond) return ask('outside-plan', `The confirmed plan does not name ${beyond.path}.`);
    return allow('confirmed-plan', 'The confirmed plan names it.');
  }
  if (tool.effect === 'destructive' || written.some((target) => target.access === 'delete')) return ask('deletes', 'It deletes.');
  if (editsGranted) return allow('edits-granted', 'You chose not to be asked for edits.');
  return ask('edit', 'It changes files.');
}

/**
 * A scope entry is a path, taken literally, or a glob; a leading `!` is a letter, and does not turn it into all other files. Brackets
 * alone make no glob of a path, and those around a name are letters in a glob too.
 */
export function inScope(path: string, scope: readonly string[]): boolean {
  return scope.some((entry) => {
    const clean = entry.replace(/^\.\//, '');
    return clean === path || (/[*?{]/.test(clean) && globMatcher(clean, { names: true })(path));
  });
}
