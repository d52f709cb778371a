/** The user's agents in the editor, and the question before an agent of the workspace runs. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { agentPage, narrowingLines } from '../../../agents/describe.ts';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import type { AgentsPort } from '../../../app/ports.ts';
import { AgentFiles } from '../../node/agent-files.ts';
import { configDirectory } from '../../node/storage.ts';
import { notificationText } from '../notification-text.ts';

export function agentsPort(storage: string): AgentsPort {
  const files = agentFilesIn(storage);
  return {
    userFiles: () => files.userFiles(),
    accepted: (path) => files.accepted(path),
    accept: (path, digest) => files.accept(path, digest),
    review,
  };
}

/** The terminal program reads the same folder. */
export function agentFilesIn(storage: string): AgentFiles {
  return new AgentFiles({ directory: join(configDirectory(), 'agents'), accepted: join(storage, 'agents.json') });
}

/** After the prompt was shown, the user sends the message again, because a dialog covers the document. */
async function review(agent: ListedAgent): Promise<boolean> {
  const { name, path = '', description, problems } = agent;
  const [use, show] = ['Use Agent', 'Show Prompt'];
  const what = agent.review === 'changed' ? 'has changed since you accepted it' : 'is used for the first time';
  const rows = [`File: ${path}`, description && `Description: ${description}`, ...narrowingLines(agent), ...problems].filter(Boolean);
  const text = `The agent ${name} of this workspace ${what}. It can do nothing that you have not allowed.`;
  const options = { modal: true, detail: notificationText(rows.join('\n')) };
  const answer = await vscode.window.showWarningMessage(notificationText(text), options, use, show);
  if (answer === show) await showAgent(agent);
  return answer === use;
}

/** Opens the page of an agent as a document that is not saved. */
export async function showAgent(agent: ListedAgent): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: `${agentPage(agent)}\n` });
  await vscode.window.showTextDocument(document, { preview: true });
}
