/** The workspace as VS Code sees it: all of its file systems, with unsaved changes of open documents taking precedence over the disk. */
import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../../core/run/tool.ts';
import { encodeText } from '../../../workspace/content.ts';
import { formatPath, innermost, uniqueNames } from '../../../workspace/paths.ts';
import type {
  FileBytes,
  FileStat,
  FileSystem,
  FindQuery,
  Folder,
  Location,
  NotebookCell,
  SearchHit,
  SearchQuery,
} from '../../../workspace/types.ts';
import { expectName, realPath } from '../../node/files/file-system.ts';
import { findInFolders, searchInFolders } from '../../node/files/folders.ts';
import { type DirectoryEntry, expectReal, listReal, readReal, readRealRange } from '../../node/files/real-files.ts';
import { unsavedNotebook } from './notebooks.ts';
import type { Place } from './search.ts';

type OpenFolder = Folder & { uri: vscode.Uri; root: string | undefined };

function realRoot(path: string): string[] {
  try {
    return [realPath(path) ?? path];
  } catch {
    return [];
  }
}

export class VsCodeFileSystem implements FileSystem {
  readonly folders: readonly OpenFolder[];
  readonly #ripgrep: Place['ripgrep'];

  /** `ripgrep` replaces the ripgrep that comes with VS Code. */
  constructor(folders: readonly vscode.WorkspaceFolder[], ripgrep?: Place['ripgrep']) {
    const names = uniqueNames(folders.map(({ name }) => name));
    // Real paths are known only for local files. On other file systems, paths are compared as text.
    this.folders = folders.map(({ uri }, index) => ({
      name: names[index] as string,
      uri,
      root: uri.scheme === 'file' ? uri.fsPath : undefined,
      roots: uri.scheme === 'file' ? [uri.fsPath, ...realRoot(uri.fsPath)] : [],
    }));
    this.#ripgrep = ripgrep;
  }

  uri({ folder, path }: Location): vscode.Uri {
    const base = this.folders[folder]?.uri;
    if (!base) throw new Error('The folder is no longer open in this workspace.');
    return path ? vscode.Uri.joinPath(base, path) : base;
  }

  /**
   * Returns the directory on disk in which a command runs. @throws ToolError if the folder is not on a disk @throws PathError if the path
   * now contains a symbolic link
   */
  directory(at: Location): string {
    const { root, name } = this.folders[at.folder] ?? {};
    const path = this.#realPath(at);
    if (root === undefined || path === undefined)
      throw new ToolError(`${name ?? 'The folder'} is not on a disk, so commands cannot run in it. Use another folder.`);
    expectReal(path, this.#format(at));
    return join(root, at.path);
  }

  /** Returns the path on disk of a resolved location. The path of the workspace folder itself may contain a symbolic link. */
  #realPath({ folder, path }: Location): string | undefined {
    const root = this.folders[folder]?.root;
    return root === undefined ? undefined : join(realpathSync.native(root), path);
  }

  #format(at: Location): string {
    return formatPath(at, this.folders);
  }

  /** Returns the location of a document in the workspace, or undefined if it is outside the workspace. */
  locate(uri: vscode.Uri): Location | undefined {
    return innermost(
      this.folders.flatMap(({ uri: base }, folder) => {
        if (uri.scheme !== base.scheme || uri.authority !== base.authority) return [];
        const prefix = base.path.endsWith('/') ? base.path : `${base.path}/`;
        if (uri.path === base.path) return [{ folder, path: '' }];
        return uri.path.startsWith(prefix) ? [{ folder, path: uri.path.slice(prefix.length) }] : [];
      }),
    );
  }

  async canonical(at: Location): Promise<Location | undefined> {
    const root = this.folders[at.folder]?.root;
    if (root === undefined) return at;
    expectName(at.path);
    const real = realPath(join(root, at.path));
    const places: Location[] = [];
    for (const [folder, { root: other }] of this.folders.entries()) {
      if (other === undefined || real === undefined) continue;
      const path = relative(await realpath(other).catch(() => other), real);
      if (path !== '..' && !path.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(path))
        places.push({ folder, path: path.split(sep).join('/') });
    }
    return innermost(places);
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
    const path = this.#realPath(at);
    return { bytes: path === undefined ? await vscode.workspace.fs.readFile(uri) : await readReal(path, this.#format(at)), unsaved: false };
  }

  /** Reads part of a file from the disk, because VS Code's file system API reads only complete files. */
  async readRange(at: Location, from: number, length: number): Promise<Uint8Array | undefined> {
    const path = this.#realPath(at);
    if (path === undefined || unsavedDocument(this.uri(at))) return undefined;
    return readRealRange(path, this.#format(at), from, length);
  }

  notebook(at: Location): NotebookCell[] | undefined {
    return unsavedNotebook(this.uri(at));
  }

  async list(at: Location): Promise<DirectoryEntry[]> {
    const path = this.#realPath(at);
    if (path !== undefined) return listReal(path, this.#format(at));
    const entries = await vscode.workspace.fs.readDirectory(this.uri(at));
    return entries.map(([name, type]) => ({
      name,
      type: type & vscode.FileType.Directory ? 'directory' : type & vscode.FileType.File ? 'file' : 'other',
      ...(type & vscode.FileType.SymbolicLink && { link: true }),
    }));
  }

  async find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }> {
    const { findIn } = await import('./search.ts');
    return findInFolders(this, query, (folder, own) => findIn(this.#place(folder), own, signal));
  }

  async *search(query: SearchQuery, signal: AbortSignal): AsyncGenerator<SearchHit> {
    const { searchIn } = await import('./search.ts');
    yield* searchInFolders(this, query, (folder, own) => searchIn(this.#place(folder), this.#unsavedIn(folder), own, signal));
  }

  #place(folder: number): Place {
    return { ...(this.folders[folder] as OpenFolder), ripgrep: this.#ripgrep };
  }

  #unsavedIn(folder: number): Map<string, vscode.TextDocument> {
    const unsaved = new Map<string, vscode.TextDocument>();
    for (const document of vscode.workspace.textDocuments) {
      const at = document.isDirty ? this.locate(document.uri) : undefined;
      if (at?.folder === folder) unsaved.set(at.path, document);
    }
    return unsaved;
  }
}

export function unsavedDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.isDirty && document.uri.toString() === uri.toString());
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof vscode.FileSystemError ? error.code : (error as { code?: unknown } | undefined)?.code;
  return code === 'FileNotFound' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'FileNotADirectory';
}
