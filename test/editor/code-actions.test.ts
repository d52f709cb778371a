import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { textOf } from '../../src/core/model/messages.ts';
import { mentionsOf } from '../../src/core/model/notes.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { until } from '../support/until.ts';

describe('Explain, Fix and Write Tests in the editor', () => {
  let kedge: Kedge;
  let file: vscode.Uri;
  let problems: vscode.DiagnosticCollection;

  before(async () => {
    kedge = ((await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate()) ?? assert.fail('Kedge is not installed.')).kedge;
    file = kedge.fs.uri({ folder: 0, path: 'actions/dock.txt' });
    problems = vscode.languages.createDiagnosticCollection('actions');
  });
  beforeEach(async () => {
    await vscode.workspace.fs.writeFile(file, encodeText(Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('')));
    await kedge.sessions.show(await kedge.assistant.newSession());
  });
  afterEach(async () => {
    await (await kedge.sessions.current()).stop();
    problems.clear();
    await kedge.setMode('ask');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(file, '..'), { recursive: true });
  });
  after(() => problems.dispose());

  async function lastRun(): Promise<{ mode: string; prompt: string; mentions: unknown[] }> {
    const session = await kedge.sessions.current();
    const run = await until('the run', () => session.state.lastRun);
    const message = await until('its message', () => session.state.messages.find(({ role }) => role === 'user'));
    return { mode: run.mode, prompt: textOf(message), mentions: mentionsOf(message) };
  }

  const at = (line: number) => new vscode.Range(line, 0, line, 4);
  const around = { kind: 'selection', path: 'actions/dock.txt', lines: { from: 10, to: 30 } };

  it('are offered for a problem, and send it with the lines around it', async () => {
    await vscode.window.showTextDocument(file);
    const problem = new vscode.Diagnostic(at(19), 'The dock\nis full.', vscode.DiagnosticSeverity.Error);
    problem.source = 'harbour';
    problems.set(file, [problem]);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', file, at(19));
    const ours = actions.filter(({ title }) => title.endsWith('with Kedge'));
    assert.deepEqual(
      ours.map(({ title, kind }) => [title, kind?.value]),
      [
        ['Fix with Kedge', 'quickfix'],
        ['Explain with Kedge', 'quickfix'],
      ],
    );
    const { command } = ours[0] ?? {};
    await vscode.commands.executeCommand(command?.command ?? '', ...(command?.arguments ?? []));
    assert.deepEqual(await lastRun(), {
      mode: 'agent',
      prompt: 'Fix this problem in actions/dock.txt:\n\n- line 20: The dock is full. (harbour)',
      mentions: [around],
    });
    assert.equal(kedge.mode, 'agent');
  });

  it('offer a rename of the confirmed plan on its symbol, which the language of the file carries out', async () => {
    // The other tests read their file while the editor may still hold the text of this one.
    const renamed = kedge.fs.uri({ folder: 0, path: 'actions/pier.txt' });
    await vscode.workspace.fs.writeFile(renamed, encodeText('dock and dock\n'));
    await vscode.window.showTextDocument(renamed);
    const session = await kedge.sessions.current();
    const range = new vscode.Range(0, 9, 0, 9);
    const rename = async () => {
      const refactor = vscode.CodeActionKind.RefactorRewrite.value;
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        renamed,
        range,
        refactor,
        9,
      );
      return actions.find(({ title }) => title === "Rename to 'quay' (from the plan)");
    };
    const provider = vscode.languages.registerRenameProvider(
      { pattern: '**/pier.txt' },
      {
        provideRenameEdits(document, position, newName) {
          const edit = new vscode.WorkspaceEdit();
          edit.replace(document.uri, document.getWordRangeAtPosition(position) ?? range, newName);
          return edit;
        },
      },
    );
    try {
      await session.prompt({ text: 'Rename dock to quay in actions/**', mode: 'plan' });
      const [plan] = session.state.plans.keys();
      assert.equal(await rename(), undefined, 'the plan is not confirmed');
      void session.plans.answer(plan ?? '', 'run');
      await until('the confirmed plan', () => session.state.plans.get(plan ?? '')?.status === 'confirmed');
      const edit = (await rename())?.edit ?? assert.fail('The rename is not offered.');
      await vscode.workspace.applyEdit(edit);
      const document = await vscode.workspace.openTextDocument(renamed);
      assert.equal(document.getText(), 'dock and quay\n');
      await document.save();
    } finally {
      provider.dispose();
    }
  });

  it('explain the selection in Ask mode', async () => {
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(2, 0, 5, 0);
    await vscode.commands.executeCommand('kedge.explain');
    assert.deepEqual(await lastRun(), {
      mode: 'ask',
      prompt: 'Explain actions/dock.txt:3-5.',
      mentions: [{ kind: 'selection', path: 'actions/dock.txt', lines: { from: 3, to: 5 } }],
    });
  });

  it('write tests for the files that are selected in the explorer', async () => {
    await vscode.commands.executeCommand('kedge.writeTests', file, [file]);
    const { mode, prompt, mentions } = await lastRun();
    assert.equal(mode, 'agent');
    assert.match(prompt, /^Write tests for actions\/dock\.txt\. /);
    assert.deepEqual(mentions, [{ kind: 'file', path: 'actions/dock.txt' }]);
  });

  it('fix a failed test with its message', async () => {
    const message = { message: 'is too deep', expectedOutput: '3', actualOutput: '4' };
    await vscode.commands.executeCommand('kedge.fixTest', { test: { label: 'floats', uri: file }, message });
    const { mode, prompt, mentions } = await lastRun();
    assert.equal(mode, 'agent');
    assert.equal(prompt, 'The test “floats” in actions/dock.txt fails. Find the cause and fix it.');
    assert.deepEqual(mentions, [
      { kind: 'file', path: 'actions/dock.txt' },
      { kind: 'attachment', name: 'test failure' },
    ]);
  });

  it('are not sent for a file that is hidden', async () => {
    const hidden = kedge.fs.uri({ folder: 0, path: '.kedgeignore' });
    await vscode.workspace.fs.writeFile(hidden, encodeText('actions\n'));
    try {
      await vscode.commands.executeCommand('kedge.explain', file, [file]);
      assert.equal((await kedge.sessions.current()).state.lastRun, undefined);
    } finally {
      await vscode.workspace.fs.delete(hidden);
    }
  });
});
