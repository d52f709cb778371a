import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in the editor', () => {
  it('is activated automatically', async () => {
    const extension = vscode.extensions.getExtension('kedge.kedge');
    assert.ok(extension, 'the extension is not known to the editor');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('works on the open workspace', () => {
    assert.equal(vscode.workspace.workspaceFolders?.length, 1);
  });
});
