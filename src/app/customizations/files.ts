/** Reads the files of prompts and skills. A file that is hidden, denied or secret is treated as if it did not exist. */
import { visibleText } from '../../core/words/visible-text.ts';
import { isSecret } from '../../policy/secrets.ts';
import { decodeText } from '../../workspace/content.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';
import { withheldFilterOf } from '../run/judge.ts';

export type CustomPorts = Pick<AssistantPorts, 'fileSystem' | 'policy' | 'trusted' | 'userFiles'>;
export type Source = 'user' | 'workspace';

/** The name of a file or directory, where it comes from, its path as it is displayed, and its place in the workspace. */
export type Named = { name: string; source: Source; path: string; at?: Location };
/** A file or directory that cannot be used. */
export type Rejected = Named & { problem: string };

const MAX_BYTES = 200_000;
/** The maximum number of entries of a directory that are looked at. */
const MAX_ENTRIES = 200;

/** A directory with prompt files or skills. */
export class CustomDirectory {
  readonly source: Source;
  readonly at: Location;
  readonly workspace: Workspace;
  readonly #isWithheld: (at: Location) => boolean;

  constructor(source: Source, workspace: Workspace, at: Location) {
    this.source = source;
    this.at = at;
    this.workspace = workspace;
    this.#isWithheld = workspace.withheldFiles();
  }

  below(path: string): Location {
    return { folder: this.at.folder, path: this.at.path === '' ? path : `${this.at.path}/${path}` };
  }

  /** Returns the path as it is displayed: relative to the workspace, or absolute for a file of the user. */
  shown(path: string): string {
    const at = this.below(path);
    if (this.source === 'workspace') return this.workspace.display(at);
    return [this.workspace.fs.folders[at.folder]?.roots?.[0] ?? '', at.path].filter(Boolean).join('/');
  }

  /** Lists the directory by name. A missing directory is empty. */
  async entries(path = ''): Promise<{ name: string; type: string; link?: boolean }[]> {
    const { fs } = this.workspace;
    const at = path === '' ? this.at : this.below(path);
    try {
      const real = at.path === '' ? at : (await fs.stat(at)) && (await fs.canonical(at));
      if (!real) return [];
      const all = (await fs.list(real)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return all.slice(0, MAX_ENTRIES);
    } catch {
      return [];
    }
  }

  /** Returns the text of a file with its hidden characters marked, or why it cannot be read, or undefined if it may not be read. */
  async read(path: string): Promise<{ text: string } | { problem: string } | undefined> {
    const { fs } = this.workspace;
    const named = this.below(path);
    if (this.#isWithheld(named)) return undefined;
    try {
      const at = (await fs.stat(named)) && (await fs.canonical(named));
      if (!at || this.#isWithheld(at)) return undefined;
      const stat = await fs.stat(at);
      if (stat?.type !== 'file') return undefined;
      if (stat.size > MAX_BYTES) return { problem: `The file is larger than ${MAX_BYTES / 1_000} KB.` };
      const text = decodeText((await fs.read(at)).bytes);
      if (text === undefined) return { problem: 'The file is not text.' };
      return { text: visibleText(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')) };
    } catch {
      return { problem: 'The file cannot be read.' };
    }
  }
}

/** Returns the directories of one kind: the user's first, and those of a trusted workspace in the order of `paths`. */
export async function directoriesOf(kind: 'prompts' | 'skills', paths: readonly string[], ports: CustomPorts): Promise<CustomDirectory[]> {
  const own = await ports.userFiles?.(kind);
  const user = own ? own.folders.map((_, folder) => new CustomDirectory('user', userWorkspace(own), { folder, path: '' })) : [];
  if (!ports.trusted()) return user;
  const fs = ports.fileSystem();
  const tops = await Promise.all(fs.folders.map((_, folder) => namesIn(fs, folder)));
  const present = tops.flatMap((names, folder) =>
    paths.filter((path) => names.has(path.split('/', 1)[0] as string)).map((path) => ({ folder, path })),
  );
  if (present.length === 0) return user;
  const workspace = new Workspace(await withIgnoreFiles(fs), withheldFilterOf(ports));
  return [...user, ...present.map((at) => new CustomDirectory('workspace', workspace, at))];
}

/** The user's own files are read through the same code as those of a workspace. The rules of the workspace do not apply to them. */
function userWorkspace(fs: FileSystem): Workspace {
  return new Workspace(fs, () => isSecret);
}

async function namesIn(fs: FileSystem, folder: number): Promise<Set<string>> {
  try {
    return new Set((await fs.list({ folder, path: '' })).map(({ name }) => name));
  } catch {
    return new Set();
  }
}

/** Returns a filter for the files of the workspace whose names and contents must not become part of a prompt. */
export async function withheldIn(ports: CustomPorts): Promise<(at: Location) => Promise<boolean>> {
  const fs = await withIgnoreFiles(ports.fileSystem());
  const isWithheld = new Workspace(fs, withheldFilterOf(ports)).withheldFiles();
  return async (at) => {
    if (isWithheld(at)) return true;
    const real = await fs.canonical(at).catch(() => undefined);
    return real === undefined || isWithheld(real);
  };
}
