/**
 * An open folder with a unique name. `roots` are its absolute paths on this computer: the path by which it was opened, and this path with
 * symbolic links resolved.
 */
export type Folder = { readonly name: string; readonly roots?: readonly string[] };

/** A file's location: an index into the open folders and a `/`-separated path in that folder, '' for the folder itself. */
export type Location = { folder: number; path: string };

export type FileStat = {
  type: 'file' | 'directory' | 'other';
  size: number;
  /** Whether the last component of the path is a symbolic link. */
  link: boolean;
  /** The permission bits, when the file system has them. */
  mode?: number;
};

/** `unsaved` is true when the bytes come from an open document with unsaved changes, which take precedence over the disk. */
export type FileBytes = { bytes: Uint8Array; unsaved: boolean };

/** `language` is set for code cells. `outputs` contains printed output as text. */
export type NotebookCell = { kind: 'code' | 'markdown' | 'raw'; language?: string; source: string; outputs: string[] };

/** `include` is a glob on paths relative to a folder. Without `folder`, all folders are searched, and `limit` applies to them together. */
export type FindQuery = {
  include?: string;
  folder?: number;
  limit: number;
  /** Whether a file is excluded. The content of an excluded file has no effect on the results, their order or the limit. */
  hides?: (at: Location) => boolean;
};
/** With a `limit` of 0, only the pattern is checked. */
export type SearchQuery = FindQuery & { pattern: string; regex: boolean; caseSensitive: boolean; wholeWord: boolean };
/** `line` counts from 1. `text` is the line without its line ending, cut off when it is very long. */
export type SearchHit = Location & { line: number; text: string };

/**
 * Read access to the files of a host: an editor, Node or a test. `read`, `readRange` and `list` expect a location that `canonical`
 * returned, and throw a PathError when its path has changed, for example by a new symbolic link.
 */
export interface FileSystem {
  readonly folders: readonly Folder[];
  /**
   * Resolves all symbolic links. For a path that does not exist, the links of its deepest existing ancestor are resolved. Returns undefined
   * when the result is outside all open folders.
   */
  canonical(at: Location): Promise<Location | undefined>;
  stat(at: Location): Promise<FileStat | undefined>;
  /** @throws Error when the file does not exist. */
  read(at: Location): Promise<FileBytes>;
  /**
   * Reads `length` bytes from the offset `from`, or fewer at the end of the file. Returns undefined when the file can only be read
   * completely.
   */
  readRange?(at: Location, from: number, length: number): Promise<Uint8Array | undefined>;
  /** Returns the cells of an open notebook with unsaved changes, which are not on disk. */
  notebook?(at: Location): NotebookCell[] | undefined;
  /** `link` marks symbolic links, whose `type` is that of their target. */
  list(at: Location): Promise<{ name: string; type: FileStat['type']; link?: boolean }[]>;
  /** Whether `.kedgeignore` excludes the file. All other methods refuse or omit excluded files. */
  hides?(at: Location): boolean;
  /**
   * Finds the files that are not ignored, sorted by path. If only the editor can search, its exclude settings apply instead of ignore
   * files. `truncated` is true when there are more than `limit` files.
   */
  find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }>;
  /**
   * Yields the first matching lines, grouped by file. @throws Error with a readable message when the pattern is not a valid regular
   * expression.
   */
  search(query: SearchQuery, signal: AbortSignal): AsyncIterable<SearchHit>;
}

/**
 * The change of one file from `before` to `after`, where undefined means that the file does not exist. The `path` of a directory ends with
 * a slash, and an existing directory has empty content.
 */
export type FileChange = {
  path: string;
  at: Location;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  /** The old path of a moved file, for display. */
  movedFrom?: string;
  /** The permissions of a file that is created, when they are known. */
  mode?: number | undefined;
};

/** Thrown by a writer that is certain to have changed nothing. If a file has new content, another program wrote it. */
export class NothingWritten extends Error {
  override name = 'NothingWritten';
}

/** Write access to files. Only the write gate receives it. */
export interface Writer {
  /**
   * Applies all changes in one step, which the user can undo when the host supports it. @throws NothingWritten when nothing was changed.
   * After any other error some changes may be applied, and the gate rolls them back.
   */
  commit(changes: readonly FileChange[]): Promise<void>;
  /** Undoes a write that a crash interrupted. It is called before the first write and may be called repeatedly. */
  recover?(): Promise<void>;
}

/** Contents by their SHA-256 digest in hexadecimal, stored outside the workspace. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  get(hash: string): Promise<Uint8Array | undefined>;
}
