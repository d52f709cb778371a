/** The page that lists what is installed: agents with what each of them can do and did, prompt files, skills, hooks and packages. */
import * as vscode from 'vscode';
import { narrowingLines, sourceText } from '../../../../agents/describe.ts';
import type { ListedAgent } from '../../../../app/agents/agents.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import type { AgentUse } from '../../../../core/insights/agent-runs.ts';
import type { AgentEntry } from '../../../../protocol/agents-page.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import { agentFilesIn, showAgent } from '../../agents/agents-port.ts';
import { installedBeside, openAgentFile, openInstalled } from '../../agents/installed.ts';
import { importedPackages, packageEntry, packageOf } from '../../agents/packages/list.ts';
import type { Page, PagePorts } from './page.ts';

const packages = () => import('../../agents/packages/packages.ts');

export function agentsPage(ports: PagePorts<'agents'>): Page<'agents'> {
  return new AgentsPageHost(ports);
}

class AgentsPageHost implements Page<'agents'> {
  readonly #ports: PagePorts<'agents'>;
  readonly #watches: vscode.Disposable[];
  #uses: ReadonlyMap<string, AgentUse> | undefined;
  /** Counting stops when the user leaves the page, or the sessions are counted again. */
  #counting = new AbortController();

  constructor(ports: PagePorts<'agents'>) {
    this.#ports = ports;
    const { kedge } = ports;
    const renew = () => void this.#send();
    this.#watches = [
      kedge.sessions.onDidChange(renew),
      kedge.onDidChange(renew),
      vscode.workspace.onDidSaveTextDocument(renew),
      new vscode.Disposable(
        kedge.assistant.watch((_, { type }) => {
          if (type === 'run_finished' || type === 'answer_rated') void this.#count();
        }),
      ),
    ];
  }

  async post(): Promise<void> {
    await this.#send();
    // Logs that have not been counted yet can take a while, so the page is shown before.
    void this.#count();
  }

  async handle(request: RequestOf<'agents'>): Promise<void> {
    const { kedge, send } = this.#ports;
    const session = await kedge.sessions.current();
    switch (request.type) {
      case 'open_installed':
        return openInstalled(await installedBeside(kedge, session), request.kind, request.id);
      case 'import_package':
        return (await packages()).importPackage(kedge);
      case 'export_agent':
        return (await packages()).exportAgent(kedge, request.name);
      case 'update_package':
        return (await packages()).updatePackage(kedge, request.name);
      case 'remove_package':
        return (await packages()).removePackage(kedge, request.name);
    }
    const { agents } = await (await kedge.assistant.agents()).list(session);
    const agent = agents.find(({ name }) => name === request.name);
    if (!agent && request.name !== '') throw new SessionError(`There is no agent ${request.name} any more.`);
    if (request.type === 'show_agent') return agent && showAgent(agent);
    if (request.type === 'open_agent_file') return agent && openAgentFile(kedge, agent);
    kedge.setAgent(session, request.name);
    if (request.type !== 'try_agent') return;
    send({ type: 'compose', text: request.text });
    send({ type: 'show_conversation' });
  }

  dispose(): void {
    this.#counting.abort();
    for (const each of this.#watches) each.dispose();
  }

  async #send(): Promise<void> {
    const { kedge, post } = this.#ports;
    const session = await kedge.sessions.current();
    const [{ agents, unusable }, installed, { packages: imported, problem }] = await Promise.all([
      kedge.assistant.agents().then((loaded) => loaded.list(session)),
      installedBeside(kedge, session),
      importedPackages(),
    ]);
    const sourceOf = (path: string | undefined) => packageOf(imported, path);
    const chosen = kedge.agentOf(session);
    post({
      agents: agents.map((agent) => entryOf(agent, agent.name === chosen, this.#uses?.get(agent.name), sourceOf(agent.path))),
      unusable: [
        ...unusable.map((each) => ({ path: each.place.path ?? each.place.fileName, problem: each.problem })),
        ...(problem ? [{ path: 'packages.json', problem }] : []),
      ],
      installed: installed.map(({ uri, ...entry }) => ({ ...entry, source: sourceOf(uri.fsPath) ?? entry.source })),
      packages: imported.map(packageEntry),
      directory: agentFilesIn(kedge.storage).directory,
    });
  }

  async #count(): Promise<void> {
    this.#counting.abort();
    this.#counting = new AbortController();
    const { signal } = this.#counting;
    try {
      const uses = await (await this.#ports.kedge.assistant.library()).agentUses(signal);
      if (signal.aborted) return;
      this.#uses = uses;
      await this.#send();
    } catch (error) {
      if (!signal.aborted) console.error(error);
    }
  }
}

function entryOf(agent: ListedAgent, isChosen: boolean, use: AgentUse | undefined, source: string | undefined): AgentEntry {
  const { name, description, digest, tries, problems, review } = agent;
  return {
    ...{ name, description, digest, tries, problems },
    source: source ?? sourceText(agent),
    rules: narrowingLines(agent),
    ...(isChosen && { isChosen: true as const }),
    ...(review && { review }),
    ...(agent.source !== 'shipped' && { hasFile: true as const }),
    ...(use && { use }),
  };
}
