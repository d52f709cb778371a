/** One pure judge of every call of every host. It knows nothing of files or editors: only what the call is and what it would touch. */

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

const MODE_NAME: Record<Mode, string> = { ask: 'Ask', plan: 'Plan', agent: 'Agent' };

export function decide(input: PolicyInput): Judgement {
  const judged = judge(input);
  if (judged.kind !== 'ask' || !input.unattended) return judged;
  return deny(judged.rule, `${judged.reason} Nobody can be asked here.`);
}

/** The first rule that applies decides; they stand in the order deny, ask, allow. */
function judge(input: PolicyInput): Judgement {
  const { mode, tool, name, targets, trusted, rules = [], planScope, command, hosts = [] } = input;
  if (!tool) {
    const why = trusted ? '' : ' The user has not trusted this workspace: it can be read, and nothing in it changed.';
    return deny('unknown-tool', `There is no tool ${name} in ${MODE_NAME[mode]} mode.${why}`);
  }
  const isBuiltin = (tool.source ?? 'builtin') === 'builtin';
  const reads = tool.effect === 'readonly' && !command && targets.every((target) => target.access === 'read');
  if (mode !== 'agent' && !reads) return deny('read-only-mode', `${MODE_NAME[mode]} mode cannot change anything.`);
  if (!trusted && mode !== 'ask') return deny('untrusted-workspace', 'The workspace is not trusted: only Ask mode works in it.');
  if (!trusted && !(isBuiltin && hosts.length === 0))
    return deny('untrusted-workspace', 'The workspace is not trusted: only its files can be read.');
  const denied = rules.find((rule) => rule.effect === 'deny' && applies(rule, input));
  if (denied) return deny('rule', ruleSentence(denied));
  const run = command?.(rules, input.grants ?? []);
  if (run?.kind === 'deny') return run;

  const danger = dangerOf(input);
  if (danger) return { kind: 'ask', ...danger };
  const asked = rules.find((rule) => rule.effect === 'ask' && applies(rule, input));
  if (asked) return ask('rule', ruleSentence(asked));

  if (reads && hosts.length === 0) return allow(isBuiltin ? 'read-only' : 'mcp-read-only', 'It only reads.');
  const written = targets.filter((target) => target.access !== 'read');
  if (planScope && written.length > 0) {
    const beyond = written.find((target) => !inScope(target.path, planScope));
    if (beyond) return ask('outside-plan', `The confirmed plan does not name ${beyond.path}.`);
  }
  const steered = steeredOf(input, written);
  if (steered) return ask('steers-command', steered);
  if (run) return run;

  const needs = needsOf(input);
  if (tool.effect === 'external' && needs.every(({ kind }) => kind === 'write'))
    return ask('external', `${name} reaches beyond the workspace.`);
  if (needs.length === 0) return ask('unknown-targets', 'What it would change is not known beforehand.');
  if (planScope && needs.every(({ kind }) => kind === 'write')) return allow('confirmed-plan', 'The confirmed plan names it.');
  const given = needs.map((need) => grantedBy(need, input));
  const missing = needs.find((_, index) => !given[index]);
  if (!missing) return given.find((decision) => decision?.rule !== 'edits-granted') ?? (given[0] as Decision);
  const [rule, reason] = questionOf(missing.kind, input);
  return ask(rule, reason, grantablePermissions(needs, input));
}

/** A command that runs without asking was allowed as it was: who changes what it does is asked, unless a rule names this very file. */
function steeredOf({ rules = [], steers }: PolicyInput, written: readonly Target[]): string | undefined {
  const isNamed = (path: string) => rules.some((rule) => rule.effect === 'allow' && rule.from === 'user' && rule.path === path);
  const [first] = written.flatMap(({ path }) => {
    const command = isNamed(path) ? undefined : steers?.(path);
    return command === undefined ? [] : [`${path} decides what ${visibleCommand(command)} does, which runs without asking.`];
  });
  return first;
}

function questionOf(kind: Need['kind'], { name, tool, hosts = [], privateHost }: PolicyInput): [rule: RuleId, reason: string] {
  if (kind === 'write') return ['edit', 'It changes files.'];
  if (kind === 'host' && privateHost) return ['private-host', `${hosts.join(', ')} is this computer or in a private network.`];
  if (kind === 'host') return ['sends', `It sends a request to ${hosts.join(', ')}.`];
  return ['mcp', `${name} belongs to the MCP server ${tool?.source?.slice('mcp:'.length)}, which is another program.`];
}

/** A rule that denies or asks applies where anything of the call fits it; one about commands is the command judge's. */
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
