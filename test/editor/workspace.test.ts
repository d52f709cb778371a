import assert from 'node:assert/strict';
import { realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { VsCodeWriter } from '../../src/hosts/vscode/files/writer.ts';
import { decodeText, encodeText } from '../../src/workspace/content.ts';
import { PathError, parsePath } from '../../src/workspace/paths.ts';
import type { FileChange, SearchHit } from '../../src/workspace/types.ts';

const { signal } = new AbortController();

describe('the workspace in VS Code', () => {
  let fs: VsCodeFileSystem;

  before(async () => {
    const extension = vscode.extensions.getExtension<Api>('kedge.kedge');
    fs = (await extension?.activate())?.kedge.fs as VsCodeFileSystem;
  });

  const at = (path: string) => ({ folder: 0, path });
  const uri = (path: string) => fs.uri(at(path));
  const write = (path: string, text: string) => vscode.workspace.fs.writeFile(uri(path), encodeText(text));
  const onDisk = async (path: string) => decodeText(await vscode.workspace.fs.readFile(uri(path)));
  const change = (path: string, before: string | undefined, after: string | undefined): FileChange => ({
    path,
    at: at(path),
    before: before === undefined ? undefined : encodeText(before),
    after: after === undefined ? undefined : encodeText(after),
  });
  const commit = (...changes: FileChange[]) => new VsCodeWriter(fs).commit(changes);

  it('reads the unsaved text of an open document instead of the disk, and finds it', async () => {
    await write('unsaved.txt', 'on disk\n');
    const document = await vscode.workspace.openTextDocument(uri('unsaved.txt'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'not saved '));
    const { bytes, unsaved } = await fs.read(at('unsaved.txt'));
    assert.equal(decodeText(bytes), 'not saved on disk\n');
    assert.equal(unsaved, true);
    const hits: SearchHit[] = [];
    const query = { pattern: 'not saved', regex: false, caseSensitive: true, wholeWord: false, limit: 10 };
    for await (const hit of fs.search(query, signal)) hits.push(hit);
    assert.deepEqual(hits, [{ folder: 0, path: 'unsaved.txt', line: 1, text: 'not saved on disk' }]);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('finds text in unsaved documents with the same pattern as ripgrep, and by the name of a directory', async () => {
    await write('plain/unsaved.txt', 'x\n');
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri('plain/unsaved.txt')));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'foo-bar '));
    const paths = async (pattern: string, include: string) => {
      const found: string[] = [];
      const query = { pattern, include, regex: true, caseSensitive: true, wholeWord: false, limit: 10 };
      for await (const { path } of fs.search(query, signal)) found.push(path);
      return found;
    };
    for (const pattern of ['foo\\-bar', '(?i)FOO-BAR']) assert.deepEqual(await paths(pattern, 'plain'), ['plain/unsaved.txt'], pattern);
    assert.deepEqual(await paths('foo-bar', 'plai'), []);
    assert.deepEqual(await paths('(?P<name>foo)-bar', '**'), []);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(uri('plain'), { recursive: true });
  });

  it('reads, lists and runs nothing after a link has replaced a directory', async () => {
    await write('place/a.txt', 'mine\n');
    await write('other/a.txt', 'theirs\n');
    assert.equal(decodeText((await fs.read(at('place/a.txt'))).bytes), 'mine\n');
    assert.deepEqual(await fs.list(at('place')), [{ name: 'a.txt', type: 'file' }]);
    assert.equal(fs.directory(at('place')), uri('place').fsPath);
    await vscode.workspace.fs.delete(uri('place'), { recursive: true });
    await symlink(uri('other').fsPath, uri('place').fsPath);
    const uses = [
      () => fs.read(at('place/a.txt')),
      () => fs.readRange(at('place/a.txt'), 0, 1),
      () => fs.list(at('place')),
      async () => fs.directory(at('place')),
    ];
    for (const use of uses) await assert.rejects(use, /^PathError: place\S* no longer leads to the same place/);
    for (const path of ['place', 'other']) await vscode.workspace.fs.delete(uri(path), { recursive: true });
  });

  it('edits a document with unsaved changes and leaves it unsaved', async () => {
    await write('dirty.txt', 'one\ntwo\n');
    const document = await vscode.workspace.openTextDocument(uri('dirty.txt'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine '));
    await commit(change('dirty.txt', 'mine one\ntwo\n', 'mine one\nTWO\n'));
    assert.equal(document.getText(), 'mine one\nTWO\n');
    assert.equal(document.isDirty, true);
    assert.equal(await onDisk('dirty.txt'), 'one\ntwo\n');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('saves the edited file, and Ctrl+Z undoes the edit', async () => {
    await write('plain.txt', 'one\ntwo\nthree\n');
    await commit(change('plain.txt', 'one\ntwo\nthree\n', 'one\n2\nthree\n'));
    assert.equal(await onDisk('plain.txt'), 'one\n2\nthree\n');
    const document = await vscode.workspace.openTextDocument(uri('plain.txt'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\nthree\n');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('creates, moves and deletes in one step', async () => {
    await write('old.txt', 'moved\n');
    await write('gone.txt', 'gone\n');
    const moved = { ...change('dir/new.txt', undefined, 'moved\n'), movedFrom: 'old.txt' };
    await commit(
      change('made.txt', undefined, 'made\n'),
      moved,
      change('old.txt', 'moved\n', undefined),
      change('gone.txt', 'gone\n', undefined),
    );
    assert.equal(await onDisk('made.txt'), 'made\n');
    assert.equal(await onDisk('dir/new.txt'), 'moved\n');
    assert.equal(await fs.stat(at('old.txt')), undefined);
    assert.equal(await fs.stat(at('gone.txt')), undefined);
  });

  it('keeps mixed line endings and a byte order mark', async () => {
    const before = '\uFEFFone\r\ntwo\nthree\r\n';
    await write('mixed.txt', before);
    await commit(change('mixed.txt', before, before.replace('two', 'TWO')));
    assert.equal(await onDisk('mixed.txt'), '\uFEFFone\r\nTWO\nthree\r\n');
    const crlf = 'a\r\nb\r\nc\r\n';
    await write('crlf.txt', crlf);
    await commit(change('crlf.txt', crlf, 'a\r\nB\r\nc\r\n'));
    assert.equal(await onDisk('crlf.txt'), 'a\r\nB\r\nc\r\n');
  });

  it('writes exactly the displayed text, although saving trims and adds', async () => {
    const settings = vscode.workspace.getConfiguration('files');
    await settings.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Global);
    await settings.update('insertFinalNewline', true, vscode.ConfigurationTarget.Global);
    try {
      await write('shown.txt', 'one  \ntwo');
      await commit(change('shown.txt', 'one  \ntwo', 'one  \nTWO'));
      assert.equal(await onDisk('shown.txt'), 'one  \nTWO');
    } finally {
      await settings.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Global);
      await settings.update('insertFinalNewline', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('knows the absolute paths of its folders', async () => {
    for (const path of [uri('a/b.ts').fsPath, uri('a/b.ts').toString(), join(await realpath(uri('').fsPath), 'a/b.ts')])
      assert.deepEqual(parsePath(path, fs.folders), at('a/b.ts'), path);
    assert.throws(() => parsePath(`${uri('').fsPath}-other/a.ts`, fs.folders), PathError);
  });

  it('does not follow a symbolic link out of the workspace', async () => {
    await symlink(tmpdir(), uri('out').fsPath);
    assert.equal(await fs.canonical(at('out/anything.txt')), undefined);
    assert.deepEqual(await fs.canonical(at('plain.txt')), at('plain.txt'));
    assert.deepEqual(await fs.canonical(at('not/there/yet.txt')), at('not/there/yet.txt'));
  });

  it('finds files with VS Code’s own ripgrep', async () => {
    await write('deep/er/harbour.ts', 'export {};\n');
    const { files, truncated } = await fs.find({ include: '*.ts', limit: 100 }, signal);
    assert.ok(files.some(({ path }) => path === 'deep/er/harbour.ts'));
    assert.equal(truncated, false);
  });
});
