import assert from 'node:assert/strict';
import { truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { attachmentsOf } from '../../src/hosts/vscode/chat/attachments.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { encodeText } from '../../src/workspace/content.ts';

describe('references in the native Chat', () => {
  let fs: VsCodeFileSystem;

  before(async () => {
    fs = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge.fs as VsCodeFileSystem;
    await vscode.workspace.fs.writeFile(fs.uri({ folder: 0, path: 'ref/tide.ts' }), encodeText('one\ntwo\nthree\n'));
  });

  const uri = (path: string) => fs.uri({ folder: 0, path });
  const textOf = async (value: unknown) => {
    const parts = await attachmentsOf([{ id: 'x', value } as vscode.ChatPromptReference], fs);
    return parts.map((part) => (part.type === 'text' ? part.text.trim() : part.type)).join('\n');
  };

  it('a file comes with its content and path', async () => {
    assert.equal(await textOf(uri('ref/tide.ts')), '<file path="ref/tide.ts" lines="1-4">\none\ntwo\nthree\n\n</file>');
  });

  it('a selection comes with its lines only', async () => {
    const selection = new vscode.Location(uri('ref/tide.ts'), new vscode.Range(1, 0, 2, 5));
    assert.equal(await textOf(selection), '<file path="ref/tide.ts" lines="2-3">\ntwo\nthree\n</file>');
  });

  it('a directory is named', async () => {
    assert.equal(await textOf(uri('ref')), '<directory path="ref"/>');
  });

  it('an image comes as one, whether it is a file or was pasted; what only has the name of one does not', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
    await vscode.workspace.fs.writeFile(uri('ref/dot.png'), png);
    await vscode.workspace.fs.writeFile(uri('ref/fake.png'), new Uint8Array([0, 1, 2]));
    const pasted = { mimeType: 'image/png', data: async () => new Uint8Array(png) };
    const values = [uri('ref/dot.png'), pasted];
    const parts = await attachmentsOf(
      values.map((value) => ({ id: 'x', value }) as vscode.ChatPromptReference),
      fs,
    );
    assert.deepEqual(parts, Array(2).fill({ type: 'image', mediaType: 'image/png', data: png.toString('base64') }));
    assert.equal(await textOf(uri('ref/fake.png')), '<file path="ref/fake.png" binary="true"/>');
    const other = { mimeType: 'image/tiff', data: async () => new Uint8Array(3) };
    assert.equal(await textOf(other), '<attachment type="image/tiff" bytes="3" binary="true"/>');
  });

  it('what .kedgeignore hides, and what is too large, is named with the reason', async () => {
    await vscode.workspace.fs.writeFile(uri('.kedgeignore'), encodeText('ref/hidden.txt\n'));
    await vscode.workspace.fs.writeFile(uri('ref/hidden.txt'), encodeText('treasure'));
    assert.equal(await textOf(uri('ref/hidden.txt')), '<file path="ref/hidden.txt" error="ref/hidden.txt is excluded by .kedgeignore."/>');
    await vscode.workspace.fs.delete(uri('.kedgeignore'));
    await vscode.workspace.fs.writeFile(uri('ref/large.txt'), new Uint8Array(0));
    await truncate(uri('ref/large.txt').fsPath, 150_000_000);
    assert.equal(
      await textOf(uri('ref/large.txt')),
      '<file path="ref/large.txt" error="ref/large.txt is too large to read (150 MB). Use a file of at most 100 MB."/>',
    );
    await vscode.workspace.fs.delete(uri('ref/large.txt'));
  });

  it('a file outside the workspace is not sent', async () => {
    assert.equal(await textOf(vscode.Uri.file(join(tmpdir(), 'elsewhere.txt'))), '');
  });
});
