/** The workspace as VS Code has it: any file system it knows, and open documents with unsaved changes before the disk. */
import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { encodeText } from '../../workspace/content.ts';
import { uniqueNames } from '../../workspace/paths.ts';
import type { FileBytes, FileStat, FileSystem, FindQuery, Location, SearchHit, SearchQuery } from '../../workspace/types.ts';
import { expectName, realPath } from '../node/file-system.ts';
import { filesWithRipgrep, searchWithRipgrep } from '../node/ripgrep.ts';
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

  async list(at: Location): Promise<{ name: string; type: FileStat['type'] }[]> {
    const entries = await vscode.workspace.fs.readDirectory(this.uri(at));
    return entries.map(([name, type]) => ({
      name,
      type: type & vscode.FileType.Directory ? 'directory' : type & vscode.FileType.File ? 'file' : 'other',
    }));
  }

  async find({ include, folder, limit }: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }> {
    const files: Location[] = [];
    for (const index of this.#meant(folder)) {
      const { root } = this.folders[index] as Folder;
      const rg = root === undefined ? undefined : await this.#ripgrep();
      const room = limit + 1 - files.length;
      const paths =
        rg && root !== undefined
          ? await filesWithRipgrep({ rg, cwd: root, limit: room, signal, ...(include && { include }) })
          : await findInFolder((this.folders[index] as Folder).uri, include, room, signal);
      for (const path of paths) files.push({ folder: index, path });
      if (files.length > limit) break;
    }
    return { files: files.slice(0, limit), truncated: files.length > limit };
  }

  async *search(query: SearchQuery, signal: AbortSignal): AsyncGenerator<SearchHit> {
    let left = query.limit;
    for (const index of this.#meant(query.folder)) {
      const { uri, root } = this.folders[index] as Folder;
      const rg = root === undefined ? undefined : await this.#ripgrep();
      const unsaved = this.#unsavedIn(index);
      const hits = rg && root !== undefined ? searchWithRipgrep({ rg, cwd: root, query, signal }) : searchInFolder(uri, query, signal);
      for await (const hit of hits) {
        // What the disk says of a document with unsaved changes is out of date.
        if (unsaved.size > 0 && unsaved.has(hit.path)) continue;
        yield { folder: index, ...hit };
        if (--left <= 0) return;
      }
      for await (const hit of searchDocuments(uri, unsaved, query)) {
        yield { folder: index, ...hit };
        if (--left <= 0) return;
      }
    }
  }

  #meant(folder: number | undefined): number[] {
    return folder === undefined ? this.folders.map((_, index) => index) : [folder];
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
