import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant } from '../../src/app/assistant.ts';
import type { Session } from '../../src/app/session/session.ts';
import type { ModelEvent } from '../../src/core/model/model.ts';
import type { AgentEvent } from '../../src/core/session/events.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { VsCodeWriter } from '../../src/hosts/vscode/files/writer.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import type { EditedProposal, Proposals } from '../../src/hosts/vscode/review-proposals.ts';
import { call, type ScriptedTurn, say, scriptedAdapter, turn } from '../../src/providers/scripted/index.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { decodeText, encodeText } from '../../src/workspace/content.ts';
import { parsePath } from '../../src/workspace/paths.ts';
import { until } from '../support/until.ts';

const FILES = 200;
/** OpenAI's models are offered patches. */
const MODEL = { provider: 'scripted', model: 'gpt-scripted' };
const done = turn(say('Done.'));
const lines = (...changed: [number, string][]) =>
  Array.from({ length: 30 }, (_, index) => `${changed.find(([at]) => at === index)?.[1] ?? `line ${index}`}\n`).join('');
const section = (path: string, ...changed: [number, string][]) =>
  `*** Update File: ${path}\n${changed.map(([at, text]) => `@@\n-line ${at}\n+${text}\n`).join('')}`;
const patch = (...sections: string[]): ModelEvent[] => call('apply_patch', { input: `*** Begin Patch\n${sections.join('')}*** End Patch` });
const TWO: [number, string][] = [
  [2, 'two'],
  [25, 'twenty-five'],
];

