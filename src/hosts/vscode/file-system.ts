/** The workspace as VS Code has it: any file system it knows, and open documents with unsaved changes before the disk. */
import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../core/tool.ts';
import { encodeText } from '../../workspace/content.ts';
import { uniqueNames } from '../../workspace/paths.ts';
import type { FileBytes, FileStat, FileSystem, FindQuery, Location, NotebookCell, SearchHit, SearchQuery } from '../../workspace/types.ts';
import { expectName, realPath } from '../node/file-system.ts';
import { findInFolders, type InFolder, searchInFolders } from '../node/folders.ts';
import { rangeOf } from '../node/range.ts';
import { filesWithRipgrep, type Hit, ignoreFileIn, searchWithRipgrep } from '../node/ripgrep.ts';
import { excludesOf } from './excludes.ts';
import { unsavedNotebook } from './notebooks.ts';
import { findInFolder, searchDocuments, searchInFolder } from './plain-search.ts';

type Folder = { name: string; uri: vscode.Uri; root: string | undefined };

export class VsCodeFileSystem implements FileSystem {
  readonly folders: readonly Folder[];
  readonly #ripgrep: () => Promise<string | undefined>;

  constructor(folders: readonly vscode.WorkspaceFolder[], ripgrep: () => Promise<string | undefined>) {
    const names = uniqueNames(folders.map(({ name }) => name));
    // Real paths are known for local files only; elsewhere the letters of a path are all there is.
    this.folders = folders.map(({ uri }, index) => ({
      name: names[index] as string,
      uri,
      root: uri.scheme === 'file' ? uri.fsPath : undefined,
    }));
    this.#ripgrep = ripgrep;
  }

  uri({ folder, path }: Location): vscode.Uri {
    const base = this.folders[folder]?.uri;
    if (!base) throw new Error('That folder is no longer open.');
    return path ? vscode.Uri.joinPath(base, path) : base;
  }

  /** @throws ToolError where it is on no disk of this computer. */
  onDisk({ folder, path }: Location): string {
    const { root, name } = this.folders[folder] ?? {};
    if (root === undefined) throw new ToolError(`${name ?? 'That folder'} is on no disk: nothing can be run in it.`);
    return join(root, path);
  }

  /** Where an open document or an editor's location is in the workspace; undefined when it is elsewhere. */
  locate(uri: vscode.Uri): Location | undefined {
    for (const [folder, { uri: base }] of this.folders.entries()) {
      if (uri.scheme !== base.scheme || uri.authority !== base.authority) continue;
      const prefix = base.path.endsWith('/') ? base.path : `${base.path}/`;
      if (uri.path === base.path) return { folder, path: '' };
      if (uri.path.startsWith(prefix)) return { folder, path: uri.path.slice(prefix.length) };
    }
    return undefined;
  }

  async canonical(at: Location): Promise<Location | undefined> {
    const root = this.folders[at.folder]?.root;
    if (root === undefined) return at;
    expectName(at.path);
    const real = realPath(join(root, at.path));
    for (const [folder, { root: other }] of this.folders.entries()) {
      if (other === undefined || real === undefined) continue;
      const path = relative(await realpath(other).catch(() => other), real);
      if (path !== '..' && !path.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(path))
        return { folder, path: path.split(sep).join('/') };
    }
    return undefined;
  }

  async stat(at: Location): Promise<FileStat | undefined> {
    try {
      const { type, size } = await vscode.workspace.fs.stat(this.uri(at));
      const kind = type & vscode.FileType.Directory ? 'directory' : type & vscode.FileType.File ? 'file' : 'other';
      return { type: kind, size, link: (type & vscode.FileType.SymbolicLink) !== 0 };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async read(at: Location): Promise<FileBytes> {
    const uri = this.uri(at);
    const open = unsavedDocument(uri);
    if (open) return { bytes: encodeText(open.getText()), unsaved: true };
    return { bytes: await vscode.workspace.fs.readFile(uri), unsaved: false };
  }

  /** The editor itself reads files whole only. */
  async readRange(at: Location, from: number, length: number): Promise<Uint8Array | undefined> {
    const root = this.folders[at.folder]?.root;
    if (root === undefined || unsavedDocument(this.uri(at))) return undefined;
    return rangeOf(join(root, at.path), from, length);
  }

  notebook(at: Location): NotebookCell[] | undefined {
    return unsavedNotebook(this.uri(at));
  }

  async list(at: Location): Promise<{ name: string; type: FileStat['type']; link?: boolean }[]> {
    const entries = await vscode.workspace.fs.readDirectory(this.uri(at));
    return entries.map(([name, type]) => ({
      name,
      type: type & vscode.FileType.Directory ? 'directory' : type & vscode.FileType.File ? 'file' : 'other',
      ...(type & vscode.FileType.SymbolicLink && { link: true }),
    }));
  }

  find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }> {
    return findInFolders(this, query, async (folder, own) => {
      const local = await this.#local(folder, own.hides);
      if (!local) return findInFolder((this.folders[folder] as Folder).uri, own, signal);
      return filesWithRipgrep({ ...local, query: { ...own, hides: local.hides }, signal });
    });
  }

  search(query: SearchQuery, signal: AbortSignal): AsyncGenerator<SearchHit> {
    return searchInFolders(this, query, (folder, own) => this.#searchIn(folder, own, signal));
  }

  async *#searchIn(folder: number, query: InFolder<SearchQuery>, signal: AbortSignal): AsyncGenerator<Hit> {
    const { uri } = this.folders[folder] as Folder;
    const unsaved = this.#unsavedIn(folder);
    const local = await this.#local(folder, query.hides);
    const own = local ? { ...query, hides: local.hides } : query;
    const hits = local ? searchWithRipgrep({ ...local, query: own, signal }) : searchInFolder(uri, own, signal);
    for await (const hit of hits) {
      // What the disk says of a document with unsaved changes is out of date.
      if (!unsaved.has(hit.path)) yield hit;
    }
    yield* searchDocuments(uri, unsaved, own);
  }

  /** How ripgrep is to look at a folder; undefined where it cannot, or is not there. */
  async #local(folder: number, hides: ((path: string) => boolean) | undefined) {
    const { uri, root } = this.folders[folder] as Folder;
    const rg = root === undefined ? undefined : await this.#ripgrep();
    if (rg === undefined || root === undefined) return undefined;
    const excludes = excludesOf(uri, root);
    const without = [...excludes.without, ...ignoreFileIn(root)];
    return { rg, cwd: root, without, hides: (path: string) => excludes.hides(path) || (hides?.(path) ?? false) };
  }

  #unsavedIn(folder: number): Map<string, vscode.TextDocument> {
    const found = new Map<string, vscode.TextDocument>();
    for (const document of vscode.workspace.textDocuments) {
      const at = document.isDirty ? this.locate(document.uri) : undefined;
      if (at?.folder === folder) found.set(at.path, document);
    }
    return found;
  }
}

export function unsavedDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.isDirty && document.uri.toString() === uri.toString());
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof vscode.FileSystemError ? error.code : (error as { code?: unknown } | undefined)?.code;
  return code === 'FileNotFound' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'FileNotADirectory';
}
