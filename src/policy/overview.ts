/** Summarizes the policy: the effect that applies to each kind of call, and the rules that express the user's decision about a kind. */

import {
  ACTIONS,
  type Action,
  type Grant,
  isSameSubject,
  type Permission,
  permissionText,
  type Subject,
} from '../core/session/grant-scope.ts';
import { LEVELS, type Level, type NarrowRule, type PermissionEffect, type PermissionRow } from '../core/view/permissions.ts';
import { type Rule, readRules, type SourcedRule } from './rules.ts';

type Facts = { trusted: boolean; hasFolder: boolean };
type Given = Facts & {
  /** All rules that apply, including those of the session. */
  rules: readonly SourcedRule[];
  grants: readonly (Pick<Grant, 'covers'> & { scope: Grant['scope'] | 'workspace' })[];
  /** The names of the configured MCP servers. */
  servers: readonly string[];
};

/** Notes about calls that no setting can allow, by kind. */
const NOTES: Partial<Record<Action, string>> = {
  read: 'Files that may contain keys or passwords, and files outside the workspace, always need your approval.',
  edit: 'Protected files, such as those of Git and of editors, always need your approval.',
  delete: 'Kedge always asks before it deletes a file that the run did not create.',
  command: 'Commands that delete files, send data, install software or cannot be parsed always need your approval.',
  network: 'After the model has read a secret, each network request needs your approval.',
};

const SINGLE: Partial<Record<Action, string>> = {
  delete: 'Deletions cannot be allowed in advance.',
  command: 'Only specific commands can be allowed, when Kedge asks or with a rule.',
  network: 'Only specific hosts can be allowed, when Kedge asks or with a rule.',
  mcp: 'Only specific servers and tools can be allowed.',
};

const isAction = (subject: Subject, action: Action) => 'action' in subject && subject.action === action;

/** Returns why an effect cannot be set for a subject at a level, or undefined if it can be set. */
export function permissionProblem(
  subject: Subject,
  level: Level,
  effect: PermissionEffect,
  { trusted, hasFolder }: Facts,
): string | undefined {
  if (level === 'workspace' && !hasFolder) return 'No folder is open.';
  if (effect !== 'allow') return undefined;
  if (!trusted) return 'This workspace is not trusted, so nothing more can be allowed.';
  if (isAction(subject, 'read')) return 'Reading is allowed by default.';
  if ('action' in subject && SINGLE[subject.action]) return SINGLE[subject.action];
  if ('server' in subject && level !== 'user')
    return 'A server can only be allowed in your user settings. Single tools can be allowed when Kedge asks.';
  return undefined;
}

export function permissionRows(given: Given): PermissionRow[] {
  const subjects: Subject[] = [...ACTIONS.map((action) => ({ action })), ...given.servers.map((server) => ({ server }))];
  return subjects.map((subject) => rowOf(subject, given));
}

function rowOf(subject: Subject, given: Given): PermissionRow {
  const set: PermissionRow['set'] = {};
  for (const level of LEVELS) {
    const effect = strictest(given.rules.filter((rule) => rule.from === level && isAbout(rule, subject)).map(({ effect }) => effect));
    if (effect) set[level] = effect;
    else if (isAction(subject, 'edit') && given.grants.some(({ covers, scope }) => scope === level && covers.kind === 'edits'))
      set[level] = 'allow';
  }
  const problems = { session: {}, workspace: {}, user: {} } as PermissionRow['problems'];
  for (const level of LEVELS)
    for (const effect of ['allow', 'ask', 'deny'] as const) {
      const problem = permissionProblem(subject, level, effect, given);
      if (problem !== undefined) problems[level][effect] = problem;
    }
  const note = 'action' in subject ? NOTES[subject.action] : undefined;
  return { subject, ...decided(subject, set, given), ...(note !== undefined && { note }), set, problems };
}

/** Decides in the same order as `decide`: deny, ask, allow, and then the default without rules. */
function decided(subject: Subject, set: PermissionRow['set'], { rules, trusted }: Given): Pick<PermissionRow, 'effect' | 'by'> {
  if (!trusted && !isAction(subject, 'read')) return { effect: 'deny', by: 'policy' };
  for (const effect of ['deny', 'ask'] as const) {
    const rule = rules.find((each) => each.effect === effect && appliesTo(each, subject));
    if (rule) return { effect, by: rule.from };
  }
  const allowing = LEVELS.find((level) => set[level] === 'allow');
  if (allowing && permissionProblem(subject, allowing, 'allow', { trusted, hasFolder: true }) === undefined)
    return { effect: 'allow', by: allowing };
  return { effect: isAction(subject, 'read') ? 'allow' : 'ask', by: 'policy' };
}

