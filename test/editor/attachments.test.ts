import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MentioningSession } from '../../src/app/mentions/index.ts';
import { mentionLabel } from '../../src/core/model/mentions.ts';
import { begin } from '../../src/hosts/vscode/actions/begin.ts';
import { addMentions } from '../../src/hosts/vscode/add-mention.ts';
import { attachmentsOf } from '../../src/hosts/vscode/chat/attachments.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { openPaths } from '../../src/hosts/vscode/mentions.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { encodeText } from '../../src/workspace/content.ts';

describe('references in the native Chat', () => {
  let kedge: Api['kedge'];
  let fs: VsCodeFileSystem;

  before(async () => {
    ({ kedge } = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate());
    fs = kedge.fs;
    await vscode.workspace.fs.writeFile(fs.uri({ folder: 0, path: 'ref/tide.ts' }), encodeText('one\ntwo\nthree\n'));
  });

  const uri = (path: string) => fs.uri({ folder: 0, path });
  let session: MentioningSession = { state: { rules: [] } };
  const read = (...values: unknown[]) =>
    attachmentsOf(
      values.map((value) => ({ id: 'x', value }) as vscode.ChatPromptReference),
      kedge,
      session,
      new AbortController().signal,
    );
  const textOf = async (value: unknown) => {
    const { parts } = await read(value);
    return parts.map((part) => (part.type === 'note' ? `${part.ref && mentionLabel(part.ref)}\n${part.text}` : part.type)).join('\n');
  };
  const refusalOf = async (value: unknown) => {
    const { parts, refused } = await read(value);
    assert.deepEqual(parts, []);
    return refused[0]?.reason;
  };

  it('a file is sent with its content and path, and with its unsaved text', async () => {
    assert.equal(await textOf(uri('ref/tide.ts')), 'ref/tide.ts\n1\tone\n2\ttwo\n3\tthree');
    const document = await vscode.workspace.openTextDocument(uri('ref/tide.ts'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'zero\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(await textOf(uri('ref/tide.ts')), 'ref/tide.ts\n1\tzero\n2\tone\n3\ttwo\n4\tthree');
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('a selection is sent with its lines only', async () => {
    const selection = new vscode.Location(uri('ref/tide.ts'), new vscode.Range(1, 0, 2, 5));
    assert.equal(await textOf(selection), 'ref/tide.ts:2-3\n2\ttwo\n3\tthree\n[lines 2-3 of 3]');
  });

  it('a directory is listed', async () => {
    assert.equal(await textOf(uri('ref')), 'ref/\ntide.ts');
  });

  it('an image is sent as an image, from a file or pasted; a text file with the name of an image is not', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
    await vscode.workspace.fs.writeFile(uri('ref/dot.png'), png);
    await vscode.workspace.fs.writeFile(uri('ref/fake.png'), new Uint8Array([0, 1, 2]));
    const pasted = { mimeType: 'image/png', data: async () => new Uint8Array(png) };
    const { parts } = await read(uri('ref/dot.png'), pasted);
    const images = parts.filter(({ type }) => type === 'image');
    assert.deepEqual(images, Array(2).fill({ type: 'image', mediaType: 'image/png', data: png.toString('base64') }));
    assert.match(await textOf(uri('ref/fake.png')), /is a binary file/);
    const other = { mimeType: 'image/tiff', data: async () => new Uint8Array(3) };
    assert.equal(await textOf(other), 'x\nA file of the type image/tiff with 3 bytes, which cannot be shown.');
  });

  it('a file excluded by .kedgeignore is refused with the reason', async () => {
    await vscode.workspace.fs.writeFile(uri('.kedgeignore'), encodeText('ref/hidden.txt\n'));
    await vscode.workspace.fs.writeFile(uri('ref/hidden.txt'), encodeText('treasure'));
    assert.equal(await refusalOf(uri('ref/hidden.txt')), 'ref/hidden.txt is excluded by .kedgeignore.');
    await vscode.workspace.fs.delete(uri('.kedgeignore'));
    await vscode.workspace.fs.delete(uri('ref/hidden.txt'));
  });

  it('a file is refused by a rule of the session', async () => {
    session = { state: { rules: [{ about: { action: 'read' }, effect: 'deny' }] } };
    assert.equal(await refusalOf(uri('ref/tide.ts')), 'A rule in this session denies reading files.');
    session = { state: { rules: [] } };
  });

  it('a file outside the workspace is not sent', async () => {
    assert.equal(await refusalOf(vscode.Uri.file(join(tmpdir(), 'elsewhere.txt'))), 'It is outside the workspace.');
  });
});

describe('Add to Kedge', () => {
  let kedge: Api['kedge'];
  before(async () => {
    ({ kedge } = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate());
  });

  /** The mentions that the command adds to the panel. */
  const added = async (...args: unknown[]) => {
    const sent: ToPanel[] = [];
    const panel = { reveal: async (message?: ToPanel) => void (message && sent.push(message)) };
    await addMentions(kedge, panel, args);
    return sent.map((message) => (message.type === 'add_mention' ? mentionLabel(message.ref) : message.type));
  };

  it('adds the selection of the editor, the files of the explorer, and files of source control', async () => {
    const uri = (path: string) => kedge.fs.uri({ folder: 0, path });
    await vscode.workspace.fs.writeFile(uri('ref/tide.ts'), encodeText('one\ntwo\nthree\n'));
    await vscode.window.showTextDocument(uri('ref/tide.ts'), { selection: new vscode.Range(0, 0, 2, 0) });
    assert.deepEqual(await added(), ['ref/tide.ts:1-2']);
    assert.deepEqual(await added(uri('ref/tide.ts')), ['ref/tide.ts:1-2']);
    assert.deepEqual(await added(uri('ref/tide.ts'), [uri('ref/tide.ts'), uri('ref')]), ['ref/tide.ts', 'ref/']);
    assert.deepEqual(await added({ resourceUri: uri('ref/tide.ts') }), ['ref/tide.ts']);
    assert.deepEqual(openPaths(kedge.fs)[0], 'ref/tide.ts');
    await assert.rejects(added(vscode.Uri.file(join(tmpdir(), 'elsewhere.txt'))), /Only files in the workspace/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('adds nothing that a rule of the shown session denies, and neither does a run that is begun in the editor', async () => {
    const file = kedge.fs.uri({ folder: 0, path: 'ref/tide.ts' });
    const session = await kedge.assistant.newSession();
    await kedge.sessions.show(session);
    session.note({ type: 'session_permission_set', about: { action: 'read' }, effect: 'deny' });
    const denied = /A rule in this session denies reading files\./;
    await assert.rejects(added(file), denied);
    const begun = begin(
      kedge,
      { reveal: async () => undefined },
      { text: 'go', mode: 'ask', refs: [{ kind: 'file', path: 'ref/tide.ts' }] },
    );
    await assert.rejects(begun, denied);
    assert.equal(session.state.runs.size, 0);
    await kedge.sessions.show(await kedge.assistant.newSession());
    assert.deepEqual(await added(file), ['ref/tide.ts']);
    await kedge.assistant.removeSession(session.id);
  });
});
