import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import * as vscode from 'vscode';
import type { Tool } from '../../src/core/run/tool.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { VsCodeWriter } from '../../src/hosts/vscode/files/writer.ts';
import { FilesWithErrors } from '../../src/hosts/vscode/languages/files-with-errors.ts';
import { VsCodeLanguages } from '../../src/hosts/vscode/languages/languages.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { decodeText, encodeText } from '../../src/workspace/content.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { withoutLongTimers } from '../support/clock.ts';
import { until } from '../support/until.ts';

const { signal } = new AbortController();
/** The limits are long, so that the expected answers also arrive on a busy machine. */
const PATIENT = { beforeMs: 60_000, afterMs: 60_000, queryMs: 60_000 };

/** Returns the tools of an Agent run on the folders of this window. */
function toolbox(kedge: Api['kedge'], languages: VsCodeLanguages) {
  const workspace = new Workspace(kedge.fs);
  const gate = new WriteGate(workspace, new VsCodeWriter(kedge.fs), kedge.blobs);
  const tools = new Map<string, Tool>(toolsFor(workspace, { mode: 'agent', gate }, languages).map((tool) => [tool.name, tool]));
  const prepare = async (name: string, input: unknown) => (tools.get(name) as Tool).prepare(input, signal);
  const use = async (name: string, input: unknown) => {
    try {
      const prepared = await prepare(name, input);
      const idle = { progress: () => undefined, record: () => undefined, ask: async () => Promise.reject(new Error('Nobody is there.')) };
      const { content } = await prepared.execute({ callId: crypto.randomUUID(), signal, ...idle });
      return String(content);
    } catch (error) {
      return `ERROR ${(error as Error).message}`;
    }
  };
  return { prepare, use };
}

