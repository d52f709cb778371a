import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import type { SourcedRule } from '../../src/policy/rules.ts';
import { withheldFilter } from '../../src/policy/unreadable-files.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { withIgnoreFiles } from '../../src/workspace/ignore.ts';
import type { FileSystem } from '../../src/workspace/types.ts';
import { Workspace } from '../../src/workspace/workspace.ts';

const { signal } = new AbortController();

/** Calls a tool of Ask mode on these files. */
async function use(fs: FileSystem, name: string, input: unknown, rules: SourcedRule[] = []): Promise<string> {
  const workspace = new Workspace(await withIgnoreFiles(fs), (call) => withheldFilter(rules, call));
  const tool = toolsFor(workspace, { mode: 'ask' }).find((each) => each.name === name);
  const prepared = await tool?.prepare(input, signal);
  const idle = { progress: () => undefined, record: () => undefined, ask: async () => Promise.reject(new Error('Nobody is there.')) };
  return String((await prepared?.execute({ callId: '', signal, ...idle }))?.content);
}

describe('an excluded file', () => {
  let fs: VsCodeFileSystem;
  const files = () => vscode.workspace.getConfiguration('files');
  const uri = (path: string) => fs.uri({ folder: 0, path });
  const write = (path: string, text: string) => vscode.workspace.fs.writeFile(uri(path), encodeText(text));

  before(async () => {
    fs = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge.fs as VsCodeFileSystem;
    await write('seen/a.ts', 'hit\n');
    await write('seen/a.js', 'hit\n');
    await write('seen/b.js', 'hit\n');
    await write('seen/dist/c.txt', 'hit\n');
    await write('seen/[x]/d.txt', 'hit\n');
    const exclude = { '**/*.js': { when: '$(basename).ts' }, '**/dist': true, 'seen/[x]': false, '**/.git': true };
    await files().update('exclude', exclude, vscode.ConfigurationTarget.Workspace);
  });
  after(async () => {
    await files().update('exclude', undefined, vscode.ConfigurationTarget.Workspace);
    await vscode.workspace.fs.delete(uri('seen'), { recursive: true });
    await vscode.workspace.fs.delete(uri('.vscode'), { recursive: true }).then(undefined, () => undefined);
  });

  it('by files.exclude is not found, searched or listed, but can be read', async () => {
    assert.equal(await use(fs, 'find_files', { glob: 'seen/**' }), 'seen/[x]/d.txt\nseen/a.ts\nseen/b.js');
    const hits = await use(fs, 'search_text', { pattern: 'hit', glob: 'seen/**' });
    assert.equal(hits.replaceAll('\n  1: hit', '').replaceAll('\n\n', ' '), 'seen/[x]/d.txt seen/a.ts seen/b.js');
    assert.equal(await use(fs, 'list_directory', { path: 'seen' }), '[x]/ (1 file)\n  d.txt\na.js (ignored)\na.ts\nb.js\ndist/ (ignored)');
    assert.equal(await use(fs, 'read_file', { path: 'seen/dist/c.txt' }), '1\thit');
  });

  it('by .kedgeignore does not exist for a model, unsaved or saved, with or without ripgrep', async () => {
    await write('.kedgeignore', 'seen/b.js\n');
    const document = await vscode.workspace.openTextDocument(uri('seen/b.js'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved hit '));
    const [folder] = vscode.workspace.workspaceFolders as [vscode.WorkspaceFolder];
    for (const each of [fs, new VsCodeFileSystem([folder], async () => undefined)]) {
      assert.doesNotMatch(await use(each, 'find_files', { glob: 'seen/**' }), /b\.js/);
      const hits = await use(each, 'search_text', { pattern: 'hit', glob: 'seen/**' });
      assert.match(hits, /a\.ts/);
      assert.doesNotMatch(hits, /b\.js/);
      assert.doesNotMatch(await use(each, 'list_directory', { path: 'seen' }), /b\.js/);
      await assert.rejects(use(each, 'read_file', { path: 'seen/b.js' }), /seen\/b\.js is excluded by \.kedgeignore/);
    }
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(uri('.kedgeignore'));
  });

  it('that needs approval is not searched, whatever its content, unsaved or saved, also through a link, with or without ripgrep', async () => {
    const rules: SourcedRule[] = [{ effect: 'deny', path: 'private', from: 'user' }];
    await write('private/x.txt', 'hit\n');
    await symlink(uri('private').fsPath, uri('seen/to-private').fsPath);
    await symlink(uri('private/x.txt').fsPath, uri('seen/to-x.txt').fsPath);
    const [folder] = vscode.workspace.workspaceFolders as [vscode.WorkspaceFolder];
    for (const each of [fs, new VsCodeFileSystem([folder], async () => undefined)]) {
      const told: string[] = [];
      for (const text of ['hit\n', 'nothing\n', 'hit\n'.repeat(500)]) {
        await write('private/x.txt', text);
        await write('seen/.env', text);
        told.push(await use(each, 'search_text', { pattern: 'hit' }, rules));
      }
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri('seen/.env')));
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved hit '));
      told.push(await use(each, 'search_text', { pattern: 'hit' }, rules));
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      assert.match(told[0] ?? '', /seen\/a\.ts/);
      assert.doesNotMatch(told[0] ?? '', /private|\.env|to-x/);
      assert.deepEqual(new Set(told).size, 1);
    }
    await vscode.workspace.fs.delete(uri('private'), { recursive: true });
  });

  it('an open notebook is read with its unsaved content', async () => {
    const cell = (source: string) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [source] });
    await write('tide.ipynb', JSON.stringify({ nbformat: 4, nbformat_minor: 2, metadata: {}, cells: [cell('print(1)')] }));
    assert.match(await use(fs, 'read_file', { path: 'tide.ipynb' }), /^\[cell 1: \w+\]\nprint\(1\)$/);
    const notebook = await vscode.workspace.openNotebookDocument(uri('tide.ipynb'));
    const edit = new vscode.WorkspaceEdit();
    const added = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, '# High water', 'markdown');
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(1, [added])]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(await use(fs, 'read_file', { path: 'tide.ipynb' }), /^\[cell 1: \w+\]\nprint\(1\)\n\n\[cell 2: markdown\]\n# High water$/);
    await notebook.save();
    await vscode.workspace.fs.delete(uri('tide.ipynb'));
  });
});
