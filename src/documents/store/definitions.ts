/** The definitions of collections on disk: each has a directory with its definition and its index. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn } from '../../core/json.ts';
import { replaceFile } from '../../sessions/directory.ts';
import type { Source } from '../collections.ts';
import type { Scope } from './sources.ts';

/** `isDamaged`: the file has no valid list of sources, so what belongs to the collection is unknown. */
export type Definition = { name: string; scope: Scope; sources: Source[]; directory: string; isDamaged?: true };

/** The error for a name, a source or a command that is not valid. Its message says how to correct it. */
export class CollectionError extends Error {
  override name = 'CollectionError';
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}[a-z0-9_-]$|^[a-z0-9]$/;
/** Windows reserves these names, also with an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/** @throws CollectionError */
export function expectName(name: string): void {
  if (NAME.test(name) && !RESERVED.test(name) && !name.includes('..')) return;
  throw new CollectionError(
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of a collection. Use up to 64 lowercase letters, digits, and - _ . between them.`,
  );
}

export class Definitions {
  readonly #roots: Readonly<Record<Scope, string>>;

  constructor(roots: Readonly<Record<Scope, string>>) {
    this.#roots = roots;
  }

  /** Returns the collections of the workspace and then the global ones, by name. A name of the workspace hides the same global name. */
  list(): Definition[] {
    const all = (['workspace', 'global'] as const).flatMap((scope) =>
      namesIn(this.#roots[scope]).flatMap((name) => this.#read(name, scope) ?? []),
    );
    const names = new Set<string>();
    return all.filter(({ name }) => !names.has(name) && names.add(name));
  }

  find(name: string): Definition | undefined {
    return isName(name) ? (this.#read(name, 'workspace') ?? this.#read(name, 'global')) : undefined;
  }

  write({ name, scope, sources }: Pick<Definition, 'name' | 'scope' | 'sources'>): Definition {
    expectName(name);
    const directory = join(this.#roots[scope], name);
    replaceFile(join(directory, FILE), `${JSON.stringify({ version: 1, sources }, undefined, 2)}\n`);
    return { name, scope, sources, directory };
  }

  /** Removes a collection, its definition first, so that an interrupted removal leaves no collection. */
  remove({ directory }: Definition): void {
    rmSync(join(directory, FILE), { force: true });
    rmSync(directory, { recursive: true, force: true });
  }

  #read(name: string, scope: Scope): Definition | undefined {
    const directory = join(this.#roots[scope], name);
    let text: string;
    try {
      text = readFileSync(join(directory, FILE), 'utf8');
    } catch {
      return undefined;
    }
    const { sources } = (jsonIn(text) ?? {}) as { sources?: unknown };
    if (Array.isArray(sources) && sources.every(isSource)) return { name, scope, directory, sources };
    return { name, scope, directory, sources: [], isDamaged: true };
  }
}

const FILE = 'collection.json';

function namesIn(root: string): string[] {
  try {
    return readdirSync(root).filter(isName).sort();
  } catch {
    return [];
  }
}

function isName(name: string): boolean {
  try {
    expectName(name);
    return true;
  } catch {
    return false;
  }
}

function isSource(value: unknown): value is Source {
  const { kind, path, glob, url, depth, pages } = (value ?? {}) as Record<string, unknown>;
  if (kind === 'folder' || kind === 'file') return typeof path === 'string';
  if (kind === 'glob') return typeof path === 'string' && typeof glob === 'string';
  return kind === 'url' && typeof url === 'string' && typeof depth === 'number' && typeof pages === 'number';
}
