/** VS Code's language services. Kedge only queries them; no query changes a file. */
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
import { type Patience, Problems } from './problems.ts';

/** How long to wait for a language's extensions to activate. Until then, their services return empty results. */
const MAX_ACTIVATION_MS = 5_000;

export class VsCodeLanguages implements LanguageServices {
  readonly #fs: () => VsCodeFileSystem;
  readonly #problems: Problems;

  /** `fs` is called for each query, because workspace folders can be added and removed. */
  constructor(fs: () => VsCodeFileSystem, problemKinds: Pick<ProblemKinds, 'has'>, patience?: Patience) {
    this.#fs = fs;
    this.#problems = new Problems(fs, problemKinds, openDocument, patience);
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
        // SymbolInformation results are flat and have no children.
        visit('children' in symbol ? symbol.children : [], depth + 1);
      }
    };
    visit(symbols ?? [], 0);
    return entries;
  }

  async symbols(query: string): Promise<FoundSymbol[]> {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', query);
    return (symbols ?? []).map(({ name, kind, containerName, location }) => ({
      ...this.#place(location.uri, location.range),
      symbol: name,
      ...(location.range.end.line > location.range.start.line && { end: location.range.end.line + 1 }),
      kind: kindOf(kind),
      ...(containerName && { container: containerName }),
    }));
  }

  async definition(at: Location, position: Position): Promise<Place[]> {
    const locations = await this.#ask<(vscode.Location | vscode.LocationLink)[]>('executeDefinitionProvider', at, editorPosition(position));
    return this.#places(locations);
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

  #places(locations: readonly (vscode.Location | vscode.LocationLink)[] | undefined): Place[] {
    const places = (locations ?? []).map((each) =>
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

  /** Converts a WorkspaceEdit to text edits and file moves. Anything else, and anything outside the workspace, is reported as `strange`. */
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
 * Opens a document without showing it, and activates the extensions of its language, because a service that is not registered yet
 * returns nothing. VS Code closes the document automatically.
 */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const inactive = vscode.extensions.all.filter((extension) => !extension.isActive && isFor(extension, document.languageId));
  if (inactive.length > 0) {
    const all = Promise.allSettled(inactive.map((extension) => extension.activate()));
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, MAX_ACTIVATION_MS).unref?.())]);
  }
  return document;
}

function isFor({ packageJSON }: vscode.Extension<unknown>, language: string): boolean {
  const { main, browser, activationEvents } = packageJSON as { main?: string; browser?: string; activationEvents?: string[] };
  return Boolean(main || browser) && (activationEvents ?? []).includes(`onLanguage:${language}`);
}

/**
 * Reads the file operations of a WorkspaceEdit. `entries()` does not return them, so the function reads an internal member of the
 * extension host.
 */
function fileOperations(edit: vscode.WorkspaceEdit): { from?: vscode.Uri; to?: vscode.Uri }[] {
  const all = (edit as { _allEntries?(): { _type?: number; from?: vscode.Uri; to?: vscode.Uri }[] })._allEntries?.() ?? [];
  return all.filter((entry) => 'from' in entry || 'to' in entry);
}

export function neutralEdit({ range, newText }: vscode.TextEdit): TextEdit {
  return { from: neutralPosition(range.start), to: neutralPosition(range.end), text: newText };
}

const neutralPosition = ({ line, character }: vscode.Position): Position => ({ line: line + 1, column: character });
const editorPosition = ({ line, column }: Position) => new vscode.Position(line - 1, column);

/** Shortens the path of a file outside the workspace, so that the model does not learn where it is on this computer. */
function nameOutside({ path }: vscode.Uri): string {
  const parts = path.split('/').filter(Boolean);
  const modules = parts.lastIndexOf('node_modules');
  return modules >= 0 ? parts.slice(modules).join('/') : `${parts.length > 2 ? '…/' : ''}${parts.slice(-2).join('/')}`;
}

function kindOf(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