const ACTION_OF = { edits: 'edit', path: 'edit', command: 'command', host: 'network' } as const;

function subjectOf(covers: Permission): Subject {
  return covers.kind === 'mcp' ? { server: covers.server } : { action: ACTION_OF[covers.kind] };
}

/**
 * Describes what runs without approval, also in later runs: permissions that the user granted for the session or the workspace, and
 * calls that rules and the setting for read-only commands allow. Each text is a part of a sentence.
 */
export function standingPermissions({
  rules,
  grants,
  readOnlyCommands,
}: Pick<Given, 'rules' | 'grants'> & { readOnlyCommands: boolean }): string[] {
  const isFree = (subject: Subject) => !rules.some((rule) => rule.effect !== 'allow' && appliesTo(rule, subject));
  const lasting = grants.filter(({ scope, covers }) => (scope === 'session' || scope === 'workspace') && isFree(subjectOf(covers)));
  const allowing = rules.filter(({ effect }) => effect === 'allow').length;
  return [
    ...new Set(lasting.map(({ covers }) => permissionText(covers))),
    ...(readOnlyCommands && isFree({ action: 'command' }) ? ['commands that only read'] : []),
    ...(allowing > 0 ? [allowing === 1 ? 'calls that a rule allows' : `calls that ${allowing} rules allow`] : []),
  ];
}

const CONDITIONS = ['tool', 'path', 'command', 'host', 'action', 'server'] as const;

function isAbout(rule: Rule, subject: Subject): boolean {
  const conditions = CONDITIONS.filter((key) => rule[key] !== undefined);
  const [only] = conditions;
  if (conditions.length !== 1 || (only !== 'action' && only !== 'server')) return false;
  return isSameSubject(only === 'action' ? { action: rule.action as Action } : { server: rule.server as string }, subject);
}

/** Returns true if a rule is about all calls of a subject. A command may read any file, so rules about reading also apply to commands. */
function appliesTo(rule: Rule, subject: Subject): boolean {
  const wider: Subject | undefined =
    'server' in subject ? { action: 'mcp' } : subject.action === 'command' ? { action: 'read' } : undefined;
  return isUnconditional(rule) || isAbout(rule, subject) || (wider !== undefined && isAbout(rule, wider));
}

function isUnconditional(rule: Rule): boolean {
  return CONDITIONS.every((key) => rule[key] === undefined);
}

function strictest(effects: readonly PermissionEffect[]): PermissionEffect | undefined {
  return (['deny', 'ask', 'allow'] as const).find((effect) => effects.includes(effect));
}

/** Lists the rules in the settings that apply only to some calls of a subject and are therefore not part of its row. */
export function narrowRules(rules: readonly SourcedRule[], servers: readonly string[]): NarrowRule[] {
  return rules.flatMap(({ effect, from, reason: _, ...conditions }) => {
    const rule = { effect, ...conditions };
    const isWide = isUnconditional(rule) || (conditions.action && isAbout(rule, { action: conditions.action }));
    const isOfServer =
      conditions.server !== undefined && servers.includes(conditions.server) && isAbout(rule, { server: conditions.server });
    if (from === 'session' || isWide || isOfServer) return [];
    return [{ level: from, effect, rule: conditions as Record<string, string> }];
  });
}

/**
 * Returns the value of the setting `kedge.policy.rules` with one effect for a subject. Other rules stay unchanged. Without an effect, every rule for
 * the whole subject is removed. @throws Error if the value is not a list
 */
export function withPermission(value: unknown, subject: Subject, effect: PermissionEffect | undefined): unknown[] {
  const others = entriesOf(value).filter((entry) => !ruleIn(entry).some((rule) => isAbout(rule, subject)));
  return effect ? [...others, { effect, ...subject }] : others;
}

/** Returns the value of the setting without one rule. @throws Error if the value is not a list */
export function withoutRule(value: unknown, { effect, rule }: Pick<NarrowRule, 'effect' | 'rule'>): unknown[] {
  const wanted = keyOf({ effect, ...rule });
  const entries = entriesOf(value);
  const index = entries.findIndex((entry) => ruleIn(entry).some(({ from: _, reason: __, ...each }) => keyOf(each) === wanted));
  return entries.filter((_, at) => at !== index);
}

function entriesOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error('kedge.policy.rules is not a list of rules. Correct it in the settings first.');
  return value;
}

/** Parses the entry as one of the user's rules, because an allow rule from a workspace would be ignored. */
function ruleIn(entry: unknown): SourcedRule[] {
  const { rules, problems } = readRules([entry], 'user', 'kedge.policy.rules');
  return problems.length > 0 ? [] : rules;
}

function keyOf(rule: object): string {
  return JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
}