describe('the review of changes in VS Code', () => {
  let kedge: Kedge;
  let proposals: Proposals;
  let storage: string;
  let fs: VsCodeFileSystem;
  let session: Session;
  let events: AgentEvent[];

  before(async () => {
    const api = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate()) ?? assert.fail('Kedge is not installed.');
    kedge = api.kedge;
    proposals = api.proposals;
  });
  beforeEach(async () => {
    storage = await mkdtemp(join(tmpdir(), 'kedge-review-'));
  });
  afterEach(async () => {
    session.close();
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(uri('reviewed'), { recursive: true }).then(undefined, () => undefined);
    await rm(storage, { recursive: true, force: true });
  });

  /** Starts a session of the real assistant on the editor's own files. Only the model is scripted. */
  async function open(script: ScriptedTurn[], folders: VsCodeFileSystem = kedge.fs): Promise<void> {
    fs = folders;
    const assistant = new Assistant({
      fileSystem: () => fs,
      writer: () => new VsCodeWriter(fs),
      blobs: kedge.blobs,
      store: new SessionStore(storage),
      settings: { model: () => MODEL, limits: (mode) => kedge.settings.limits(mode) },
      adapter: async () => scriptedAdapter(script),
      trusted: () => true,
      grants: { list: () => [], add: () => undefined },
    });
    session = await assistant.newSession();
    events = [];
    session.subscribe((event) => events.push(event));
  }

  const uri = (path: string) => fs.uri(parsePath(path, fs.folders));
  const write = (path: string, text: string) => vscode.workspace.fs.writeFile(uri(path), encodeText(text));
  const onDisk = async (path: string) => decodeText(await vscode.workspace.fs.readFile(uri(path)));
  const last = <Type extends AgentEvent['type']>(type: Type) =>
    events.findLast((event): event is Extract<AgentEvent, { type: Type }> => event.type === type) ?? assert.fail(`There was no ${type}.`);

  /** Sends a prompt, and resolves when the run asks for an approval. */
  async function asked(): Promise<{ approval: Extract<AgentEvent, { type: 'approval_requested' }>; ended: Promise<void> }> {
    const question = new Promise<Extract<AgentEvent, { type: 'approval_requested' }>>((resolve) => {
      session.subscribe((event) => event.type === 'approval_requested' && resolve(event));
    });
    const ended = session.prompt({ text: 'go', mode: 'agent' });
    return { approval: await question, ended };
  }

  const many = Array.from({ length: FILES }, (_, index) => `reviewed/many/file-${index}.txt`);
  const manyAre = async (expected: (index: number) => string) => {
    const { result } = last('tool_finished');
    assert.ok(!result.isError, JSON.stringify(result).slice(0, 1_000));
    const found = await Promise.all(many.map(onDisk));
    const wrong = found.findIndex((text, index) => text !== expected(index));
    if (wrong >= 0) assert.equal(found[wrong], expected(wrong), `file ${wrong}`);
  };

  /** Like `manyAre`, but checks the content in the editor, saved or not. */
  const inEditor = async (expected: (index: number) => string) => {
    for (const [index, path] of many.entries()) {
      if ((await vscode.workspace.openTextDocument(uri(path))).getText() !== expected(index)) return false;
    }
    return true;
  };

  it('edits a file with unsaved changes, leaves it unsaved, and undoes only its own change', async () => {
    await open([turn(patch(section('reviewed/a.txt', ...TWO))), done]);
    await write('reviewed/a.txt', lines());
    const document = await vscode.workspace.openTextDocument(uri('reviewed/a.txt'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(12, 0), 'mine\n'));
    const { approval, ended } = await asked();
    await session.answerApproval(approval.approvalId, { approve: true, revised: { 'reviewed/a.txt': { without: [0] } } });
    await ended;
    const mine = (text: string) => text.replace('line 12\n', 'mine\nline 12\n');
    assert.equal(document.getText(), mine(lines([25, 'twenty-five'])));
    assert.ok(document.isDirty);
    assert.equal(await onDisk('reviewed/a.txt'), lines());
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine too\n'));
    await session.changes.restore({ runId: session.state.lastRun?.runId ?? '' });
    assert.equal(last('changes_restored').results[0]?.outcome, 'merged');
    assert.equal(document.getText(), `mine too\n${mine(lines())}`);
  });

  it('changes nothing if a file changed on disk between the preview and the approval, and says so', async () => {
    await open([turn(patch(section('reviewed/a.txt', ...TWO), section('reviewed/b.txt', ...TWO))), done]);
    await write('reviewed/a.txt', lines());
    await write('reviewed/b.txt', lines());
    const { approval, ended } = await asked();
    await writeFile(uri('reviewed/b.txt').fsPath, lines([9, 'theirs']));
    await session.answerApproval(approval.approvalId, { approve: true, revised: { 'reviewed/a.txt': { without: [1] } } });
    await ended;
    assert.deepEqual([await onDisk('reviewed/a.txt'), await onDisk('reviewed/b.txt')], [lines(), lines([9, 'theirs'])]);
    assert.match(
      JSON.stringify(last('tool_finished').result),
      /reviewed\/b\.txt was changed after this change was prepared\. Nothing was changed\. Read the file again\./,
    );
  });

  it('writes the proposal as the user edited it, after the edit was saved', async () => {
    fs = kedge.fs;
    await write('reviewed/a.txt', 'tideMark one\nkept\n');
    session = await kedge.assistant.newSession();
    events = [];
    session.subscribe((event) => events.push(event));
    const question = new Promise<Extract<AgentEvent, { type: 'approval_requested' }>>((resolve) => {
      session.subscribe((event) => event.type === 'approval_requested' && resolve(event));
    });
    const ended = session.prompt({ text: 'Rename tideMark to waterMark in reviewed/**', mode: 'agent' });
    const { approvalId } = await question;
    await proposals.open(session, approvalId, 'reviewed/a.txt', []);
    const editor = await until('the proposal', async () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'kedge-proposal'),
    );
    assert.equal(editor.document.getText(), 'waterMark one\nkept\n');
    await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), 'mine\n'));
    assert.throws(() => proposals.expectSaved(approvalId), /Save or revert it first/);
    const edited = new Promise<EditedProposal>((resolve) => proposals.onDidEdit(resolve));
    assert.ok(await editor.document.save());
    const { content, added, path } = await edited;
    assert.deepEqual([path, added], ['reviewed/a.txt', 2]);
    proposals.expectSaved(approvalId);
    assert.deepEqual(
      (await proposals.of(session)).map((each) => each.content),
      [content],
    );
    await session.answerApproval(approvalId, { approve: true, revised: { [path]: { content } } });
    await ended;
    assert.equal(await onDisk(path), 'waterMark one\nmine\nkept\n');
    await proposals.close(approvalId);
    assert.deepEqual(await proposals.of(session), []);
    await until(
      'the proposal to close',
      async () => !vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === 'kedge-proposal'),
    );
    await assert.rejects(async () => vscode.workspace.fs.writeFile(editor.document.uri, encodeText('too late')));
  });

  it('renames in 200 files as one change: one hunk is rejected, one step undoes it, and it is restored', async () => {
    const rename = turn(patch(...many.map((path) => section(path, ...TWO))));
    await open([rename, done, rename, done]);
    await Promise.all(many.map((path) => write(path, lines())));
    const { approval, ended } = await asked();
    assert.equal(approval.changes.length, FILES);
    const refused = many[7] as string;
    await session.answerApproval(approval.approvalId, { approve: true, revised: { [refused]: { without: [1] } } });
    await ended;
    await manyAre((index) => (index === 7 ? lines([2, 'two']) : lines(...TWO)));
    assert.match(JSON.stringify(last('tool_finished').result), /file-7\.txt: the diff from your proposal to the written content/);
    await vscode.window.showTextDocument(uri(refused));
    await vscode.commands.executeCommand('undo');
    await until('the undo, in all files', () => inEditor(() => lines()));
    assert.ok(await vscode.workspace.saveAll());
    const again = await asked();
    const [first = ''] = session.state.runs.keys();
    await session.answerApproval(again.approval.approvalId, { approve: true, revised: { [refused]: 'refused' } });
    await again.ended;
    await manyAre((index) => (index === 7 ? lines() : lines(...TWO)));
    await session.changes.restore({ runId: first });
    assert.ok(await inEditor(() => lines()));
    assert.equal(last('changes_restored').results.filter(({ outcome }) => outcome === 'restored').length, FILES - 1);
  });

  it('renames in 200 files with a plan and without a question; one hunk is undone in the review, then all is restored', async () => {
    const plan = { goal: 'Rename', steps: [{ title: 'Rename in all files', files: ['reviewed/many/*.txt'] }] };
    await open([turn(call('propose_plan', plan)), turn(patch(...many.map((path) => section(path, ...TWO)))), done]);
    await Promise.all(many.map((path) => write(path, lines())));
    await session.prompt({ text: 'plan it', mode: 'plan' });
    await session.plans.answer(last('plan_proposed').plan.id, 'run');
    assert.ok(!events.some(({ type }) => type === 'approval_requested'));
    await manyAre(() => lines(...TWO));
    const { runId = '' } = session.state.lastRun ?? {};
    const path = many[7] as string;
    const review = await session.changes.review(runId, path);
    assert.ok('digest' in review && review.added === 2);
    await session.changes.undo(runId, { path, hunk: { index: 1, digest: review.digest } });
    await manyAre((index) => (index === 7 ? lines([2, 'two']) : lines(...TWO)));
    await session.changes.restore({ runId });
    await manyAre(() => lines());
    await session.changes.restore({ undoId: last('changes_restored').undoId });
    await manyAre((index) => (index === 7 ? lines([2, 'two']) : lines(...TWO)));
  });

  it('works the same in a virtual file system, and in two folders at once', async () => {
    const scheme = 'kedge-review-test';
    const memory = new MemoryFiles();
    const registration = vscode.workspace.registerFileSystemProvider(scheme, memory, { isCaseSensitive: true });
    try {
      const real = vscode.Uri.joinPath(kedge.fs.uri({ folder: 0, path: '' }), 'reviewed');
      await vscode.workspace.fs.createDirectory(real);
      const folders = [
        { name: 'virtual', uri: vscode.Uri.from({ scheme, path: '/' }), index: 0 },
        { name: 'real', uri: real, index: 1 },
      ];
      const script = [
        turn(patch(section('virtual/a.txt', ...TWO), section('real/a.txt', ...TWO), '*** Add File: virtual/new.txt\n+n\n')),
        done,
      ];
      await open(script, new VsCodeFileSystem(folders, async () => undefined));
      await write('virtual/a.txt', lines());
      await write('real/a.txt', lines());
      const { approval, ended } = await asked();
      await session.answerApproval(approval.approvalId, { approve: true, revised: { 'virtual/a.txt': { without: [0] } } });
      await ended;
      assert.deepEqual([await onDisk('virtual/a.txt'), await onDisk('real/a.txt')], [lines([25, 'twenty-five']), lines(...TWO)]);
      assert.equal(await onDisk('virtual/new.txt'), 'n\n');
      await write('virtual/a.txt', lines([9, 'theirs'], [25, 'twenty-five']));
      await session.changes.restore({ runId: session.state.lastRun?.runId ?? '' });
      assert.deepEqual([await onDisk('virtual/a.txt'), await onDisk('real/a.txt')], [lines([9, 'theirs']), lines()]);
      await assert.rejects(async () => vscode.workspace.fs.stat(uri('virtual/new.txt')));
      fs = kedge.fs;
    } finally {
      registration.dispose();
    }
  });
});

/** A file system that exists only in memory. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, { bytes: Uint8Array; mtime: number }>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #clock = 1;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat({ path }: vscode.Uri): vscode.FileStat {
    const file = this.#files.get(path);
    if (file) return { type: vscode.FileType.File, ctime: 0, mtime: file.mtime, size: file.bytes.length };
    if (path !== '/') throw vscode.FileSystemError.FileNotFound(path);
    return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
  }

  readDirectory(): [string, vscode.FileType][] {
    return [...this.#files.keys()].map((path) => [path.slice(1), vscode.FileType.File]);
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    return this.#files.get(path)?.bytes ?? assert.fail(path);
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const type = this.#files.has(uri.path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.#files.set(uri.path, { bytes, mtime: this.#clock++ });
    this.#changed.fire([{ type, uri }]);
  }

  delete(uri: vscode.Uri): void {
    this.#files.delete(uri.path);
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  createDirectory(): void {}

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }
}
