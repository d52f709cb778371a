/** What a run did, as the account that ends it, and in words. */

import type { Cost, Usage } from '../model/messages.ts';
import type { Receipt } from '../session/events.ts';
import { dollars, tokens } from '../words/amounts.ts';
import { codeSpan } from '../words/markdown-code.ts';

export const MAX_NAMED = 100;

type Spent = { usage: Usage; cost?: Cost };

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
