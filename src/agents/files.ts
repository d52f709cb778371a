/**
 * Reads the Markdown files of a workspace that describe agents, prompts and skills. A file that is hidden, denied or secret is treated as if
 * it did not exist, also behind a link.
 */
import { decodeText } from '../workspace/content.ts';
import type { Location } from '../workspace/types.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A larger file is not read. */
const MAX_BYTES = 256_000;
/** The maximum number of files of one directory. */
const MAX_FILES = 100;

/** `path` is for the user. Without `text`, the file could not be read, and `problem` is the reason in a sentence. */
export type ReadFile = { path: string; fileName: string } & ({ text: string } | { problem: string });

export class MarkdownFiles {
  readonly #workspace: Workspace;
  readonly #isWithheld: (at: Location) => boolean;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#isWithheld = workspace.withheldFiles();
  }

  /** Reads the files with this ending directly in a directory, ordered by name. `fileName` is the name without the ending. */
  async below(directory: Location, ending: string): Promise<ReadFile[]> {
    const names = (await this.list(directory)).filter(({ name }) => name.endsWith(ending) && name.length > ending.length);
    const read = names
      .map(({ name }) => name)
      .sort()
      .slice(0, MAX_FILES)
      .map(async (name): Promise<ReadFile[]> => {
        const found = await this.read({ ...directory, path: `${directory.path}/${name}` });
        return found ? [{ ...found, fileName: name.slice(0, -ending.length) }] : [];
      });
    return (await Promise.all(read)).flat();
  }

  /** Returns undefined for a file that does not exist or may not be read, and for anything that is not a file. */
  async read(named: Location): Promise<({ path: string } & ({ text: string } | { problem: string })) | undefined> {
    const { fs } = this.#workspace;
    if (this.#isWithheld(named)) return undefined;
    try {
      const at = (await fs.stat(named)) && (await fs.canonical(named));
      if (!at || this.#isWithheld(at)) return undefined;
      const stat = await fs.stat(at);
      if (stat?.type !== 'file') return undefined;
      const path = this.#workspace.display(named);
      if (stat.size > MAX_BYTES) return { path, problem: `The file is larger than ${MAX_BYTES / 1000} kB.` };
      const text = decodeText((await fs.read(at)).bytes);
      return text === undefined ? { path, problem: 'The file is not a text file.' } : { path, text };
    } catch {
      return undefined;
    }
  }

  /** Lists a directory. A directory that does not exist is empty, and so is one behind a link that leads out of the workspace. */
  async list(directory: Location): Promise<{ name: string; type: string; link?: boolean }[]> {
    try {
      const at = directory.path === '' ? directory : await this.#workspace.fs.canonical(directory);
      return at ? await this.#workspace.fs.list(at) : [];
    } catch {
      return [];
    }
  }
}
