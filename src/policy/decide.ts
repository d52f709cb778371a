/**
 * The policy: one pure function that decides every tool call of every host. It does not access files or editors: its input describes the
 * call and the paths, hosts and commands that the call would affect.
 */

import type { Judgement } from '../core/run/tool.ts';
import type { Decision, Target } from '../core/session/effects.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { RuleId } from '../core/session/rule-ids.ts';
import { visibleCommand } from '../core/words/visible-text.ts';
import { dangerOf } from './always-ask.ts';
import { grantablePermissions, grantedBy, type Need, needsOf } from './grants.ts';
import type { PolicyInput } from './policy-input.ts';
import { matchesHost, matchesTool, ruleSentence, type SourcedRule, touchesPath } from './rules.ts';
import { inScope } from './scope.ts';

export { inScope } from './scope.ts';

const allow = (rule: RuleId, reason: string): Judgement => ({ kind: 'allow', rule, reason });
const ask = (rule: RuleId, reason: string, covers?: Permission[]): Judgement => ({
  kind: 'ask',
  rule,
  reason,
  ...(covers && covers.length > 0 && { covers }),
});
const deny = (rule: RuleId, reason: string): Judgement => ({ kind: 'deny', rule, reason });

const REMEMBERS = 'The model is told this in all later sessions.';
const MODE_NAME: Record<Mode, string> = { ask: 'Ask', plan: 'Plan', agent: 'Agent' };

export function decide(input: PolicyInput): Judgement {
  const decision = judge(input);
  if (decision.kind !== 'ask' || !input.unattended) return decision;
  return deny(decision.rule, `${decision.reason} Nobody can approve it in this run.`);
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
  const denyingRule = rules.find((rule) => rule.effect === 'deny' && applies(rule, input));
  if (denyingRule) return deny('rule', ruleSentence(denyingRule));
  const run = command?.(rules, input.grants ?? []);
  if (run?.kind === 'deny') return run;

  const danger = dangerOf(input);
  if (danger) return { kind: 'ask', ...danger };
  const askingRule = rules.find((rule) => rule.effect === 'ask' && applies(rule, input));
  if (askingRule) return ask('rule', ruleSentence(askingRule));

  if (reads && hosts.length === 0) return allow(isBuiltin ? 'read-only' : 'mcp-read-only', 'This tool only reads.');
  const written = targets.filter((target) => target.access !== 'read');
  if (planScope && written.length > 0) {
    const beyond = written.find((target) => !inScope(target.path, planScope));
    if (beyond) return ask('outside-plan', `The confirmed plan does not include ${beyond.path}.`);
  }
  const steersReason = steeringReason(input, written);
  if (steersReason) return ask('steers-command', steersReason);
  if (run) return run;

  const needs = needsOf(input);
  if (tool.effect === 'external' && needs.every(({ kind }) => kind === 'write'))
    return ask('external', isBuiltin && name === 'remember' ? REMEMBERS : `\`${name}\` acts outside the workspace.`);
  if (needs.length === 0) return ask('unknown-targets', 'The files that this tool would change are not known in advance.');
  if (planScope && needs.every(({ kind }) => kind === 'write')) return allow('confirmed-plan', 'The confirmed plan includes this change.');
  const permissions = needs.map((need) => grantedBy(need, input));
  const ungranted = needs.find((_, index) => !permissions[index]);
  if (!ungranted) return permissions.find((decision) => decision?.rule !== 'edits-granted') ?? (permissions[0] as Decision);
  const [rule, reason] = approvalReason(ungranted.kind, input);
  return ask(rule, reason, grantablePermissions(needs, input));
}

/** Changing a file that determines what an allowed command does needs an approval, unless a rule allows changes to exactly this file. */
function steeringReason({ rules = [], steers }: PolicyInput, written: readonly Target[]): string | undefined {
  const isNamed = (path: string) => rules.some((rule) => rule.effect === 'allow' && rule.from === 'user' && rule.path === path);
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

/** Whether a deny or ask rule applies: it does if any part of the call matches. Rules about commands are evaluated in command.ts. */
function applies(rule: SourcedRule, { tool, targets, hosts = [], command, aliases }: PolicyInput): boolean {
  const names = (path: string) => aliases?.names(path) ?? [path];
  if (!tool || (rule.command !== undefined && command)) return false;
  const source = tool.source ?? 'builtin';
  return (
    rule.command === undefined &&
    (rule.tool === undefined || matchesTool(rule.tool, { name: tool.name, source })) &&
    (rule.server === undefined || source === `mcp:${rule.server}`) &&
    (rule.path === undefined || targets.some(({ path }) => names(path).some((name) => touchesPath(rule.path as string, name)))) &&
    (rule.host === undefined || hosts.some((host) => matchesHost(rule.host as string, host)))
  );
}
