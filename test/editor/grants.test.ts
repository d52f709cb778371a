import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Permission } from '../../src/core/session/grant-scope.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { ModelCheck } from '../../src/hosts/vscode/panel/model-check.ts';
import { panelState } from '../../src/hosts/vscode/panel/panel-state.ts';
import { readPolicy } from '../../src/hosts/vscode/settings/policy-settings.ts';

const NPM: Permission = { kind: 'command', prefix: ['npm', 'test'] };

describe('a permission in VS Code', () => {
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

  it('that is permanent is stored by the editor once, and can be removed', async () => {
    kedge.grants.add({ kind: 'edits' });
    kedge.grants.add(NPM);
    kedge.grants.add(NPM);
    assert.deepEqual(kedge.grants.list(), [{ kind: 'edits' }, NPM]);
    await kedge.revokeGrants({ kind: 'edits' });
    assert.deepEqual(kedge.grants.list(), [NPM]);
    await kedge.revokeGrants();
    assert.deepEqual(kedge.grants.list(), []);
  });

  it('that an older version stored in another form still applies', async () => {
    await kedge.context.workspaceState.update('kedge.editsGranted', true);
    assert.deepEqual(kedge.grants.list(), [{ kind: 'edits' }]);
    await kedge.revokeGrants({ kind: 'edits' });
    assert.deepEqual(kedge.grants.list(), []);
  });

  it('in settings is what the user allows, except what the workspace denies', async () => {
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

  it('in settings that cannot be read does not apply, and the panel says so', async () => {
    await configuration().update('policy.rules', [{ effect: 'deny', paths: 'db' }], Global);
    await configured(() => readPolicy().problems.length === 1);
    assert.deepEqual(
      readPolicy().rules.map(({ effect, path }) => [effect, path]),
      [['ask', undefined]],
    );
    const { readiness } = await panelState(kedge, new ModelCheck(kedge, { isShown: () => true, onResult: () => {} }), false);
    assert.equal(readiness.level, 'attention');
    assert.match(readiness.text, /^Rule 1 of kedge\.policy\.rules of your settings is not valid/);
  });
});
