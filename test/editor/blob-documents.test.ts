import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { openDiffs, reviewRun } from '../../src/hosts/vscode/files/blob-documents.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { until } from '../support/until.ts';

describe('the review of a run', () => {
  let kedge: Kedge;
  let before: string;
  let file: vscode.Uri;
  beforeEach(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    before = await kedge.blobs.put(encodeText('low\n'));
    file = kedge.fs.uri({ folder: 0, path: 'reviewed.txt' });
    await vscode.workspace.fs.writeFile(file, encodeText('high\n'));
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(file);
  });
  const tab = () => vscode.window.tabGroups.activeTabGroup.activeTab;
  const open = (uri: (candidate: vscode.Uri) => boolean) => vscode.workspace.textDocuments.find((document) => uri(document.uri));

  it('compares the earlier content with the current files', async () => {
    const after = await kedge.blobs.put(encodeText('something else\n'));
    const staged = [
      { runId: 'run', change: { path: 'reviewed.txt', before, after } },
      { runId: 'run', change: { path: 'gone.txt', before, after: undefined } },
      { runId: 'another', change: { path: 'other.txt', before, after } },
    ];
    await reviewRun({ state: { staged, runs: new Map([['run', { prompt: 'Lower it' }]]) } } as unknown as Session, 'run', kedge.fs);
    await until('the review', async () => tab()?.label.startsWith('Changes in this run: Lower it'));
    await until('the file in it', async () => open((uri) => uri.toString() === file.toString()));
    await until(
      'what it was before',
      async () => open(({ scheme, path }) => scheme === 'kedge-blob' && path === file.path)?.getText() === 'low\n',
    );
    const gone = () => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'kedge-blob' && uri.path.endsWith('/gone.txt'));
    await until('the file that is gone', async () => gone().length === 2);
    assert.deepEqual(
      gone()
        .map((document) => document.getText())
        .sort(),
      ['', 'low\n'],
    );
  });

  it('shows the proposed changes of a call', async () => {
    const after = await kedge.blobs.put(encodeText('middle\n'));
    const changes = [{ path: 'reviewed.txt', kind: 'edit', before, after }];
    const events = [{ type: 'approval_requested', callId: 'call', changes }];
    const list = { select: (keep: (event: object) => boolean) => events.filter(keep) };
    await openDiffs({ events: list } as unknown as Session, 'call', kedge.fs);
    await until('the proposed text', async () => open(({ query }) => query === after)?.getText() === 'middle\n');
  });

  it('shows read-only texts', async () => {
    const uri = vscode.Uri.from({ scheme: 'kedge-blob', path: '/reviewed.txt', query: before });
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), 'low\n');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('kedge-blob'), false);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, encodeText('x')));
    const lost = await vscode.workspace.openTextDocument(uri.with({ query: '0'.repeat(64) }));
    assert.equal(lost.getText(), 'This content is no longer stored.');
  });
});
