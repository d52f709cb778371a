import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { PanelView } from '../../src/hosts/vscode/panel/panel-view.ts';
import type { PageData } from '../../src/protocol/pages.ts';
import type { ToHost, ToPanel } from '../../src/protocol/panel.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { until } from '../support/until.ts';

const STYLE = '.github/agents/style.agent.md';

describe('agents in the panel', () => {
  let api: Api;
  let posted: ToPanel[];
  let view: PanelView;
  let session: Session;

  before(async () => {
    api = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
    await vscode.workspace.fs.writeFile(api.kedge.fs.uri({ folder: 0, path: STYLE }), encodeText('---\ntools: [read, sudo]\n---\nLook.'));
  });
  after(() => vscode.workspace.fs.delete(api.kedge.fs.uri({ folder: 0, path: STYLE })));

  beforeEach(async () => {
    posted = [];
    const webview = { postMessage: async (message: ToPanel) => posted.push(message) > 0 } as unknown as vscode.Webview;
    view = new PanelView({ ...api, webview, queue: [], isShown: () => true });
    session = await api.kedge.assistant.newSession();
    await api.kedge.sessions.show(session);
    await view.receive({ type: 'ready' });
  });
  afterEach(() => view.dispose());

  const send = (message: ToHost) => view.receive(message);
  const prompt = (text: string) => send({ type: 'prompt', id: crypto.randomUUID(), text, mode: 'agent', sessionId: session.id });
  const shownAgent = () => posted.findLast((message) => message.type === 'state')?.state.agent;
  const pages = () => posted.filter((message) => message.type === 'page' && message.name === 'agents') as { data: PageData['agents'] }[];

  it('are chosen for a session, and stay until another is chosen', async () => {
    api.kedge.setAgent(session, 'reviewer');
    await until('the agent in the panel', async () => shownAgent() === 'reviewer');
    await prompt('where is tideLevel defined?');
    const run = session.state.lastRun;
    assert.deepEqual([run?.agent?.name, run?.agent?.source, run?.mode], ['reviewer', 'shipped', 'ask']);
    await prompt('/agent coder');
    await until('the other agent in the panel', async () => shownAgent() === 'coder');
    assert.equal(session.state.runs.size, 1);
    await prompt('/agent reviewer where is tideLevel defined?');
    assert.deepEqual(
      [...session.state.runs.values()].map(({ agent, prompt: text }) => [agent?.name, text]),
      [
        ['reviewer', 'where is tideLevel defined?'],
        ['reviewer', '@reviewer where is tideLevel defined?'],
      ],
    );
    api.kedge.setAgent(session, '');
    await prompt('where is tideLevel defined?');
    assert.equal(session.state.lastRun?.agent, undefined);
  });

  it('are listed on their page, and a request of them is put into the composer', async () => {
    await send({ type: 'open_page', name: 'agents' });
    await until('the page', async () => pages().length > 0);
    const { agents } = pages().at(-1)?.data ?? assert.fail();
    assert.deepEqual(
      agents.slice(0, 5).map(({ name, tries }) => [name, tries.length]),
      ['researcher', 'coder', 'reviewer', 'analyst', 'tutor'].map((name) => [name, 3]),
    );
    const style = agents.find(({ name }) => name === 'style');
    assert.equal(style?.review, 'new');
    assert.match(style.problems.join(), /sudo was left out/);
    const text = agents[3]?.tries[0] ?? '';
    await send({ type: 'page_request', request: { page: 'agents', type: 'try_agent', name: 'analyst', text } });
    assert.equal(api.kedge.agentOf(session), 'analyst');
    assert.ok(posted.some((message) => message.type === 'compose' && message.text === text));
    await until('the chosen agent on the page', async () => pages().at(-1)?.data.agents[3]?.isChosen === true);
    await send({ type: 'page_request', request: { page: 'agents', type: 'show_agent', name: 'style' } });
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^# style\n[\s\S]*> Look\.\n$/);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('are listed with what they did, beside prompt files and skills, and their files open', async () => {
    const SKILL = '.kedge/skills/tides/SKILL.md';
    await vscode.workspace.fs.writeFile(
      api.kedge.fs.uri({ folder: 0, path: SKILL }),
      encodeText('---\ndescription: Knows tides\n---\nRead the tables.'),
    );
    const data = () => pages().at(-1)?.data;
    const useOf = (name: string) => data()?.agents.find((agent) => agent.name === name)?.use;
    try {
      await prompt('@reviewer where is tideLevel defined?');
      await send({ type: 'open_page', name: 'agents' });
      await until('the counts', async () => useOf('reviewer') !== undefined);
      const before = useOf('reviewer') ?? assert.fail();
      await prompt('@reviewer where is tideLevel defined?');
      await until('the run to be counted', async () => useOf('reviewer')?.runs === before.runs + 1);
      const after = useOf('reviewer') ?? assert.fail();
      assert.equal(after.ended.answered, (before.ended.answered ?? 0) + 1);
      assert.equal(after.last, session.events.findLast(({ type }) => type === 'run_started')?.at);
      const skill = data()?.installed.find(({ name }) => name === 'tides') ?? assert.fail();
      assert.equal(skill.source, `of this workspace, ${SKILL}`);
      await send({ type: 'page_request', request: { page: 'agents', type: 'open_installed', kind: 'skill', id: skill.id } });
      assert.match(vscode.window.activeTextEditor?.document.fileName ?? '', /SKILL\.md$/);
      await send({ type: 'page_request', request: { page: 'agents', type: 'open_agent_file', name: 'style' } });
      assert.match(vscode.window.activeTextEditor?.document.fileName ?? '', /style\.agent\.md$/);
    } finally {
      api.kedge.setAgent(session, '');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.delete(api.kedge.fs.uri({ folder: 0, path: SKILL }));
    }
  });
});
