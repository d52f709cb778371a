/** Shows approvals in the native Chat: one button to approve, everything else as links in a row, and the answer when it is given. */
import * as vscode from 'vscode';
import { countHunks } from '../../../core/run/hunk-revision.ts';
import type { AgentEvent, ApprovalAnswer } from '../../../core/session/events.ts';
import { permissionText } from '../../../core/session/grant-scope.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { approvalMarkdown, plain } from './chat-markdown.ts';

/** If more files than this are changed, one link opens all diffs. */
const MAX_DIFF_LINKS = 5;
const COMMANDS = ['kedge.answerApproval', 'kedge.openDiff', 'kedge.openDiffs', 'kedge.showInPanel'] as const;

type Link = { title: string; command: (typeof COMMANDS)[number]; arguments: readonly unknown[] };

export function showApproval(stream: vscode.ChatResponseStream, sessionId: string, request: ApprovalRequest): void {
  const { approvalId, callId, rule, changes, covers = [], similar = 0 } = request;
  for (const part of approvalMarkdown(request)) stream.markdown(part);
  const deviates = rule === 'outside-plan';
  const answer = (title: string, given: ApprovalAnswer): Link => ({
    title,
    command: 'kedge.answerApproval',
    arguments: [sessionId, approvalId, given],
  });
  const approve = answer(deviates ? 'Allow once' : 'Approve', { approve: true });
  const [widest] = covers;
  const answers = [
    answer('Reject', { approve: false }),
    ...(deviates ? [answer('Add to the plan', { approve: true, widen: true })] : []),
    ...(widest && similar > 0 ? [answer(`Approve all ${similar + 1} like this`, { approve: true, grant: 'turn', covers: 0 })] : []),
    ...(widest ? [answer(`Approve ${permissionText(widest)} for this run`, { approve: true, grant: 'run', covers: 0 })] : []),
  ];
  const hasChoice = changes.length > 1 || changes.some((change) => countHunks(change) > 1);
  const views: Link[] = [
    ...(changes.length > MAX_DIFF_LINKS
      ? [{ title: `Open all ${changes.length} diffs`, command: 'kedge.openDiffs' as const, arguments: [sessionId, callId] }]
      : changes.map(({ path }) => ({
          title: changes.length > 1 ? `Open diff of ${path}` : 'Open diff',
          command: 'kedge.openDiff' as const,
          arguments: [sessionId, callId, path],
        }))),
    ...(hasChoice ? [{ title: 'Choose hunks in the panel', command: 'kedge.showInPanel' as const, arguments: [sessionId] }] : []),
  ];
  if (views.length > 0) stream.markdown(linkRow(views));
  stream.markdown(linkRow(answers));
  // The button is last, because the Chat collapses what is above the content that follows a button.
  stream.button({ ...approve, arguments: [...approve.arguments] });
}

/** Shows the answer to an approval. The request above it can no longer be changed in the Chat. */
export function showAnswer(stream: vscode.ChatResponseStream, { answer }: Extract<AgentEvent, { type: 'approval_resolved' }>): void {
  const words = answer.approve ? undefined : answer.words;
  const text = answer.approve ? '$(pass-filled) **Approved**' : `$(circle-slash) **Rejected**${words ? `: ${plain(words)}` : ''}`;
  stream.markdown(new vscode.MarkdownString(`${text}\n\n`, true));
}

/** The titles may come from a model, so all of their punctuation is escaped. These links can run only the commands for approvals. */
function linkRow(links: readonly Link[]): vscode.MarkdownString {
  const row = links.map(({ title, command, arguments: args }) => {
    const query = encodeURIComponent(JSON.stringify(args)).replace(/[()']/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    return `[${plain(title)}](command:${command}?${query})`;
  });
  const text = new vscode.MarkdownString(`${row.join(' · ')}\n\n`);
  text.isTrusted = { enabledCommands: COMMANDS };
  return text;
}
