/** The editor's language services: they answer questions about code, and nothing that they are asked here changes it. */
import * as vscode from 'vscode';
import type {
  FoundSymbol,
  LanguageServices,
  OutlineEntry,
  Place,
  Position,
  Problem,
  ProblemWatch,
  RenameEffect,
  TextEdit,
} from '../../../workspace/languages.ts';
import type { Location } from '../../../workspace/types.ts';
import type { VsCodeFileSystem } from '../files/file-system.ts';
import type { ProblemKinds } from './problem-kinds.ts';
import { Problems } from './problems.ts';

/** Where an answer without anything may mean that the service is still starting. */
const MOST_ACTIVATION_MS = 5_000;

export class VsCodeLanguages implements LanguageServices {
  readonly #fs: () => VsCodeFileSystem;
  readonly #problems: Problems;

  /** The file system is asked for each time: folders come and go. */
  constructor(fs: () => VsCodeFileSystem, answering: Pick<ProblemKinds, 'has'>) {
    this.#fs = fs;
    this.#problems = new Problems(fs, answering, openDocument);
  }

  problems(at: Location | undefined, signal: AbortSignal): Promise<Problem[]> {
    return this.#problems.of(at, signal);
  }

  watch(files: readonly Location[], signal: AbortSignal): Promise<ProblemWatch> {
    return this.#problems.watch(files, signal);
  }

  async outline(at: Location): Promise<OutlineEntry[]> {
    const symbols = await this.#ask<(vscode.DocumentSymbol | vscode.SymbolInformation)[]>('executeDocumentSymbolProvider', at);
    const entries: OutlineEntry[] = [];
    const visit = (list: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[], depth: number) => {
      for (const symbol of list) {
        const range = 'location' in symbol ? symbol.location.range : symbol.selectionRange;
        entries.push({ name: symbol.name, kind: kindOf(symbol.kind), line: range.start.line + 1, depth });
        // Flat answers have children neither here nor there.
        visit('children' in symbol ? symbol.children : [], depth + 1);
      }
    };
    visit(symbols ?? [], 0);
    return entries;
  }

  async symbols(query: string): Promise<FoundSymbol[]> {
    const found = await vscode.commands.executeCommand<vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', query);
    return (found ?? []).map(({ name, kind, containerName, location }) => ({
      ...this.#place(location.uri, location.range),
      symbol: name,
      kind: kindOf(kind),
      ...(containerName && { container: containerName }),
    }));
  }

  async definition(at: Location, position: Position): Promise<Place[]> {
    const found = await this.#ask<(vscode.Location | vscode.LocationLink)[]>('executeDefinitionProvider', at, editorPosition(position));
    return this.#places(found);
  }

  async references(at: Location, position: Position): Promise<Place[]> {
    return this.#places(await this.#ask<vscode.Location[]>('executeReferenceProvider', at, editorPosition(position)));
  }

  async rename(at: Location, position: Position, newName: string): Promise<RenameEffect | undefined> {
    const edit = await this.#ask<vscode.WorkspaceEdit>('executeDocumentRenameProvider', at, editorPosition(position), newName);
    return edit && this.#effectOf(edit);
  }

  prepare(files: readonly Location[]): void {
    for (const at of files) openDocument(this.#fs().uri(at)).catch(() => undefined);
  }

  async #ask<T>(command: string, at: Location, ...rest: unknown[]): Promise<T | undefined> {
    const { uri } = await openDocument(this.#fs().uri(at));
    return vscode.commands.executeCommand<T | undefined>(`vscode.${command}`, uri, ...rest);
  }

  #places(found: readonly (vscode.Location | vscode.LocationLink)[] | undefined): Place[] {
    const places = (found ?? []).map((each) =>
      'targetUri' in each ? this.#place(each.targetUri, each.targetSelectionRange ?? each.targetRange) : this.#place(each.uri, each.range),
    );
    const seen = new Set<string>();
    return places.filter(({ name, line }) => {
      const key = `${name}:${line}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  #place(uri: vscode.Uri, range: vscode.Range): Place {
    const at = this.#fs().locate(uri);
    const line = range.start.line + 1;
    return at ? { at, name: uri.path, line } : { name: nameOutside(uri), line };
  }

  /** Text edits and moves of files as data; whatever else there is in it is strange. */
  #effectOf(edit: vscode.WorkspaceEdit): RenameEffect {
    const effect: RenameEffect = { edits: [], moves: [], strange: [] };
    for (const [uri, edits] of edit.entries()) {
      const at = this.#fs().locate(uri);
      if (at) effect.edits.push({ at, edits: edits.map(neutralEdit) });
      else effect.strange.push(nameOutside(uri));
    }
    for (const entry of fileOperations(edit)) {
      const [from, to] = [entry.from && this.#fs().locate(entry.from), entry.to && this.#fs().locate(entry.to)];
      if (from && to) effect.moves.push({ from, to });
      else effect.strange.push(nameOutside(entry.to ?? entry.from ?? vscode.Uri.parse('unknown:')));
    }
    return effect;
  }
}

/**
 * The document, opened if it was not, with the extensions of its language active: a service that has not been registered yet
 * answers nothing. It is no tab, and the editor lets go of it by itself.
 */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const waking = vscode.extensions.all.filter((extension) => !extension.isActive && isFor(extension, document.languageId));
  if (waking.length > 0) {
    const all = Promise.allSettled(waking.map((extension) => extension.activate()));
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, MOST_ACTIVATION_MS).unref?.())]);
  }
  return document;
}

function isFor({ packageJSON }: vscode.Extension<unknown>, language: string): boolean {
  const { main, browser, activationEvents } = packageJSON as { main?: string; browser?: string; activationEvents?: string[] };
  return Boolean(main || browser) && (activationEvents ?? []).includes(`onLanguage:${language}`);
}

/** What `entries()` leaves out, as the extension host keeps it. */
function fileOperations(edit: vscode.WorkspaceEdit): { from?: vscode.Uri; to?: vscode.Uri }[] {
  const all = (edit as { _allEntries?(): { _type?: number; from?: vscode.Uri; to?: vscode.Uri }[] })._allEntries?.() ?? [];
  return all.filter((entry) => 'from' in entry || 'to' in entry);
}

export function neutralEdit({ range, newText }: vscode.TextEdit): TextEdit {
  return { from: neutralPosition(range.start), to: neutralPosition(range.end), text: newText };
}

const neutralPosition = ({ line, character }: vscode.Position): Position => ({ line: line + 1, column: character });
const editorPosition = ({ line, column }: Position) => new vscode.Position(line - 1, column);

/** As much as tells one file from another, and nothing of where on this computer it lies. */
function nameOutside({ path }: vscode.Uri): string {
  const parts = path.split('/').filter(Boolean);
  const modules = parts.lastIndexOf('node_modules');
  return modules >= 0 ? parts.slice(modules).join('/') : `${parts.length > 2 ? '…/' : ''}${parts.slice(-2).join('/')}`;
}

function kindOf(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
