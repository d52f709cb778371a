/** Lets the user choose the agent of the session that the panel shows. */
import * as vscode from 'vscode';
import { sourceText } from '../../../agents/describe.ts';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import type { Session } from '../../../app/session/session.ts';
import type { Kedge } from '../kedge.ts';

type Item = vscode.QuickPickItem & { agent?: string };

export async function chooseAgent(kedge: Kedge): Promise<void> {
  const session = await kedge.sessions.current();
  const { agents, unusable } = await (await kedge.assistant.agents()).list(session);
  const current = kedge.agentOf(session) ?? '';
  const items: Item[] = [
    { label: 'No agent', agent: '', ...(current === '' && { description: 'current' }) },
    ...agents.map((agent) => itemOf(agent, agent.name === current)),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(list-unordered) Show agents…', ...(unusable.length > 0 && { description: `${unusable.length} cannot be used` }) },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Choose an Agent',
    placeHolder: 'An agent narrows what Kedge may do, and adds its own instructions',
    matchOnDetail: true,
  });
  if (!chosen) return;
  if (chosen.agent === undefined) return void vscode.commands.executeCommand('kedge.showAgents');
  kedge.setAgent(session, chosen.agent);
}

const REVIEW = { new: 'new: you are asked first', changed: 'changed: you are asked first' } as const;

function itemOf(agent: ListedAgent, isCurrent: boolean): Item {
  const { name, description, review, problems } = agent;
  const facts = [
    isCurrent && 'current',
    agent.source !== 'shipped' && sourceText(agent),
    review && REVIEW[review],
    problems.length > 0 && `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
  ];
  return {
    label: withoutIcons(name),
    detail: withoutIcons(description),
    description: withoutIcons(facts.filter(Boolean).join(' · ')),
    agent: name,
  };
}

/** In lists, VS Code turns `$(name)` into an icon. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}

/**
 * Reads the words after `/agent`. If the first of them is the name of an agent, the message begins with a mention of it. `only` is that name
 * if there are no other words.
 */
export async function withAgent(kedge: Kedge, session: Session, words: string): Promise<{ text: string; only?: string }> {
  const [, first = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(words) ?? [];
  const { agents } = await (await kedge.assistant.agents()).list(session);
  const name = first.toLowerCase();
  if (!agents.some((agent) => agent.name === name)) return { text: words };
  return rest ? { text: `@${words}` } : { text: words, only: name };
}
