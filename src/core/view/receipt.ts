/** The receipt of a run, computed from its events when it ends. */

import type { Cost, Usage } from '../model/messages.ts';
import type { Effect } from '../run/tool.ts';
import type { AgentEvent, Mode } from '../session/events.ts';
import { dollars, tokens } from '../words/amounts.ts';

/** Lists are limited to `MAX_NAMED` entries; the counts are not. */
export type Receipt = {
  mode: Mode;
  calls: number;
  /** Executed calls by effect. */
  effects: Partial<Record<Effect, number>>;
  /** How many calls were allowed without an approval, by policy rule. */
  allowed: Record<string, number>;
  asked: number;
  /** How many of the requested approvals were granted. */
  approved: number;
  rejected: number;
  denied: number;
  /** Failed calls among the executed ones, and calls of unknown tools in Agent mode. Missing in older logs. */
  failed?: number;
  /** Denied calls by policy rule. */
  deniedBy: Record<string, number>;
  read: string[];
  readCount: number;
  changed: string[];
  changedCount: number;
  /** Plan steps that are done and changed none of their files. Missing when there are none, and in older logs. */
  unchangedSteps?: number[];
  commands: string[];
  commandCount: number;
  hosts: string[];
  hostCount: number;
  /** The MCP servers that were called. */
  servers: string[];
  /** Whether the run had any tool that can change something. Missing when that is unknown. */
  canWrite?: boolean;
};

export const MAX_NAMED = 100;
const MAX_COMMAND = 500;

type Spent = { usage: Usage; cost?: Cost };

/** Computes the receipt from all events of one run so far. */
export function receiptOf(events: Iterable<AgentEvent>, runId: string, canWrite?: boolean): Receipt {
  let mode: Mode = 'ask';
  const begun = new Map<string, Extract<AgentEvent, { type: 'tool_started' }>>();
  const denied = new Map<string, string>();
  const effects = new Map<Effect, number>();
  const allowed = new Map<string, number>();
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
      // When a call needed a second approval, because its effect had changed, the last answer counts.
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
    // Ask and Plan lack tools on purpose, so an unknown tool counts as denied there. Agent has all tools, so an unknown name is a mistake
    // of the model.
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

function countsOf(values: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries(counts);
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** "12 calls · 3 approvals requested · 4 files read · 2 changed". Counts of zero are omitted. */
export function receiptLine(receipt: Receipt): string {
  const { calls, asked, denied, failed = 0, readCount, changedCount, unchangedSteps = [], commandCount, hostCount } = receipt;
  return [
    calls > 0 ? count(calls, 'call') : 'No calls',
    asked > 0 && `${count(asked, 'approval')} requested`,
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

/** States the guarantee for a run of Ask or Plan. */
export function proofOf({ mode, canWrite, denied }: Receipt): string | undefined {
  if (mode === 'agent' || canWrite !== false) return undefined;
  return `This run had no tool that can change anything. ${count(denied, 'attempt')} denied.`;
}

/** Builds titled rows for display. Empty rows are omitted. */
export function receiptRows(receipt: Receipt, spent?: Spent): { title: string; values: string[]; more: number }[] {
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
    row('Calls by kind', effectCounts(receipt)),
    row('Allowed without asking', ruleCounts(receipt.allowed, ALLOWED_BY, 'by a rule')),
    row('Approvals', answers),
    row('Denied', ruleCounts(receipt.deniedBy, DENIED_BY, 'without an approval')),
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

const EFFECTS: readonly [effect: Effect, one: string, many: string][] = [
  ['readonly', 'read-only', 'read-only'],
  ['mutating', 'edit', 'edits'],
  ['destructive', 'command or deletion', 'commands and deletions'],
  ['external', 'external', 'external'],
];

function effectCounts({ effects }: Receipt): string[] {
  return EFFECTS.flatMap(([effect, one, many]) => {
    const number = effects[effect];
    return number ? [`${number} ${number === 1 ? one : many}`] : [];
  });
}

const ALLOWED_BY: Readonly<Record<string, string>> = {
  'read-only': 'read-only',
  'mcp-read-only': 'read-only by MCP tools',
  'edits-granted': 'by your permission',
  granted: 'by your permission',
  'command-prefix': 'by your allowed commands',
  rule: 'by your rules',
  'confirmed-plan': 'by the confirmed plan',
};
const DENIED_BY: Readonly<Record<string, string>> = {
  'unknown-tool': 'for lack of such a tool in this mode',
  'read-only-mode': 'because this mode cannot change anything',
  'untrusted-workspace': 'because the workspace is not trusted',
  rule: 'by your rules',
  'command-denied': 'by your denied commands',
};

/** Several policy rules may have the same label; their counts are added up. Rules without a label, as those that would have asked, get `other`. */
function ruleCounts(counts: Record<string, number>, labels: Readonly<Record<string, string>>, other: string): string[] {
  const sums = new Map<string, number>();
  for (const [rule, number] of Object.entries(counts)) {
    const label = labels[rule] ?? other;
    sums.set(label, (sums.get(label) ?? 0) + number);
  }
  return [...sums].map(([label, number]) => `${number} ${label}`);
}

/** Formats the receipt for pasting elsewhere. Names from models and files are formatted as code, so that they cannot contain Markdown. */
export function receiptMarkdown(receipt: Receipt, spent?: Spent): string {
  const proof = proofOf(receipt);
  const lines = receiptRows(receipt, spent).map(({ title, values, more }) => {
    const shown = values.map((value) => (NAMED.has(title) ? code(value) : value)).join(', ');
    return `- ${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  });
  return [`**Receipt** ${receiptLine(receipt)}`, ...(proof ? ['', proof] : []), '', ...lines, ''].join('\n');
}

const NAMED = new Set(['Files read', 'Files changed', 'Commands', 'Hosts', 'MCP servers']);

function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const ticks = '`'.repeat(Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  const gap = /^`|`$/.test(line) ? ' ' : '';
  return `${ticks}${gap}${line}${gap}${ticks}`;
}
