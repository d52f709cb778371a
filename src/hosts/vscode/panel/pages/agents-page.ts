/** The page that lists the agents, and what each of them can do. */
import * as vscode from 'vscode';
import { narrowingLines, sourceText } from '../../../../agents/describe.ts';
import type { ListedAgent } from '../../../../app/agents/agents.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import type { AgentEntry } from '../../../../protocol/agents-page.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import { agentFilesIn, showAgent } from '../../agents/agents-port.ts';
import type { Page, PagePorts } from './page.ts';

export function agentsPage({ kedge, post, send }: PagePorts<'agents'>): Page<'agents'> {
  const list = async () => {
    const session = await kedge.sessions.current();
    return { session, ...(await (await kedge.assistant.agents()).list(session)) };
  };
  const page: Page<'agents'> = {
    async post() {
      const { session, agents, unusable } = await list();
      const chosen = kedge.agentOf(session);
      post({
        agents: agents.map((agent) => entryOf(agent, agent.name === chosen)),
        unusable: unusable.map(({ place, problem }) => ({ path: place.path ?? place.fileName, problem })),
        directory: agentFilesIn(kedge.storage).directory,
      });
    },
    async handle(request: RequestOf<'agents'>) {
      const { session, agents } = await list();
      const agent = agents.find(({ name }) => name === request.name);
      if (!agent && request.name !== '') throw new SessionError(`There is no agent ${request.name} any more.`);
      if (request.type === 'show_agent') return agent && showAgent(agent);
      kedge.setAgent(session, request.name);
      if (request.type !== 'try_agent') return;
      send({ type: 'compose', text: request.text });
      send({ type: 'show_conversation' });
    },
    dispose() {
      for (const each of watches) each.dispose();
    },
  };
  const renew = () => void page.post();
  const watches = [kedge.sessions.onDidChange(renew), kedge.onDidChange(renew), vscode.workspace.onDidSaveTextDocument(renew)];
  return page;
}

function entryOf(agent: ListedAgent, isChosen: boolean): AgentEntry {
  const { name, description, digest, tries, problems, review } = agent;
  return {
    ...{ name, description, digest, tries, problems },
    source: sourceText(agent),
    rules: narrowingLines(agent),
    ...(isChosen && { isChosen: true as const }),
    ...(review && { review }),
  };
}
