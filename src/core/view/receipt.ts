/** What a run did, by its events: the account that ends it. */

import type { Cost, Usage } from '../model/messages.ts';
import type { RuleId } from '../run/rules.ts';
import type { Effect } from '../session/effects.ts';
import type { AgentEvent, Mode, Receipt } from '../session/events.ts';
import { dollars, tokens } from '../words/amounts.ts';
import { codeSpan } from '../words/markdown-code.ts';

export const MAX_NAMED = 100;
const MAX_COMMAND = 500;

type Spent = { usage: Usage; cost?: Cost };

/** Pure: of all the events of one run so far. */
export function receiptOf(events: Iterable<AgentEvent>, runId: string, canWrite?: boolean): Receipt {
  let mode: Mode = 'ask';
  const begun = new Map<string, Extract<AgentEvent, { type: 'tool_started' }>>();
  const denied = new Map<string, RuleId>();
  const effects = new Map<Effect, number>();
  const allowed = new Map<RuleId, number>();
  const commands: string[] = [];
  let failed = 0;
  let writes: { path: string; step: number | undefined }[] = [];
  let unchanged = new Set<number>();
  let step: number | undefined;
  const sets = () => new Set<string>();
  const [finished, asked, approved, rejected, read, hosts, servers] = [sets(), sets(), sets(), sets(), sets(), sets(), sets()];
  for (const event of events) {
    if (event.runId !== runId) continue;
    if (event.type === 'run_started') mode = event.mode;
    if (event.type === 'tool_started') begun.set(event.callId, event);
    if (event.type === 'approval_requested') asked.add(event.callId);
    if (event.type === 'approval_resolved') {
      // Of a call that was asked for twice, since its effect was another by then, the last answer counts.
      for (const answered of [approved, rejected]) answered.delete(event.callId);
      (event.answer.approve ? approved : rejected).add(event.callId);
    }
    if (event.type === 'step_checked' && event.outcome !== 'not_run' && typeof event.check === 'object' && 'command' in event.check)
      commands.push(event.check.command);
    if (event.type === 'plan_step' && event.unchanged) unchanged.add(event.step);
    else if (event.type === 'plan_step') unchanged.delete(event.step);
    if (event.type === 'plan_step') step = event.status === 'started' ? event.step : event.step === step ? undefined : step;
    if (event.type === 'plan_revised' && event.was) {
      const { was } = event;
      const now = (old: number | undefined) => (old === undefined ? undefined : was.indexOf(old) + 1 || undefined);
      step = now(step);
      writes = writes.map((write) => ({ ...write, step: now(write.step) }));
      unchanged = new Set([...unchanged].map(now).filter((each) => each !== undefined));
    }
    if (event.type === 'file_changed') for (const { path } of event.changes) writes.push({ path, step });
    if (event.type === 'step_rolled_back') {
      const refused = new Set(event.results.flatMap(({ path, outcome }) => (outcome === 'refused' ? [path] : [])));
      writes = writes.filter((write) => write.step !== event.step || refused.has(write.path));
    }
    if (event.type !== 'tool_finished') continue;
    const { callId, decision, result } = event;
    const started = begun.get(callId);
    finished.add(callId);
    // What Ask and Plan do not have was tried and withheld. Agent has all there is: such a name is a mistake.
    const isUnknown = decision?.kind === 'deny' && decision.rule === 'unknown-tool' && mode === 'agent';
    if (isUnknown) failed++;
    else if (decision?.kind === 'deny') denied.set(callId, decision.rule);
    if (decision?.kind === 'allow') allowed.set(decision.rule, (allowed.get(decision.rule) ?? 0) + 1);
    const isDone = decision?.kind === 'allow' || (decision?.kind === 'ask' && approved.has(callId));
    if (!started || !isDone) continue;
    if (result.isError) failed++;
    effects.set(started.effect, (effects.get(started.effect) ?? 0) + 1);
    if (started.command !== undefined) commands.push(started.command);
    for (const host of started.hosts ?? []) hosts.add(host);
    if (started.source?.startsWith('mcp:')) servers.add(started.source.slice('mcp:'.length));
    if (!result.isError && started.name.startsWith('read_')) for (const { path } of started.targets) read.add(path);
  }
  const changed = new Set(writes.map(({ path }) => path));
  const named = <T>(all: Iterable<T>) => [...all].slice(0, MAX_NAMED);
  return {
    mode,
    calls: finished.size,
    effects: Object.fromEntries(effects),
    allowed: Object.fromEntries(allowed),
    asked: asked.size,
    approved: approved.size,
    rejected: rejected.size,
    denied: denied.size,
    failed,
    deniedBy: countsOf(denied.values()),
    read: named(read),
    readCount: read.size,
    changed: named(changed),
    changedCount: changed.size,
    ...(unchanged.size > 0 && { unchangedSteps: named([...unchanged].sort((a, b) => a - b)) }),
    commands: named(commands).map((command) => (command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}…` : command)),
    commandCount: commands.length,
    hosts: named(hosts),
    hostCount: hosts.size,
    servers: named(servers),
    ...(canWrite !== undefined && { canWrite }),
  };
}

function countsOf(rules: Iterable<RuleId>): Partial<Record<RuleId, number>> {
  const counts = new Map<RuleId, number>();
  for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return Object.fromEntries(counts);
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** "12 calls · 3 approvals asked · 4 files read · 2 changed": without what there was none of. */
export function receiptLine(receipt: Receipt): string {
  const { calls, asked, denied, failed = 0, readCount, changedCount, unchangedSteps = [], commandCount, hostCount } = receipt;
  return [
    calls > 0 ? count(calls, 'call') : 'No calls',
    asked > 0 && `${count(asked, 'approval')} asked`,
    denied > 0 && `${denied} denied`,
    failed > 0 && `${failed} failed`,
    readCount > 0 && `${count(readCount, 'file')} read`,
    changedCount > 0 && `${changedCount} changed`,
    unchangedSteps.length > 0 && `${count(unchangedSteps.length, 'step')} changed nothing`,
    commandCount > 0 && count(commandCount, 'command'),
    hostCount > 0 && count(hostCount, 'host'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What is proved of a run of Ask or Plan. */
export function proofOf({ mode, canWrite, denied }: Receipt): string | undefined {
  if (mode === 'agent' || canWrite !== false) return undefined;
  return `No write capability was held; ${denied === 1 ? '1 attempt' : `${denied} attempts`} denied.`;
}

/** Rows of a title and what stands behind it; without what there was none of. */
export function receiptRows(receipt: Receipt, spent?: Spent): { title: string; values: string[]; more: number }[] {
  const counted = (counts: Record<string, number>) => Object.entries(counts).map(([name, number]) => `${name} ${number}`);
  const { approved, rejected, asked } = receipt;
  const open = asked - approved - rejected;
  const answers = [approved > 0 && `${approved} approved`, rejected > 0 && `${rejected} rejected`, open > 0 && `${open} not answered`];
  const { input, output, cached } = spent?.usage ?? {};
  const used = [
    input !== undefined && `${tokens(input)} in`,
    cached && `${tokens(cached)} of them cached`,
    output !== undefined && `${tokens(output)} out`,
  ];
  const row = (title: string, values: (string | false | 0 | undefined)[], total = values.length) => {
    const shown = values.filter((value): value is string => Boolean(value));
    return { title, values: shown, more: total - values.length };
  };
  return [
    row('Calls by effect', counted(receipt.effects)),
    row('Allowed by', counted(receipt.allowed)),
    row('Asked', answers),
    row('Denied by', counted(receipt.deniedBy)),
    row('Files read', receipt.read, receipt.readCount),
    row('Files changed', receipt.changed, receipt.changedCount),
    row('Steps that changed nothing', (receipt.unchangedSteps ?? []).map(String)),
    row('Commands', receipt.commands, receipt.commandCount),
    row('Hosts', receipt.hosts, receipt.hostCount),
    row('MCP servers', receipt.servers),
    row('Tokens', used),
    row('Cost', [spent?.cost && dollars(spent.cost)]),
  ].filter(({ values }) => values.length > 0);
}

/** For pasting elsewhere: what models and files named is code, and no Markdown of its own. */
export function receiptMarkdown(receipt: Receipt, spent?: Spent): string {
  const proof = proofOf(receipt);
  const lines = receiptRows(receipt, spent).map(({ title, values, more }) => {
    const shown = values.map((value) => (NAMED.has(title) ? codeSpan(value.replace(/\s+/g, ' ')) : value)).join(', ');
    return `- ${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  });
  return [`**Receipt** ${receiptLine(receipt)}`, ...(proof ? ['', proof] : []), '', ...lines, ''].join('\n');
}

const NAMED = new Set(['Files read', 'Files changed', 'Commands', 'Hosts', 'MCP servers']);
