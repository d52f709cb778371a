import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { decodeText, encodeText } from '../../src/workspace/content.ts';
import { until } from '../support/until.ts';

const filler = Array.from({ length: 20 }, (_, index) => `// ${index}\n`).join('');
const text = (first: string, second: string) => `let ${first} = 1;\n${filler}let ${second} = 2;\n`;
const [OLD, NEW] = ['tideMark', 'waterMark'];

describe('the review of changes in the editor', () => {
  let kedge: Kedge;
  let session: Session;
  let root: vscode.Uri;

  before(async () => {
    kedge = ((await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate()) ?? assert.fail('Kedge is not installed.')).kedge;
    root = kedge.fs.uri({ folder: 0, path: 'reviewed' });
  });
  afterEach(async () => {
    await session.stop();
    await vscode.commands.executeCommand('kedge.keepAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(root, { recursive: true }).then(undefined, () => undefined);
  });

  const uri = (name: string) => vscode.Uri.joinPath(root, name);
  const write = (name: string, content: string) => vscode.workspace.fs.writeFile(uri(name), encodeText(content));
  const content = async (name: string) => (await vscode.workspace.openTextDocument(uri(name))).getText();

  /** The buttons above the lines of a file, in order, as `line title`. */
  async function lenses(name: string): Promise<vscode.CodeLens[]> {
    return vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri(name), 100);
  }
  const titles = async (name: string) => (await lenses(name)).map(({ range, command }) => `${range.start.line} ${command?.title}`);
  async function press(name: string, nth: number, title: string): Promise<void> {
    const { command } = (await lenses(name)).filter((lens) => lens.command?.title.endsWith(title))[nth] ?? assert.fail(`No ${title}.`);
    if (command) await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
  }

  /** Renames in all files of `reviewed`, and resolves when the run asks. */
  async function proposed(): Promise<{ approvalId: string; ended: Promise<void> }> {
    session = await kedge.assistant.newSession();
    const asked = new Promise<string>((resolve) => {
      session.subscribe((event) => event.type === 'approval_requested' && resolve(event.approvalId));
    });
    const ended = session.prompt({ text: `Rename ${OLD} to ${NEW} in reviewed/**`, mode: 'agent' });
    const early = ended.then(() => assert.fail(`The run asked nothing: ${JSON.stringify(session.state.lastRun)}`));
    return { approvalId: await Promise.race([asked, early]), ended };
  }

  async function renamed(): Promise<void> {
    const { approvalId, ended } = await proposed();
    await session.answerApproval(approvalId, { approve: true, grant: 'run', covers: 0 });
    await ended;
  }

  /** The review follows the events of a run, and shows them soon afterwards. */
  const shows = async (name: string, expected: readonly string[]) => {
    let found: string[] = [];
    await until('the buttons', async () => {
      found = await titles(name);
      return found.join() === expected.join();
    }).catch(() => assert.deepEqual(found, expected));
  };
  const proposalAt = (line: number, choice = 'Reject This Change', approve = 'Approve All') =>
    ['Show Proposal', choice, approve, 'Reject All'].map((title) => `${line} ${title}`);
  const BOTH = ['0 Keep', '0 Undo', '0 Previous', '0 Next', '21 Keep', '21 Undo', '21 Previous', '21 Next'];

  it('keeps one hunk and undoes the other', async () => {
    await write('a.ts', text(OLD, OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    await renamed();
    await shows('a.ts', BOTH);
    await press('a.ts', 0, 'Keep');
    await shows('a.ts', ['21 Keep', '21 Undo']);
    await press('a.ts', 0, 'Undo');
    assert.equal(await content('a.ts'), text(NEW, OLD));
    assert.equal(decodeText(await vscode.workspace.fs.readFile(uri('a.ts'))), text(NEW, OLD));
    await shows('a.ts', []);
  });

  it('leaves the lines that the user has written since, and follows them', async () => {
    await write('a.ts', text(OLD, OLD));
    const editor = await vscode.window.showTextDocument(uri('a.ts'));
    await renamed();
    await editor.edit((edit) => edit.insert(new vscode.Position(10, 0), 'mine\nmine too\n'));
    await until('the buttons to follow', async () => (await titles('a.ts')).includes('23 Undo'));
    await press('a.ts', 1, 'Undo');
    assert.equal(await content('a.ts'), text(NEW, OLD).replace('// 9\n', 'mine\nmine too\n// 9\n'));
    await shows('a.ts', ['0 Keep', '0 Undo']);
  });

  it('undoes what is left of a file, and not what was kept', async () => {
    await write('a.ts', `${text(OLD, OLD)}${filler}let ${OLD} = 2;\n`);
    await vscode.window.showTextDocument(uri('a.ts'));
    await renamed();
    await until('the buttons', async () => (await titles('a.ts')).length === 12);
    await press('a.ts', 1, 'Keep');
    await vscode.commands.executeCommand('kedge.undoFile');
    assert.equal(await content('a.ts'), `${text(OLD, NEW)}${filler}let ${OLD} = 2;\n`);
    await shows('a.ts', []);
  });

  it('walks through all changed files, and begins again at the first', async () => {
    await write('a.ts', text(OLD, 'other'));
    await write('b.ts', text('other', OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    await renamed();
    await until('the buttons', async () => (await titles('a.ts')).length > 0);
    const place = () => {
      const { document, selection } = vscode.window.activeTextEditor ?? assert.fail('No editor is active.');
      return `${document.uri.path.split('/').at(-1)}:${selection.active.line}`;
    };
    const visited: string[] = [];
    for (let count = 0; count < 3; count++) {
      await vscode.commands.executeCommand('kedge.nextChange');
      visited.push(place());
    }
    assert.deepEqual(visited, ['b.ts:21', 'a.ts:0', 'b.ts:21']);
    await vscode.commands.executeCommand('kedge.previousChange');
    assert.equal(place(), 'a.ts:0');
  });

  it('shows no buttons for a run that was undone, and shows them again when the undo is undone', async () => {
    await write('a.ts', text(OLD, OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    await renamed();
    const { runId = '' } = session.state.lastRun ?? {};
    await session.changes.undo(runId);
    await shows('a.ts', []);
    const undone = session.events.findLast((event) => event.type === 'changes_undone');
    await session.changes.restore({ undoId: (undone?.type === 'changes_undone' && undone.undoId) || '' });
    await shows('a.ts', BOTH);
  });

  it('shows a proposal in the file, approves it from its diff, and closes the diff', async () => {
    await write('a.ts', text(OLD, OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    const { ended } = await proposed();
    await shows('a.ts', [...proposalAt(0), ...proposalAt(21)]);
    await press('a.ts', 0, 'Show Proposal');
    const isDiff = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff;
    await until('the diff', isDiff);
    await vscode.commands.executeCommand('kedge.approveProposal');
    await ended;
    assert.equal(await content('a.ts'), text(NEW, NEW));
    await until('the diff to close', () => !isDiff());
  });

  it('applies a proposal without the hunk that was rejected in the file', async () => {
    await write('a.ts', text(OLD, OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    const { ended } = await proposed();
    await shows('a.ts', [...proposalAt(0), ...proposalAt(21)]);
    await press('a.ts', 1, 'Reject This Change');
    const rest = 'Apply 1 of 2 Changes';
    await shows('a.ts', [...proposalAt(0, undefined, rest), ...proposalAt(21, 'Accept This Change', rest)]);
    await press('a.ts', 0, rest);
    await ended;
    assert.equal(await content('a.ts'), text(NEW, OLD));
  });

  it('rejects a proposal from the buttons in the file', async () => {
    await write('a.ts', text(OLD, OLD));
    await vscode.window.showTextDocument(uri('a.ts'));
    const { ended } = await proposed();
    await until('the buttons', async () => (await titles('a.ts')).includes('0 Reject All'));
    await press('a.ts', 0, 'Reject All');
    await ended;
    assert.equal(await content('a.ts'), text(OLD, OLD));
    await shows('a.ts', []);
  });

  it('closes the review of a run that was undone', async () => {
    await write('a.ts', text(OLD, OLD));
    await renamed();
    const { runId = '' } = session.state.lastRun ?? {};
    await vscode.commands.executeCommand('kedge.reviewRun', session.id, runId);
    const tab = () =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label.startsWith('Changes in this run: Rename'));
    await until('the review', tab);
    await session.changes.undo(runId);
    await until('the review to close', () => !tab());
  });
});
