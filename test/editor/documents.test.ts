import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { collectionDirectories } from '../../src/hosts/node/documents/collections.ts';
import { ChatRenderer } from '../../src/hosts/vscode/chat/chat-render.ts';
import type { EditorDocuments } from '../../src/hosts/vscode/documents/editor-documents.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { Pages } from '../../src/hosts/vscode/panel/pages/pages.ts';
import type { DocumentsPage } from '../../src/protocol/documents-page.ts';
import type { PageRequest } from '../../src/protocol/pages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { pdf } from '../support/documents/pdf.ts';
import { until } from '../support/until.ts';

const NAME = 'editor-test';
const GUIDE = `# Guide\n\nWelcome.\n\n## Rollback\n\nRun the rollback twice.\n`;
const PUMP = pdf([[{ text: 'The pump stands in the cellar.', y: 700 }], [{ text: 'The valve is red and turns to the left.', y: 700 }]]);

type Request = Extract<PageRequest, { page: 'documents' }>;
type Without<T> = T extends unknown ? Omit<T, 'page'> : never;

describe('documents in the editor', function () {
  this.timeout(300_000);
  let kedge: Kedge;
  let documents: EditorDocuments;
  let pages: Pages;
  let posted: ToPanel[];
  let folder: string;
  const data = () =>
    posted.flatMap((each) => (each.type === 'page' && each.name === 'documents' ? [each.data as DocumentsPage] : [])).at(-1);
  const entry = () => data()?.collections.find(({ name }) => name === NAME);
  const ask = (request: Without<Request>) => pages.handle({ page: 'documents', ...request } as Request);
  const key = (file: string) => `${basename(folder)}/${file}`;

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    documents = await kedge.documents();
    folder = await mkdtemp(join(tmpdir(), 'kedge-handbook-'));
    await writeFile(join(folder, 'guide.md'), GUIDE);
    await writeFile(join(folder, 'pump.pdf'), PUMP);
    await writeFile(join(folder, 'broken.pdf'), 'This is not a PDF.');
    posted = [];
    pages = new Pages(kedge, (message) => posted.push(message));
    await documents.define(NAME, 'workspace', [{ kind: 'folder', path: folder }]);
    await pages.show('documents');
  });
  after(async () => {
    await documents.remove(NAME);
    pages.dispose();
    await rm(folder, { recursive: true, force: true });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('are indexed with progress, and what could not be read is listed with the reason', async () => {
    assert.equal(entry()?.documents, 0);
    await ask({ type: 'update_collection', collection: NAME });
    await until('the result', () => entry()?.result !== undefined && entry()?.progress === undefined);
    assert.deepEqual([entry()?.documents, entry()?.failed, entry()?.todo, entry()?.isGlobal], [3, 1, 0, false]);
    assert.match(entry()?.result?.text ?? '', /^2 indexed, 1 could not be read\.$/);
    assert.ok(
      posted.some((each) => each.type === 'page' && each.name === 'documents' && each.data.collections.some(({ progress }) => progress)),
      'the progress was shown',
    );
    await ask({ type: 'list_documents', collection: NAME, filter: 'failed' });
    const [failed, ...others] = entry()?.list?.documents ?? [];
    assert.deepEqual([failed?.key, others.length], [key('broken.pdf'), 0]);
    assert.match(failed?.problem ?? '', /\w+ .*\./);
  });

  it('are in the directory that the terminal program uses for the same workspace', async () => {
    const { workspace } = collectionDirectories(kedge.storage, kedge.sharedStorage);
    const names = await vscode.workspace.fs.readDirectory(vscode.Uri.file(workspace));
    assert.ok(names.some(([name]) => name === NAME));
  });

  it('are searched by runs in Ask mode', async () => {
    const port = await documents.collections.forRuns();
    const passages = await port?.collections.search('rollback', { collections: [NAME] });
    assert.equal(passages?.[0]?.document, key('guide.md'));
  });

  it('open at the cited place: a file at its line, and a PDF as text at its page', async () => {
    await vscode.commands.executeCommand('kedge.openSource', `[${NAME}/${key('guide.md')}:5-7]`);
    const editor = () => vscode.window.activeTextEditor;
    await until('the file', () => editor()?.document.uri.fsPath === join(folder, 'guide.md'));
    assert.equal(editor()?.selection.active.line, 4);
    await vscode.commands.executeCommand('kedge.openSource', `[${NAME}/${key('pump.pdf')}:p2]`);
    await until('the text', () => editor()?.document.uri.scheme === 'kedge-document');
    const { document, selection } = editor() as vscode.TextEditor;
    assert.match(document.lineAt(selection.active.line).text, /valve is red/);
    assert.match(document.getText(), /stands in the cellar/);
    assert.equal(vscode.workspace.fs.isWritableFileSystem('kedge-document'), false);
  });

  it('are links in the native Chat, which open the cited place', async () => {
    const links: vscode.MarkdownString[] = [];
    const markdown = (text: string | vscode.MarkdownString) => typeof text !== 'string' && text.value.includes('](') && links.push(text);
    const stream = { markdown, progress: () => undefined, anchor: () => undefined } as unknown as vscode.ChatResponseStream;
    const renderer = new ChatRenderer(kedge, await kedge.assistant.newSession(), stream, new Set([NAME]));
    const delta = { type: 'text_delta', text: `Red [${NAME}/${key('pump.pdf')}:p2]. And src/a.ts:1 ` } as const;
    renderer.event({ ...delta, runId: 'run', seq: 1, at: 0 });
    assert.equal(links.length, 1);
    assert.deepEqual(links[0]?.isTrusted, { enabledCommands: ['kedge.openSource'] });
    const [, args = ''] = /\(command:kedge\.openSource\?(.*)\)$/.exec(links[0]?.value ?? '') ?? [];
    assert.deepEqual(JSON.parse(decodeURIComponent(args)), [`${NAME}/${key('pump.pdf')}:p2`]);
  });

  it('that are no documents are files of the workspace, or a clear word', async () => {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const [name] = (await vscode.workspace.fs.readDirectory((root as vscode.WorkspaceFolder).uri)).find(
      ([each, type]) => type === vscode.FileType.File && /\.(md|json|ts)$/.test(each),
    ) ?? [''];
    await vscode.commands.executeCommand('kedge.openSource', `[${name}:1]`);
    await until('the file', () => vscode.window.activeTextEditor?.document.uri.fsPath.endsWith(name) === true);
    await assert.rejects(async () => vscode.commands.executeCommand('kedge.openSource', '[nowhere/gone.md:3]'), /could not be opened/);
  });

  it('put prompts into the input box, which mention the collection', async () => {
    posted.length = 0;
    await ask({ type: 'use_template', template: 'worksheet', collection: NAME, document: key('guide.md') });
    const [compose, mention] = posted;
    assert.ok(compose?.type === 'compose' && /worksheet/i.test(compose.text) && compose.text.includes(`${NAME}/${key('guide.md')}`));
    assert.deepEqual(mention, { type: 'add_mention', ref: { kind: 'collection', path: NAME } });
  });

  it('are cancelled without a trace of half a document', async () => {
    for (let number = 0; number < 200; number++) await writeFile(join(folder, `note-${number}.md`), `# Note ${number}\n\nWords.\n`);
    posted.length = 0;
    await ask({ type: 'update_collection', collection: NAME });
    await until('the progress', () => (entry()?.progress?.done ?? 0) > 0);
    await ask({ type: 'cancel_update', collection: NAME });
    await until('the end', () => entry()?.progress === undefined && entry()?.result !== undefined);
    assert.match(entry()?.result?.text ?? '', /Cancelled|indexed/);
    await documents.update(NAME);
    await until('the rest', () => entry()?.todo === 0 && entry()?.documents === 203);
  });
});
