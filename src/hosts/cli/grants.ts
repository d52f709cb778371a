/** What the user allowed for good in a folder. It is kept beside the folder's sessions, never in the folder. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { isSamePermission, type Permission, permissionText } from '../../core/session/grant-scope.ts';
import { makeDirectory } from '../../sessions/directory.ts';

/** Built where there is such a file, which most folders do not have. */
const keptSchema = () =>
  z.object({
    covers: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('edits') }),
        z.object({ kind: z.literal('path'), tool: z.string(), glob: z.string() }),
        z.object({ kind: z.literal('command'), prefix: z.array(z.string()).min(1), folders: z.array(z.string()).min(1).exactOptional() }),
        z.object({ kind: z.literal('host'), host: z.string(), private: z.literal(true).exactOptional() }),
        z.object({ kind: z.literal('mcp'), server: z.string(), tool: z.string(), fingerprint: z.string().exactOptional() }),
      ]),
    ),
    revokedAt: z.number().default(0),
  });

type Kept = z.infer<ReturnType<typeof keptSchema>>;

export class KeptGrants {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  list(): readonly Permission[] {
    return this.#read().covers;
  }

  revokedAt(): number {
    return this.#read().revokedAt;
  }

  add(covers: Permission): void {
    const kept = this.#read();
    if (kept.covers.some((known) => isSamePermission(known, covers))) return;
    this.#write({ ...kept, covers: [...kept.covers, covers] });
  }

  /** By its place in the list, from 1; all of it without one. @returns what is no longer allowed. */
  clear(place?: number): readonly Permission[] {
    const kept = this.#read();
    const gone = place === undefined ? kept.covers : kept.covers.slice(place - 1, place);
    const left = kept.covers.filter((covers) => !gone.includes(covers));
    this.#write({ covers: left, revokedAt: place === undefined ? Date.now() : kept.revokedAt });
    return gone;
  }

  /** What cannot be read allows nothing. */
  #read(): Kept {
    try {
      const text = readFileSync(this.#file, 'utf8');
      return keptSchema().parse(JSON.parse(text));
    } catch {
      return { covers: [], revokedAt: 0 };
    }
  }

  #write(kept: Kept): void {
    makeDirectory(dirname(this.#file));
    const beside = `${this.#file}.${process.pid}`;
    writeFileSync(beside, `${JSON.stringify(kept, null, 1)}\n`, { mode: 0o600 });
    renameSync(beside, this.#file);
  }
}

export function describeGrants(covers: readonly Permission[]): string {
  if (covers.length === 0) return 'Nothing is allowed without asking in this folder.';
  return covers.map((each, index) => `${index + 1}  ${permissionText(each)}`).join('\n');
}
