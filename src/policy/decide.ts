/**
 * The policy: one pure function that decides every tool call of every host. It does not access files or editors: its input describes the
 * call and the paths, hosts and commands that the call would affect.
 */

import type { Judgement } from '../core/run/tool.ts';
import type { Decision, Target } from '../core/session/effects.ts';
import { MODE_NAME } from '../core/session/events.ts';
import type { Action, Permission } from '../core/session/grant-scope.ts';
import type { RuleId } from '../core/session/rule-ids.ts';
import { visibleCommand } from '../core/words/visible-text.ts';
import { dangerOf } from './always-ask.ts';
import { grantablePermissions, grantedBeyondPlan, grantedBy, type Need, needsBeyondPlan, needsOf } from './grants.ts';
import type { PolicyInput } from './policy-input.ts';
import { allows, matchesHost, matchesTool, ruleSentence, type SourcedRule, touchesPath } from './rules.ts';

export { inScope } from './scope.ts';

const allow = (rule: RuleId, reason: string): Judgement => ({ kind: 'allow', rule, reason });
const ask = (rule: RuleId, reason: string, covers?: Permission[]): Judgement => ({
  kind: 'ask',
  rule,
  reason,
  ...(covers && covers.length > 0 && { covers }),
});
const deny = (rule: RuleId, reason: string): Judgement => ({ kind: 'deny', rule, reason });

/** The ids of the policy rules that deny a call or ask because of the user's rules, or because of the files that a command reads. */
const BY_RULES: ReadonlySet<RuleId> = new Set(['rule', 'command-denied', 'command-asked', 'guarded-path']);

const DELEGATES = 'Each call of the subtask is judged for itself.';
const REMEMBERS = 'This is sent to the model in all later sessions.';

export function decide(input: PolicyInput): Judgement {
  return answerable(judge(input), input);
}

function answerable(decision: Judgement, { unattended }: PolicyInput): Judgement {
  if (decision.kind !== 'ask' || !unattended) return decision;
  return deny(decision.rule, `${decision.reason} No user is available to approve it.`);
}

/**
 * Returns the decision of the user's rules and of the file protection for reading the result of an earlier call again: a denial, an
 * approval request, or undefined. Other reasons for an approval were handled when the call was made.
 */
export function decideByRules(input: PolicyInput): Judgement | undefined {
  const { rules = [], command } = input;
  const rule = ruleFor('deny', input) ?? ruleFor('ask', input);
  const run = command?.(rules, []);
  const strict = run && run.kind !== 'allow' && BY_RULES.has(run.rule) ? run : undefined;
  const own = rule && (rule.effect === 'deny' ? deny : ask)('rule', ruleSentence(rule));
  const decision = own?.kind === 'deny' || strict?.kind !== 'deny' ? (own ?? strict) : strict;
  return decision && answerable(decision, input);
}

function ruleFor(effect: SourcedRule['effect'], input: PolicyInput): SourcedRule | undefined {
  return input.rules?.find((rule) => rule.effect === effect && applies(rule, input));
}

/** The first condition that applies decides. Conditions are checked in the order deny, ask, allow. */
function judge(input: PolicyInput): Judgement {
  const { mode, tool, name, targets, trusted, rules = [], planScope, command, hosts = [] } = input;
  if (!tool) {
    const why = trusted ? '' : ' The user has not trusted this workspace, so its files can be read but not changed.';
    return deny('unknown-tool', `There is no tool ${name} in ${MODE_NAME[mode]} mode.${why}`);
  }
  const isBuiltin = (tool.source ?? 'builtin') === 'builtin';
  const reads = tool.effect === 'readonly' && !command && targets.every((target) => target.access === 'read');
  if (mode !== 'agent' && !reads) return deny('read-only-mode', `${MODE_NAME[mode]} mode cannot change anything.`);
  if (!trusted && mode !== 'ask') return deny('untrusted-workspace', 'The workspace is not trusted, so only Ask mode is available.');
  if (!trusted && !(isBuiltin && hosts.length === 0))
    return deny('untrusted-workspace', 'The workspace is not trusted, so only its files can be read.');
  const denyingRule = ruleFor('deny', input);
  if (denyingRule) return deny('rule', ruleSentence(denyingRule));
  const run = command?.(rules, input.grants ?? []);
  if (run?.kind === 'deny') return run;

  const danger = dangerOf(input);
  if (danger) return { kind: 'ask', ...danger };
  const askingRule = ruleFor('ask', input);
  if (askingRule) return ask('rule', ruleSentence(askingRule));

  if (reads && hosts.length === 0)
    return allow(isBuiltin ? 'read-only' : 'mcp-read-only', tool.delegates ? DELEGATES : 'This tool only reads.');
  const written = targets.filter((target) => target.access !== 'read');
  const beyond = needsBeyondPlan(input);
  const unplanned = beyond.find((need) => !grantedBeyondPlan(need, input));
  if (unplanned) return ask('outside-plan', `The confirmed plan does not include ${unplanned.path}.`, coversBeyondPlan(beyond, input));
  const steersReason = steeringReason(input, written);
  if (steersReason) return ask('steers-command', steersReason);
  if (run) return run;

  const needs = needsOf(input);
  if (tool.effect === 'external' && needs.every(({ kind }) => kind === 'write'))
    return ask('external', isBuiltin && name === 'remember' ? REMEMBERS : `\`${name}\` acts outside the workspace.`);
  if (needs.length === 0) return ask('unknown-targets', 'The files that this tool would change are not known in advance.');
  if (planScope && needs.every(({ kind }) => kind === 'write'))
    return beyond.length === 0
      ? allow('confirmed-plan', 'The confirmed plan includes this change.')
      : allow('granted', 'You allowed edits outside the plan in this run.');
  const permissions = needs.map((need) => grantedBy(need, input));
  const ungranted = needs.find((_, index) => !permissions[index]);
  if (!ungranted) return permissions.find((decision) => decision?.rule !== 'edits-granted') ?? (permissions[0] as Decision);
  const [rule, reason] = approvalReason(ungranted.kind, input);
  return ask(rule, reason, grantablePermissions(needs, input));
}

