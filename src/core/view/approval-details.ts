/** Lists everything that the user must see before an approval. All hosts display the same content and differ only in its form. */

import type { ChangeSummary, CommandLine, Detail, Target } from '../session/effects.ts';
import type { Question } from '../session/events.ts';
import type { RuleId } from '../session/rule-ids.ts';
import type { ApprovalRequest } from '../session/session-state.ts';
import { visibleCommand, visibleLine, visibleText } from '../words/visible-text.ts';

/** `code` is the language of a text that is executed or sent unchanged. Without `code`, the text is one line of prose. */
export type DetailRow = { label: string; text: string; code?: string };
/** `more` is the number of lines of a very long diff that the log does not contain. Each host can display the complete diff. */
export type FileDetail = Pick<ChangeSummary, 'path' | 'kind' | 'from' | 'added' | 'removed' | 'diff'> & { more: number };
/** `reasons` are in the order in which they matter. `isDangerous` is set if an approval can do harm that is hard to undo, or shows a secret. */
export type ApprovalDetails = {
  title: string;
  reason: string;
  reasons: string[];
  isDangerous: boolean;
  rows: DetailRow[];
  files: FileDetail[];
};

const DANGEROUS: ReadonlySet<RuleId> = new Set<RuleId>([
  ...(['inline-code', 'deletes', 'system', 'devices', 'secrets', 'installs'] as const),
  ...(['secret', 'outside-workspace', 'protected-path', 'sends-after-secret', 'guarded-path'] as const),
]);

export function approvalDetails(request: ApprovalRequest): ApprovalDetails {
  const { title, reason, changes, command, address, mcp, hosts = [], input, targets = [] } = request;
  const rows = [
    ...(command ? commandRows(command) : []),
    // The host is listed separately from the URL, because a URL can be written so that it seems to have a different host.
    ...(address === undefined ? [] : [code('Address', visibleCommand(address), 'text')]),
    ...(hosts.length > 0 && !command && (address !== undefined || !mcp) ? [hostRow(hosts)] : []),
    ...(mcp ? [row('MCP server', mcp.server), ...(mcp.details?.map(detailRow) ?? [row('Tool', mcp.tool)])] : []),
    ...(mcp?.description ? [row('Description from the server', mcp.description)] : []),
    ...(targets.length > 0
      ? [row(targets.length === 1 ? 'Accesses' : `Accesses ${targets.length} paths`, targets.map(targetText).join(', '))]
      : []),
    ...(input === undefined || mcp?.details ? [] : [code('Arguments', argumentsText(input), 'json')]),
  ];
  if (rows.length === 0 && changes.length === 0)
    rows.push(
      row(
        'Details',
        'An older version of Kedge requested this approval and did not record its details. Reject it and send your message again.',
      ),
    );
  const heading = command
    ? 'Run a command'
    : address !== undefined
      ? 'Fetch a web page'
      : mcp && !mcp.details
        ? 'Call a tool of an MCP server'
        : title;
  const why = request.reasons ?? [{ rule: request.rule, reason }];
  const reasons = why.map((each) => visibleText(each.reason));
  return {
    title: visibleText(heading.replace(/\s+/g, ' ')),
    reason: reasons.join(' '),
    reasons,
    isDangerous: request.secret === true || why.some(({ rule }) => DANGEROUS.has(rule)),
    rows,
    files: changes.map(fileDetail),
  };
}

/** Returns rows for the command that an answer to the question runs, in the same form as in an approval. */
export function questionRows({ command }: Question): DetailRow[] {
  return command ? commandRows(command) : [];
}

function commandRows({ text, cwd, shell, background, timeoutSeconds }: CommandLine): DetailRow[] {
  return [
    code('Command', visibleCommand(text), shell === 'other' ? 'text' : shell),
    ...(cwd === '.' ? [] : [row('In the folder', cwd)]),
    ...(background ? [row('Background', 'The command keeps running after the tool call has ended.')] : []),
    ...(timeoutSeconds === undefined ? [] : [row('Time limit', `${timeoutSeconds} s`)]),
  ];
}

function hostRow(hosts: readonly string[]): DetailRow {
  const text = hosts.join(', ');
  const isEncoded = hosts.some((name) => /(^|\.)xn--/i.test(name));
  return row(hosts.length === 1 ? 'Host' : 'Hosts', isEncoded ? `${text} (an encoded name with letters beyond a-z)` : text);
}

function detailRow({ label, text, isCode }: Detail): DetailRow {
  return isCode ? code(label, visibleCommand(text), 'text') : row(label, text);
}

function targetText({ path, access, outside }: Target): string {
  return `${path}${outside ? ' (outside the workspace)' : ''}${access === 'read' ? '' : ` (${access})`}`;
}

/** Formats the arguments as JSON. Runs of spaces are marked in strings, but not in the indentation of the JSON text. */
function argumentsText(input: unknown): string {
  const text = JSON.stringify(input, (_key, value: unknown) => (typeof value === 'string' ? visibleCommand(value) : value), 2) ?? '';
  return text.split('\n').map(visibleArguments).join('\n');
}

function visibleArguments(line: string): string {
  const indentation = /^ */.exec(line)?.[0] ?? '';
  return indentation + visibleCommand(line.slice(indentation.length));
}

function fileDetail({ path, kind, from, added, removed, diff }: ChangeSummary): FileDetail {
  const { shown, more } = withoutCut(diff);
  return {
    path: visibleLine(path),
    kind,
    ...(from !== undefined && { from: visibleLine(from) }),
    added,
    removed,
    diff: visibleText(shown),
    more,
  };
}

const CUT = /\n?\\ (\d+) more lines$/;

/** Removes the mark at the end of a logged diff. `more` is the number of lines that the mark counts. */
export function withoutCut(diff: string): { shown: string; more: number } {
  const cut = CUT.exec(diff);
  return cut ? { shown: diff.slice(0, cut.index), more: Number(cut[1]) } : { shown: diff, more: 0 };
}

/** Returns the mark that replaces the last lines of a long diff. */
export function cutMark(more: number): string {
  return `\\ ${more} more lines`;
}

function row(label: string, text: string): DetailRow {
  return { label, text: visibleLine(text) };
}

function code(label: string, text: string, language: string): DetailRow {
  return { label, text, code: language };
}
