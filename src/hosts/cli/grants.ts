/**
 * Stores the permissions that the user granted permanently for a folder. They are stored beside the folder's sessions, never in the folder
 * itself.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { isSamePermission, type Permission } from '../../core/session/grant-scope.ts';
import { makeDirectory } from '../../sessions/directory.ts';

/** Builds the schema only when a grants file exists: most folders have none, and building the schema takes time. */
const grantsFileSchema = () =>
  z.object({
    covers: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('edits') }),
        z.object({ kind: z.literal('path'), tool: z.string(), glob: z.string() }),
        z.object({ kind: z.literal('command'), prefix: z.array(z.string()).min(1), folders: z.array(z.string()).min(1).exactOptional() }),
        z.object({
          kind: z.literal('host'),
          host: z.string(),
          private: z.literal(true).exactOptional(),
          tool: z.literal('browse').exactOptional(),
        }),
        z.object({ kind: z.literal('mcp'), server: z.string(), tool: z.string(), fingerprint: z.string().exactOptional() }),
      ]),
    ),
    revokedAt: z.number().default(0),
  });

type GrantsFile = z.infer<ReturnType<typeof grantsFileSchema>>;

export class StoredGrants {
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
    const stored = this.#read();
    if (stored.covers.some((each) => isSamePermission(each, covers))) return;
    this.#write({ ...stored, covers: [...stored.covers, covers] });
  }

  /**
   * Removes the permission at `position` in the list, counted from 1, or all permissions if `position` is undefined. @returns the removed
   * permissions.
   */
  clear(position?: number): readonly Permission[] {
    const stored = this.#read();
    const removed = position === undefined ? stored.covers : stored.covers.slice(position - 1, position);
    const remaining = stored.covers.filter((covers) => !removed.includes(covers));
    this.#write({ covers: remaining, revokedAt: position === undefined ? Date.now() : stored.revokedAt });
    return removed;
  }

  /** If the file cannot be read, no permission is granted. */
  #read(): GrantsFile {
    try {
      const text = readFileSync(this.#file, 'utf8');
      return grantsFileSchema().parse(JSON.parse(text));
    } catch {
      return { covers: [], revokedAt: 0 };
    }
  }

  #write(content: GrantsFile): void {
    makeDirectory(dirname(this.#file));
    const temporaryFile = `${this.#file}.${process.pid}`;
    writeFileSync(temporaryFile, `${JSON.stringify(content, null, 1)}\n`, { mode: 0o600 });
    renameSync(temporaryFile, this.#file);
  }
}
