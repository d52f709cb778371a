/** The texts and limits of the receipt of a run. */

import type { Cost, Usage } from '../model/messages.ts';
import type { Effect } from '../session/effects.ts';
import type { Receipt } from '../session/events.ts';
import { dollars, tokens } from '../words/amounts.ts';
import { codeSpan } from '../words/markdown-code.ts';

export const MAX_NAMED = 100;

type Spent = { usage: Usage; cost?: Cost };

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Example: "12 calls · 3 approvals requested · 4 files read · 2 changed". Counts of zero are omitted. */
export function receiptLine(receipt: Receipt): string {
  const {
    calls,
    asked,
    denied,
    failed = 0,
    readCount,
    changedCount,
    unchangedSteps = [],
    commandCount,
    hostCount,
    compactions = 0,
  } = receipt;
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
    compactions > 0 && count(compactions, 'compaction'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * Describes in a sentence what a run did: "Changed 2 files, ran 1 command and read 4 files. You approved 2 of 3 requests. 1 call failed."
 */
export function receiptSentences(receipt: Receipt): string {
  const { calls, asked, approved, denied, failed = 0, readCount, changedCount, commandCount, hostCount } = receipt;
  const did = [
    changedCount > 0 && `changed ${count(changedCount, 'file')}`,
    commandCount > 0 && `ran ${count(commandCount, 'command')}`,
    readCount > 0 && `read ${count(readCount, 'file')}`,
    hostCount > 0 && `contacted ${count(hostCount, 'host')}`,
  ].filter((each) => each !== false);
  const last = did.pop();
  const done =
    last === undefined
      ? calls > 0
        ? `made ${count(calls, 'call')}`
        : 'made no calls'
      : did.length > 0
        ? `${did.join(', ')} and ${last}`
        : last;
  const all = asked === 1 ? 'the request' : `all ${asked} requests`;
  return [
    `${done.charAt(0).toUpperCase()}${done.slice(1)}.`,
    asked > 0 && `You approved ${approved === asked ? all : `${approved} of ${count(asked, 'request')}`}.`,
    denied > 0 && `${count(denied, 'call')} ${denied === 1 ? 'was' : 'were'} denied.`,
    failed > 0 && `${count(failed, 'call')} failed.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns the sentence that confirms that an Ask or Plan run could not change anything. */
export function proofOf({ mode, canWrite, denied }: Receipt): string | undefined {
  if (mode === 'agent' || canWrite !== false) return undefined;
  return `This run had no tool that can change anything.${denied > 0 ? ` ${count(denied, 'attempt')} denied.` : ''}`;
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
    row('Allowed without approval', ruleCounts(receipt.allowed, ALLOWED_BY, 'by a rule')),
    row('Approvals', answers),
    row('Denied', ruleCounts(receipt.deniedBy, DENIED_BY, 'without approval')),
    row('Rules', receipt.rules ?? []),
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
  'unknown-tool': 'because this mode does not offer the tool',
  'read-only-mode': 'because this mode cannot change anything',
  'untrusted-workspace': 'because the workspace is not trusted',
  rule: 'by your rules',
  'command-denied': 'by your denied commands',
  hook: 'by a hook',
};

/**
 * Adds up the counts of rules that have the same label. Rules without a label, such as those that would have required approval, count as
 * `other`.
 */
function ruleCounts(counts: Record<string, number>, labels: Readonly<Record<string, string>>, other: string): string[] {
  const sums = new Map<string, number>();
  for (const [rule, number] of Object.entries(counts)) {
    const label = labels[rule] ?? other;
    sums.set(label, (sums.get(label) ?? 0) + number);
  }
  return [...sums].map(([label, number]) => `${number} ${label}`);
}

/**
 * Formats the receipt as Markdown, for copying. Names from models and files are formatted as code, so that they cannot contain Markdown.
 */
export function receiptMarkdown(receipt: Receipt, spent?: Spent): string {
  const proof = proofOf(receipt);
  const lines = receiptRows(receipt, spent).map(({ title, values, more }) => {
    const shown = values.map((value) => (NAMED.has(title) ? codeSpan(value.replace(/\s+/g, ' ')) : value)).join(', ');
    return `- ${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  });
  return [`**Receipt** ${receiptLine(receipt)}`, ...(proof ? ['', proof] : []), '', ...lines, ''].join('\n');
}

const NAMED = new Set(['Rules', 'Files read', 'Files changed', 'Commands', 'Hosts', 'MCP servers']);
