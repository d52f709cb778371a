import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PARTS } from '../../src/app/context/surroundings-parts.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { editorSurroundings } from '../../src/hosts/vscode/surroundings.ts';
import { encodeText } from '../../src/workspace/content.ts';

describe('the surroundings in the editor', () => {
  let kedge: Kedge;
  const uri = (path: string) => kedge.fs.uri({ folder: 0, path });
  const problems = vscode.languages.createDiagnosticCollection('test of surroundings');

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    for (const name of ['one', 'two']) await vscode.workspace.fs.writeFile(uri(`around/${name}.txt`), encodeText('1\n2\n3\n4\n'));
  });

  after(async () => {
    problems.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.getConfiguration('kedge').update('surroundings', undefined, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.delete(uri('around'), { recursive: true });
  });

  it('are the open files with the selection and the problems', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.window.showTextDocument(uri('around/one.txt'), { preview: false });
    const editor = await vscode.window.showTextDocument(uri('around/two.txt'), { preview: false });
    // The selection ends at the beginning of line 4, which is not selected.
    editor.selection = new vscode.Selection(1, 0, 3, 0);
    const range = new vscode.Range(0, 0, 0, 1);
    problems.set(uri('around/one.txt'), [
      new vscode.Diagnostic(range, 'wrong', vscode.DiagnosticSeverity.Error),
      new vscode.Diagnostic(range, 'doubtful', vscode.DiagnosticSeverity.Warning),
      new vscode.Diagnostic(range, 'a hint', vscode.DiagnosticSeverity.Hint),
    ]);
    const { system, date, folders, files, parts } = editorSurroundings(kedge.fs, new Set(PARTS));
    assert.deepEqual(
      files?.map(({ at, isActive, selection, errors, warnings }) => ({ path: at.path, isActive, selection, errors, warnings })),
      [
        { path: 'around/two.txt', isActive: true, selection: [2, 3], errors: 0, warnings: 0 },
        { path: 'around/one.txt', isActive: false, selection: undefined, errors: 1, warnings: 1 },
      ],
    );
    assert.ok(system && date && folders);
    assert.deepEqual(parts, { activeFile: true, openFiles: true, problems: true });
  });

  it('contain only the parts that the user has not turned off', async () => {
    assert.deepEqual([...kedge.settings.surroundings()], [...PARTS]);
    const changed = new Promise((resolve) => vscode.workspace.onDidChangeConfiguration(resolve));
    await vscode.workspace.getConfiguration('kedge').update('surroundings', { git: false, date: false }, vscode.ConfigurationTarget.Global);
    await changed;
    assert.deepEqual([...kedge.settings.surroundings()], ['system', 'folders', 'activeFile', 'openFiles', 'problems']);
  });
});
