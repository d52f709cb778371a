import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in the editor', () => {
  it('activates by itself', async () => {
    const extension = vscode.extensions.getExtension('kedge.kedge');
    assert.ok(extension, 'the extension is not known to the editor');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('works on the workspace that was opened', () => {
    assert.equal(vscode.workspace.workspaceFolders?.length, 1);
  });
});