/** Returns the permissions for edits outside the plan that would be enough for this call. */
function coversBeyondPlan(beyond: ReturnType<typeof needsBeyondPlan>, input: PolicyInput): Permission[] {
  const offered = grantablePermissions(beyond, input).map((each) => ({ ...each, beyondPlan: true }) as Permission);
  return offered.filter((each) => {
    const granted = { ...input, grants: [...(input.grants ?? []), each] };
    return beyond.every((need) => grantedBeyondPlan(need, granted)) && judge(granted).kind === 'allow';
  });
}

/** Changing a file that determines what an allowed command does needs approval, unless a rule allows changes to exactly this file. */
function steeringReason({ rules = [], steers }: PolicyInput, written: readonly Target[]): string | undefined {
  const isNamed = (path: string) =>
    rules.some((rule) => rule.effect === 'allow' && rule.from === 'user' && rule.path === path && allows(rule, 'edit'));
  const [first] = written.flatMap(({ path }) => {
    const command = isNamed(path) ? undefined : steers?.(path);
    return command === undefined ? [] : [`\`${visibleCommand(command)}\` runs without asking, and ${path} determines what it does.`];
  });
  return first;
}

function approvalReason(kind: Need['kind'], { name, tool, targets, hosts = [], privateHost }: PolicyInput): [rule: RuleId, reason: string] {
  if (kind === 'write') {
    const { size } = new Set(targets.filter(({ access }) => access !== 'read').map(({ path }) => path));
    return ['edit', `This edit changes ${size} ${size === 1 ? 'file' : 'files'}.`];
  }
  if (kind === 'host' && privateHost)
    return ['private-host', `This sends a request to this computer or a private network: ${hosts.join(', ')}.`];
  if (kind === 'host') return ['sends', `This sends a request to ${hosts.join(', ')}.`];
  return ['mcp', `\`${name}\` is a tool of the MCP server ${tool?.source?.slice('mcp:'.length)}, which runs outside Kedge.`];
}

/** Returns what a call does. A command may read any file; the other actions that its words indicate are found in command.ts. */
export function actionsOf({
  tool,
  targets,
  hosts = [],
  command,
}: Pick<PolicyInput, 'tool' | 'targets' | 'hosts'> & { command?: unknown }): Set<Action> {
  const actions = new Set(targets.map(({ access }): Action => (access === 'write' ? 'edit' : access)));
  if (tool?.effect === 'destructive' && !command) actions.add('delete');
  if (command) actions.add('command').add('read');
  if (hosts.length > 0) actions.add('network');
  if (tool?.source?.startsWith('mcp:')) actions.add('mcp');
  return actions;
}

/** Returns true if a deny or ask rule applies, because it matches any part of the call. Rules about commands are evaluated in command.ts. */
function applies(rule: SourcedRule, { tool, targets, hosts = [], command, aliases }: PolicyInput): boolean {
  const names = (path: string) => aliases?.names(path) ?? [path];
  if (!tool || (rule.command !== undefined && command)) return false;
  const source = tool.source ?? 'builtin';
  return (
    rule.command === undefined &&
    (rule.action === undefined || actionsOf({ tool, targets, hosts, command }).has(rule.action)) &&
    (rule.tool === undefined || matchesTool(rule.tool, { name: tool.name, source })) &&
    (rule.server === undefined || source === `mcp:${rule.server}`) &&
    (rule.path === undefined || targets.some(({ path }) => names(path).some((name) => touchesPath(rule.path as string, name)))) &&
    (rule.host === undefined || hosts.some((host) => matchesHost(rule.host as string, host)))
  );
}