describe('the language services of VS Code', () => {
  let fs: VsCodeFileSystem;
  let kedge: Api['kedge'];
  let languages: VsCodeLanguages;
  const registered: vscode.Disposable[] = [];

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Api['kedge'];
    fs = kedge.fs;
    languages = new VsCodeLanguages(() => kedge.fs, kedge.problemKinds, PATIENT);
  });
  after(() => {
    for (const each of registered) each.dispose();
  });

  const uri = (path: string) => fs.uri({ folder: 0, path });
  const write = (path: string, text: string) => vscode.workspace.fs.writeFile(uri(path), encodeText(text));
  const onDisk = async (path: string) => decodeText(await vscode.workspace.fs.readFile(uri(path)));
  const remove = (path: string) => vscode.workspace.fs.delete(uri(path), { recursive: true });

  describe('for a language with providers of an extension', () => {
    const pattern: vscode.DocumentSelector = { pattern: '**/*.tide' };
    const outside = vscode.Uri.file(`${tmpdir()}/node_modules/tides/index.tide`);

    before(async () => {
      await write('lang/a.tide', 'moon = 1\n');
      await write('lang/b.tide', 'use moon\nuse moon\n');
      const everywhere = () => [
        new vscode.Location(uri('lang/a.tide'), new vscode.Range(0, 0, 0, 4)),
        new vscode.Location(uri('lang/b.tide'), new vscode.Range(0, 4, 0, 8)),
        new vscode.Location(uri('lang/b.tide'), new vscode.Range(1, 4, 1, 8)),
        new vscode.Location(outside, new vscode.Range(6, 0, 6, 4)),
      ];
      registered.push(
        vscode.languages.registerDocumentSymbolProvider(pattern, {
          provideDocumentSymbols: ({ lineCount }) => {
            const all = new vscode.Range(0, 0, lineCount - 1, 0);
            const outer = new vscode.DocumentSymbol('Sea', '', vscode.SymbolKind.Class, all, new vscode.Range(0, 0, 0, 4));
            const inner = new vscode.DocumentSymbol('moon', '', vscode.SymbolKind.EnumMember, all, new vscode.Range(0, 0, 0, 1));
            outer.children.push(inner);
            return [outer];
          },
        }),
        vscode.languages.registerWorkspaceSymbolProvider({
          provideWorkspaceSymbols: (query) =>
            query === 'moonrise'
              ? [new vscode.SymbolInformation('moonrise', vscode.SymbolKind.Function, 'Sea', everywhere()[0] as vscode.Location)]
              : [],
        }),
        vscode.languages.registerDefinitionProvider(pattern, { provideDefinition: () => everywhere()[0] }),
        vscode.languages.registerReferenceProvider(pattern, { provideReferences: everywhere }),
        vscode.languages.registerRenameProvider(pattern, {
          provideRenameEdits: (_document, _position, name) => {
            if (name === 'sun') throw new Error('The sun has no tides.');
            const edit = new vscode.WorkspaceEdit();
            for (const { uri, range } of everywhere().slice(0, name === 'far' ? 4 : 3)) edit.replace(uri, range, name);
            if (name === 'file') edit.renameFile(uri('lang/a.tide'), uri('lang/file.tide'));
            if (name === 'made') edit.createFile(uri('lang/made.tide'));
            return edit;
          },
        }),
      );
    });
    after(() => remove('lang'));

    it('answer the requests of the tools', async () => {
      const { use } = toolbox(kedge, languages);
      const moon = { path: 'lang/b.tide', line: 1, symbol: 'moon' };
      assert.equal(await use('document_symbols', { path: 'lang/a.tide' }), '1: class Sea\n  1: enum member moon');
      assert.equal(await use('workspace_symbols', { query: 'moonrise' }), 'lang/a.tide\n  1: function Sea.moonrise');
      assert.equal(await use('go_to_definition', moon), 'lang/a.tide\n  1: moon = 1');
      assert.equal(
        await use('find_references', moon),
        'lang/a.tide\n  1: moon = 1\n\nlang/b.tide\n  1: use moon\n  2: use moon\n\noutside the workspace: node_modules/tides/index.tide\n  7: ',
      );
    });

    it('rename through the gate: nothing changes before, and everything at once', async () => {
      const { prepare, use } = toolbox(kedge, languages);
      const moon = { path: 'lang/b.tide', line: 1, symbol: 'moon' };
      const prepared = await prepare('rename_symbol', { ...moon, new_name: 'luna' });
      assert.deepEqual(
        prepared.changes?.map(({ path, added, removed }) => [path, added, removed]),
        [
          ['lang/a.tide', 1, 1],
          ['lang/b.tide', 2, 2],
        ],
      );
      assert.equal(await onDisk('lang/a.tide'), 'moon = 1\n');
      assert.equal(
        vscode.workspace.textDocuments.some(({ isDirty }) => isDirty),
        false,
      );
      assert.equal(
        await use('rename_symbol', { ...moon, new_name: 'sun' }),
        'ERROR The language service failed: The sun has no tides. Use search_text instead.',
      );
      assert.match(
        await use('rename_symbol', { ...moon, new_name: 'far' }),
        /^ERROR The rename would change files outside the workspace.*node_modules\/tides\/index\.tide/,
      );
      assert.match(await use('rename_symbol', { ...moon, new_name: 'made' }), /^ERROR The rename would change files outside the workspace/);
      assert.equal(await onDisk('lang/b.tide'), 'use moon\nuse moon\n');
      assert.equal(
        await use('rename_symbol', { ...moon, new_name: 'file' }),
        'Renamed moon to file: 3 places in 2 files; lang/a.tide is now lang/file.tide.',
      );
      assert.equal(await onDisk('lang/file.tide'), 'file = 1\n');
      assert.equal(await onDisk('lang/b.tide'), 'use file\nuse file\n');
      await assert.rejects(async () => onDisk('lang/a.tide'));
    });

    it('report problems caused by an edit, and do not wait for services that do not answer', async () => {
      const { use } = toolbox(kedge, languages);
      const edit = (old_text: string, new_text: string) => use('replace_in_file', { path: 'lang/c.tide', edits: [{ old_text, new_text }] });
      await write('lang/c.tide', 'ebb\nold !problem\n');
      // No extension is known to report problems for such files.
      assert.equal(await withoutLongTimers(() => edit('ebb', 'flow'), 1_000), 'Replaced 1 passage in lang/c.tide.');

      const problems = vscode.languages.createDiagnosticCollection('tides');
      const check = (document: vscode.TextDocument) => {
        if (!document.uri.path.endsWith('.tide')) return;
        const found = document
          .getText()
          .split('\n')
          .flatMap((text, line) =>
            text.includes('!problem') ? [new vscode.Diagnostic(new vscode.Range(line, 0, line, 1), `What is\n${text}?`)] : [],
          );
        setTimeout(() => problems.set(document.uri, found), 50);
      };
      const listening = [
        problems,
        vscode.workspace.onDidOpenTextDocument(check),
        vscode.workspace.onDidChangeTextDocument(({ document }) => check(document)),
      ];
      const known = new Promise<void>((resolve) => {
        const listener = vscode.languages.onDidChangeDiagnostics(() => {
          if (vscode.languages.getDiagnostics(uri('lang/c.tide')).length === 0) return;
          listener.dispose();
          resolve();
        });
      });
      check(await vscode.workspace.openTextDocument(uri('lang/c.tide')));
      await known;
      assert.equal(
        await edit('flow\n', 'flow\nnew !problem\n'),
        'Replaced 1 passage in lang/c.tide.\nNew problems since this change:\nlang/c.tide:2 error: What is new !problem?',
      );
      await write('lang/e.tide', 'shut !problem\n');
      assert.equal(
        await use('replace_in_file', { path: 'lang/e.tide', edits: [{ old_text: 'shut', new_text: 'new !problem\nshut' }] }),
        'Replaced 1 passage in lang/e.tide.\nNew problems since this change:\nlang/e.tide:1 error: What is new !problem?',
        'what there was in a file that nobody had opened is not new',
      );
      assert.equal(
        await use('get_diagnostics', { path: 'lang/c.tide' }),
        'lang/c.tide\n  2: error: What is new !problem?\n  3: error: What is old !problem?',
      );
      for (const each of listening) each.dispose();
    });
  });

  describe('for TypeScript, with the service of VS Code', () => {
    before(async function () {
      const built = vscode.extensions.getExtension('vscode.typescript-language-features');
      if (!built) return this.skip();
      await built.activate();
      await write(
        'typed/ship.ts',
        'export class Ship {\n  constructor(readonly length: number) {}\n}\nexport const small = new Ship(3);\n',
      );
      await write('typed/port.ts', "import { Ship } from './ship.ts';\nexport const fleet = [new Ship(1), new Ship(2)];\n");
      // The first answer takes as long as the language server takes to start.
      await languages.outline({ folder: 0, path: 'typed/ship.ts' });
      const isChecked = () =>
        vscode.commands
          .executeCommand<{ type?: string }>('typescript.tsserverRequest', 'semanticDiagnosticsSync', { file: uri('typed/port.ts') })
          .then(
            (reply) => reply?.type === 'response',
            () => false,
          );
      for (let tries = 0; tries < 20 && !(await isChecked()); tries++) await languages.outline({ folder: 0, path: 'typed/ship.ts' });
      await languages.problems({ folder: 0, path: 'typed/port.ts' }, signal);
    });
    after(() => remove('typed').then(undefined, () => undefined));

    it('answer for files that are not open in a tab', async () => {
      const { use } = toolbox(kedge, languages);
      assert.match(await use('document_symbols', { path: 'typed/ship.ts' }), /^1: class Ship\n {2}2: constructor constructor/);
      const ship = { path: 'typed/port.ts', line: 2, symbol: 'Ship' };
      assert.match(await use('go_to_definition', ship), /^typed\/ship\.ts\n {2}1: export class Ship \{/);
      assert.match(await use('find_references', ship), /^typed\/port\.ts\n {2}1: import[\s\S]*typed\/ship\.ts\n {2}1: export class Ship/);
      assert.match(await use('go_to_definition', { path: 'typed/ship.ts', line: 2, symbol: 'number' }), /^No definitions of number/);
      assert.equal(
        await use('rename_symbol', { path: 'typed/ship.ts', line: 1, symbol: 'Ship', new_name: 'Boat' }),
        'Renamed Ship to Boat: 5 places in 2 files.',
      );
      assert.match((await onDisk('typed/port.ts')) ?? '', /\[new Boat\(1\), new Boat\(2\)\]/);
    });

    it('immediately report problems caused by an edit', async () => {
      const { use } = toolbox(kedge, languages);
      const edit = (old_text: string, new_text: string) =>
        use('replace_in_file', { path: 'typed/port.ts', edits: [{ old_text, new_text }] });
      assert.equal(
        await edit('new Boat(1)', "new Boat('1')"),
        "Replaced 1 passage in typed/port.ts.\nNew problems since this change:\ntyped/port.ts:2 error: Argument of type 'string' is not assignable to parameter of type 'number'. [ts 2345]",
      );
      assert.equal(await edit('new Boat(2)', 'new Boat(3)'), 'Replaced 1 passage in typed/port.ts.', 'what was there before is not new');
      assert.match(await use('get_diagnostics', { path: 'typed/port.ts' }), /^typed\/port\.ts\n {2}2: error: Argument of type 'string'/);
      assert.equal(await edit("new Boat('1')", 'new Boat(1)'), 'Replaced 1 passage in typed/port.ts.');
      assert.match(
        await use('create_file', { path: 'typed/new.ts', content: 'export const wrong: number = [];\n' }),
        /New problems since this change:\ntyped\/new\.ts:1 error: Type 'never\[\]' is not assignable/,
      );
    });
  });
});

