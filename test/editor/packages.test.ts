import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import { PackageStore } from '../../src/hosts/node/sharing/package-store.ts';
import { userFolder } from '../../src/hosts/node/user-files.ts';
import { importPackage, removePackage, updatePackage } from '../../src/hosts/vscode/agents/packages/packages.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { until } from '../support/until.ts';

const AGENT = '---\ndescription: Knows the harbor\nmode: ask\ntools: [read]\n---\nLook.\n';

describe('packages of agents in the editor', () => {
  let api: Api;
  let session: Session;
  let directory: string;
  let file: string;
  const store = () => new PackageStore(userFolder());
  const write = (version: string, text: string, name = 'harbor') =>
    writeFile(file, JSON.stringify({ kedgePackage: 1, name, version, files: { [`agents/${name}.md`]: text } }));

  before(async () => {
    api = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
    session = await api.kedge.assistant.newSession();
    await api.kedge.sessions.show(session);
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-packages-'));
    file = join(directory, 'harbor.kedge.json');
  });
  const { showQuickPick } = vscode.window;
  afterEach(async () => {
    vscode.window.showQuickPick = showQuickPick;
    for (const { name } of await store().list()) await store().remove(name);
    await rm(directory, { recursive: true });
  });

  /** Replaces VS Code's list of answers, which a test in the extension host cannot see. The tests of the workbench click in it. */
  function answering(answer: string): { titles: string[]; give(): void } {
    const titles: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    vscode.window.showQuickPick = (async (items: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions) => {
      titles.push(options.title ?? '');
      assert.equal(items[0]?.label.startsWith('Do Not '), true, 'the first answer stores nothing');
      await promise;
      return items.find(({ label }) => label === answer) ?? assert.fail(`There is no ${answer}.`);
    }) as unknown as typeof vscode.window.showQuickPick;
    return { titles, give: resolve };
  }
  async function imported(): Promise<void> {
    answering('Import Package').give();
    await importPackage(api.kedge, file);
  }
  const agents = async () => (await (await api.kedge.assistant.agents()).list(session)).agents.map(({ name }) => name);
  const documents = () => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'kedge-package');

  it('are shown whole before they are stored, and stored only after the answer', async () => {
    await write('1.0.0', AGENT);
    const question = answering('Import Package');
    const work = importPackage(api.kedge, file);
    await until('the preview', async () => documents().some((each) => /│ Look\./.test(each.getText())));
    assert.deepEqual([(await store().list()).length, existsSync(join(userFolder(), 'packages', 'packages.json'))], [0, false]);
    await until('the question', async () => question.titles[0] === 'Kedge: Import harbor 1.0.0');
    question.give();
    await work;
    assert.deepEqual(
      (await store().list()).map(({ name, version }) => [name, version]),
      [['harbor', '1.0.0']],
    );
    assert.ok((await agents()).includes('harbor'));
  });

  it('are exported without a home folder, and say what is wrong with a package', async () => {
    await write('1.0.0', AGENT);
    await imported();
    const to = join(directory, 'out.kedge.json');
    await vscode.commands.executeCommand('kedge.exportAgent', 'harbor', vscode.Uri.file(to));
    assert.equal(JSON.parse(await readFile(to, 'utf8')).files['agents/harbor.md'].join('\n'), AGENT);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await writeFile(file, '{"kedgePackage": 1, "name": "x", "version": "1", "files": {"agents/../../x.md": "Look."}}');
    await assert.rejects(importPackage(api.kedge, file), { name: 'SessionError', message: /leads out of it/ });
    await assert.rejects(importPackage(api.kedge, join(directory, 'none')), { name: 'SessionError', message: /does not exist/ });
    await assert.rejects(updatePackage(api.kedge, 'none'), { message: 'There is no package none any more.' });
    await assert.rejects(removePackage(api.kedge, 'none'), { message: 'There is no package none any more.' });
  });

  it('are updated after their differences were shown', async () => {
    await write('1.0.0', AGENT);
    await imported();
    await write('1.1.0', AGENT.replace('[read]', '[read, search]'));
    const question = answering('Update Package');
    const work = updatePackage(api.kedge, 'harbor');
    const diff = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label.startsWith('Update of harbor'));
    await until('the differences', async () => diff() !== undefined);
    assert.equal((await store().find('harbor'))?.version, '1.0.0');
    question.give();
    await work;
    assert.equal((await store().find('harbor'))?.version, '1.1.0');
    await until('the differences to close', async () => diff() === undefined);
    answering('Do Not Update').give();
    await write('2.0.0', AGENT);
    await importPackage(api.kedge, file);
    assert.equal((await store().find('harbor'))?.version, '1.1.0');
  });
});
