/** Reads the MCP servers in files of VS Code, and remembers which servers of a workspace the user has approved. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConfiguredServers } from '../../../mcp/config.ts';
import { readDefinitions } from '../../../mcp/definitions/vscode-file.ts';
import { makeDirectory } from '../../../sessions/directory.ts';

const MAX_BYTES = 1_000_000;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

export type Definitions = Pick<ConfiguredServers, 'servers' | 'problems'>;
type Place = { path: string; folder?: string; isWorkspace?: boolean };
type Cached = { changed: string; read: Definitions };

/** Returns the path of the file in which a folder defines servers. */
export function workspaceFile(folder: string): string {
  return join(folder, '.vscode', 'mcp.json');
}

/** Reads files again only when they have changed. */
export class DefinitionFiles {
  readonly #cache = new Map<string, Cached>();

  /** Returns the servers of all files. If two files define servers with the same name, the first one counts. */
  read(places: readonly Place[]): Definitions {
    const all: Definitions = { servers: new Map(), problems: [] };
    for (const place of places) {
      const { servers, problems } = this.#readOne(place);
      all.problems.push(...problems);
      for (const [name, config] of servers) if (!all.servers.has(name)) all.servers.set(name, config);
    }
    return all;
  }

  #readOne({ path, folder, isWorkspace }: Place): Definitions {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      // Reading a pipe or a device could wait forever.
      if (!stats?.isFile()) return { servers: new Map(), problems: [] };
      if (stats.size > MAX_BYTES) return { servers: new Map(), problems: [`${path} is too large, so its MCP servers are not used.`] };
      const changed = [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino, folder].join(' ');
      const cached = this.#cache.get(path);
      if (cached?.changed === changed) return cached.read;
      const text = readFileSync(path, 'utf8');
      const read = readDefinitions({ path, text, folder, ...(isWorkspace && { workspace: { digest } }) });
      this.#cache.set(path, { changed, read });
      return read;
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      return { servers: new Map(), problems: [`The MCP servers in ${path} cannot be read (${why}). Check the file.`] };
    }
  }
}

/** The approved definitions of servers or hooks. They are stored beside the sessions of the folder, never in the folder itself. */
export class ApprovedDigests {
  readonly #file: string;

  constructor(storage: string, name: 'mcp-servers.json' | 'hooks.json') {
    this.#file = join(storage, name);
  }

  has(digest: string): boolean {
    return this.#read().includes(digest);
  }

  add(digest: string): void {
    const digests = this.#read();
    if (digests.includes(digest)) return;
    makeDirectory(dirname(this.#file));
    const temporary = `${this.#file}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify([...digests, digest])}\n`, { mode: 0o600 });
    renameSync(temporary, this.#file);
  }

  #read(): string[] {
    try {
      const digests: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(digests) ? digests.filter((each) => typeof each === 'string') : [];
    } catch {
      return [];
    }
  }
}