describe('the files with errors', () => {
  it('are known from the start and kept up to date by the files of each event', async () => {
    const problems = vscode.languages.createDiagnosticCollection('with-errors');
    const [one, two] = ['one', 'two'].map((name) => vscode.Uri.parse(`untitled:with-errors-${name}.txt`)) as [vscode.Uri, vscode.Uri];
    const of = (severity: vscode.DiagnosticSeverity) => [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'x', severity)];
    // Files of other tests can still have errors.
    const isOwn = ({ path }: vscode.Uri) => path.startsWith('with-errors');
    const files = new FilesWithErrors(isOwn);
    const fired: boolean[] = [];
    files.onDidChange(() => fired.push(files.any));
    try {
      const step = async (change: () => void, any: boolean) => {
        change();
        await until(`errors: ${any}`, () => (files.any === any ? true : undefined));
      };
      await step(() => problems.set(one, of(vscode.DiagnosticSeverity.Error)), true);
      const later = new FilesWithErrors(isOwn);
      assert.equal(later.any, true);
      later.dispose();
      problems.set(two, of(vscode.DiagnosticSeverity.Error));
      await until('the second file', () => (vscode.languages.getDiagnostics(two).length > 0 ? true : undefined));
      problems.delete(one);
      await step(() => problems.set(two, of(vscode.DiagnosticSeverity.Warning)), false);
      assert.deepEqual(fired, [true, false]);
    } finally {
      files.dispose();
      problems.dispose();
    }
  });
});
