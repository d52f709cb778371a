import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { memoryOf } from '../../src/hosts/vscode/memory.ts';
import { Pages } from '../../src/hosts/vscode/panel/pages/pages.ts';
import { PanelMentions } from '../../src/hosts/vscode/panel/panel-mentions.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { until } from '../support/until.ts';

describe('context in the editor', () => {
  let api: Api;
  before(async () => {
    api = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
  });

  describe('the files that a mention can name', () => {
    it('are read again when a folder was created, renamed or deleted by another program', async function () {
      this.timeout(300_000);
      const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath as string;
      const posted: ToPanel[] = [];
      const mentions = new PanelMentions(api.kedge, (message) => posted.push(message));
      const found = async () => {
        posted.length = 0;
        await mentions.find('zebrafish');
        const last = posted.filter((each) => each.type === 'mentions_found').at(-1);
        return last?.choices.map(({ ref }) => ref.path).join() ?? '';
      };
      try {
        assert.equal(await found(), '');
        await mkdir(join(root, 'watched/deep'), { recursive: true });
        await writeFile(join(root, 'watched/deep/zebrafish.ts'), '');
        await until('the created file', async () => (await found()) === 'watched/deep/zebrafish.ts');
        await vscode.workspace.fs.rename(vscode.Uri.file(join(root, 'watched/deep')), vscode.Uri.file(join(root, 'watched/low')));
        await until('the renamed file', async () => (await found()) === 'watched/low/zebrafish.ts');
        await rm(join(root, 'watched'), { recursive: true });
        await until('the deleted file', async () => (await found()) === '');
      } finally {
        mentions.dispose();
        await rm(join(root, 'watched'), { recursive: true, force: true });
      }
    });
  });

  describe('the output of the last command in a terminal', () => {
    it('can be mentioned, with its command and exit code', async function () {
      this.timeout(600_000);
      const terminal = vscode.window.createTerminal({ name: 'harbour', shellPath: '/bin/bash' });
      try {
        // The directory is known when the first prompt is shown. A command that is typed before it may be lost.
        await until('the first prompt', () => terminal.shellIntegration?.cwd !== undefined);
        const ended = new Promise<void>((resolve) => {
          const listener = vscode.window.onDidEndTerminalShellExecution((event) => {
            if (event.terminal !== terminal) return;
            listener.dispose();
            resolve();
          });
        });
        // VS Code does not report output that arrives together with the mark of the command's start.
        terminal.shellIntegration?.executeCommand('sleep 3; echo high tide; (exit 3)');
        await ended;
        const mentions = await api.kedge.assistant.mentions(await api.kedge.sessions.current());
        const read = async () => {
          const { parts } = await mentions.read([{ kind: 'terminal' }], () => false, new AbortController().signal);
          return parts.map((part) => (part.type === 'note' ? part.text : '')).join();
        };
        const wanted = /\nhigh tide\n\[exit code 3\]$/;
        await until('the output and the exit code', async () => wanted.test(await read())).catch(async () =>
          assert.match(await read(), wanted),
        );
        assert.match(await read(), /^\$ sleep 3; echo high tide; \(exit 3\)\n/);
      } finally {
        terminal.dispose();
      }
    });
  });

  describe('the memory in the panel', () => {
    let posted: ToPanel[];
    let pages: Pages;
    const path = () => memoryOf(api.kedge).path('workspace');
    const last = () => posted.filter((each) => each.type === 'page' && each.name === 'memory').at(-1)?.data;
    const texts = () => last()?.lists[0]?.entries.map(({ text }) => text);

    beforeEach(async () => {
      posted = [];
      pages = new Pages(api.kedge, (message) => posted.push(message));
      await writeFile(path(), '- one\n- two\n- three\n');
    });
    afterEach(async () => {
      pages.dispose();
      await writeFile(path(), '');
    });

    it('lists the entries, deletes one, and restores it at its place', async () => {
      await pages.show('memory');
      assert.deepEqual([texts(), last()?.lists[1]?.scope], [['one', 'two', 'three'], 'user']);
      await pages.handle({ page: 'memory', type: 'delete_memory', scope: 'workspace', entry: { line: 2, text: 'two' } });
      assert.equal(await readFile(path(), 'utf8'), '- one\n- three\n');
      assert.deepEqual([texts(), last()?.deleted], [['one', 'three'], { scope: 'workspace', text: 'two' }]);
      await pages.handle({ page: 'memory', type: 'restore_memory' });
      assert.equal(await readFile(path(), 'utf8'), '- one\n- two\n- three\n');
      assert.deepEqual([texts(), last()?.deleted], [['one', 'two', 'three'], undefined]);
      await assert.rejects(
        pages.handle({ page: 'memory', type: 'delete_memory', scope: 'workspace', entry: { line: 2, text: 'four' } }),
        /no longer in the memory/,
      );
    });

    it('is listed again when another window or the model adds an entry', async function () {
      this.timeout(120_000);
      await pages.show('memory');
      await memoryOf(api.kedge).add('workspace', 'four');
      await until('the added entry', () => texts()?.includes('four') === true);
    });

    it('opens the file at the line of an entry, and deletes nothing while it has unsaved changes', async () => {
      await pages.show('memory');
      await pages.handle({ page: 'memory', type: 'open_memory', scope: 'workspace', line: 2 });
      const editor = vscode.window.activeTextEditor;
      assert.deepEqual([editor?.document.uri.fsPath, editor?.selection.active.line], [path(), 1]);
      await editor?.edit((edit) => edit.insert(new vscode.Position(0, 0), '- zero\n'));
      const entry = { line: 3, text: 'two' };
      await assert.rejects(pages.handle({ page: 'memory', type: 'delete_memory', scope: 'workspace', entry }), /unsaved changes/);
      await editor?.document.save();
      await pages.handle({ page: 'memory', type: 'delete_memory', scope: 'workspace', entry });
      assert.equal(await readFile(path(), 'utf8'), '- zero\n- one\n- three\n');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    });
  });
});
