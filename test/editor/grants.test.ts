import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Permission } from '../../src/core/session/grant-scope.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { panelState } from '../../src/hosts/vscode/panel/panel-state.ts';
import { readPolicy } from '../../src/hosts/vscode/settings/policy-settings.ts';

const NPM: Permission = { kind: 'command', prefix: ['npm', 'test'] };

describe('what is allowed in VS Code', () => {
  let kedge: Kedge;
  const configuration = () => vscode.workspace.getConfiguration('kedge');
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const configured = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => vscode.workspace.onDidChangeConfiguration(resolve));
  };

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
  });
  afterEach(async () => {
    await kedge.revokeGrants();
    for (const target of [Global, Workspace]) await configuration().update('policy.rules', undefined, target);
  });

  it('for good is kept by the editor, once each, and taken back one by one', async () => {
    kedge.grants.add({ kind: 'edits' });
    kedge.grants.add(NPM);
    kedge.grants.add(NPM);
    assert.deepEqual(kedge.grants.list(), [{ kind: 'edits' }, NPM]);
    await kedge.revokeGrants({ kind: 'edits' });
    assert.deepEqual(kedge.grants.list(), [NPM]);
    await kedge.revokeGrants();
    assert.deepEqual(kedge.grants.list(), []);
  });

  it('was kept otherwise by an older version, and still counts', async () => {
    await kedge.context.workspaceState.update('kedge.editsGranted', true);
    assert.deepEqual(kedge.grants.list(), [{ kind: 'edits' }]);
    await kedge.revokeGrants({ kind: 'edits' });
    assert.deepEqual(kedge.grants.list(), []);
  });

  it('by settings is what the user allows, and what the workspace denies', async () => {
    await configuration().update('policy.rules', [{ effect: 'allow', path: 'src/**' }], Global);
    await configuration().update(
      'policy.rules',
      [
        { effect: 'allow', path: '**' },
        { effect: 'deny', path: 'db' },
      ],
      Workspace,
    );
    await configured(() => readPolicy().rules.length === 2);
    assert.deepEqual(readPolicy(), {
      rules: [
        { effect: 'allow', path: 'src/**', from: 'user' },
        { effect: 'deny', path: 'db', from: 'workspace' },
      ],
      problems: [],
      readOnlyCommands: false,
    });
  });

  it('by settings that cannot be read is nothing, and the panel says so', async () => {
    await configuration().update('policy.rules', [{ effect: 'deny', paths: 'db' }], Global);
    await configured(() => readPolicy().problems.length === 1);
    assert.deepEqual(
      readPolicy().rules.map(({ effect, path }) => [effect, path]),
      [['ask', undefined]],
    );
    const { readiness } = await panelState(kedge);
    assert.equal(readiness.level, 'attention');
    assert.match(readiness.text, /^Rule 1 of kedge\.policy\.rules of your settings is not valid/);
  });

  it('is listed by a command', async () => {
    assert.ok((await vscode.commands.getCommands(true)).includes('kedge.manageGrants'));
    kedge.grants.add(NPM);
    let isOpen = true;
    const done = vscode.commands.executeCommand('kedge.manageGrants').then(() => (isOpen = false));
    // The first of the list, once it is shown: what is chosen is asked for again.
    while (isOpen) {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    assert.deepEqual(kedge.grants.list(), []);
  });
});
