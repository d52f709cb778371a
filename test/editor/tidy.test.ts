import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { DraftFormatter } from '../../src/hosts/vscode/files/draft-formatter.ts';
import type { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { VsCodeWriter } from '../../src/hosts/vscode/files/writer.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { decodeText, encodeText } from '../../src/workspace/content.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { Workspace } from '../../src/workspace/workspace.ts';

const { signal } = new AbortController();

describe('formatting a proposal', () => {
  let kedge: Api['kedge'];
  let fs: VsCodeFileSystem;
  const registered: vscode.Disposable[] = [];
  const uri = (path: string) => fs.uri({ folder: 0, path });
  const set = (key: string, value: boolean | undefined) =>
    vscode.workspace.getConfiguration('kedge').update(`edits.${key}`, value, vscode.ConfigurationTarget.Global);

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Api['kedge'];
    fs = kedge.fs;
    const wide = (document: vscode.TextDocument, word: RegExp, text: string) =>
      [...document.getText().matchAll(word)].map(({ index, 0: found }) =>
        vscode.TextEdit.replace(new vscode.Range(document.positionAt(index), document.positionAt(index + found.length)), text),
      );
    registered.push(
      vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.shape' },
        {
          provideDocumentFormattingEdits: (document) => wide(document, / {2,}/g, ' '),
        },
      ),
      vscode.languages.registerCodeActionsProvider(
        { pattern: '**/*.shape' },
        {
          provideCodeActions: (document) => {
            const action = new vscode.CodeAction('Organize', vscode.CodeActionKind.SourceOrganizeImports);
            action.edit = new vscode.WorkspaceEdit();
            action.edit.set(document.uri, wide(document, /import {2}b\nimport {2}a/g, 'import  a\nimport  b'));
            return [action];
          },
        },
        { providedCodeActionKinds: [vscode.CodeActionKind.SourceOrganizeImports] },
      ),
    );
  });
  after(async () => {
    for (const each of registered) each.dispose();
    await set('format', undefined);
    await set('organizeImports', undefined);
  });

  function edit() {
    const formatter = new DraftFormatter();
    registered.push(formatter);
    const workspace = new Workspace(fs);
    const gate = new WriteGate(workspace, new VsCodeWriter(fs), kedge.blobs, (at, text) => formatter.format(fs.uri(at), text));
    const tool = toolsFor(workspace, { mode: 'agent', gate }).find(({ name }) => name === 'replace_in_file');
    return tool?.prepare({ path: 'a.shape', edits: [{ old_text: 'one', new_text: 'import  b\nimport  a\ntwo   three' }] }, signal);
  }

  it('is part of the displayed change, and of nothing else', async () => {
    await vscode.workspace.fs.writeFile(uri('a.shape'), encodeText('one\n'));
    assert.match((await edit())?.changes?.[0]?.diff ?? '', /\+import {2}b\n\+import {2}a\n\+two {3}three/, 'by itself nothing is tidied');
    await set('organizeImports', true);
    assert.match((await edit())?.changes?.[0]?.diff ?? '', /\+import {2}a\n\+import {2}b\n\+two {3}three/);
    await set('format', true);
    const prepared = await edit();
    assert.match(prepared?.changes?.[0]?.diff ?? '', /\+import a\n\+import b\n\+two three/);
    assert.equal(decodeText(await vscode.workspace.fs.readFile(uri('a.shape'))), 'one\n', 'nothing has changed yet');
    assert.equal(
      vscode.workspace.textDocuments.some(({ isDirty }) => isDirty),
      false,
    );
    const idle = { progress: () => undefined, record: () => undefined, ask: async () => Promise.reject(new Error('Nobody is there.')) };
    const output = await prepared?.execute({ callId: 'tidy', signal, ...idle });
    assert.equal(
      output?.content,
      'Replaced 1 passage in a.shape.\nThe editor formatted these files. Read them before the next edit: a.shape',
    );
    assert.equal(decodeText(await vscode.workspace.fs.readFile(uri('a.shape'))), 'import a\nimport b\ntwo three\n');
    await vscode.workspace.fs.delete(uri('a.shape'));
  });

  it('works with VS Code’s own formatters', async function () {
    if (!vscode.extensions.getExtension('vscode.typescript-language-features')) return this.skip();
    await vscode.extensions.getExtension('vscode.typescript-language-features')?.activate();
    await set('format', true);
    await set('organizeImports', false);
    const formatter = new DraftFormatter();
    registered.push(formatter);
    assert.equal(await formatter.format(uri('x.ts'), 'const  a=1;\nif(a){b( );}\n'), 'const a = 1;\nif (a) { b(); }\n');
    assert.equal(await formatter.format(uri('x.json'), '{"a":1}'), '{\n    "a": 1\n}');
    assert.equal(await formatter.format(uri('x.unknown'), 'a  b'), undefined);
  });
});
