/** The user's agent files with those of installed packages, and which agents of a workspace the user has accepted. */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReadFile } from '../../agents/files.ts';
import type { AgentsPort } from '../../app/ports.ts';
import { makeDirectory } from '../../sessions/directory.ts';
import { decodeText } from '../../workspace/content.ts';
import { readRegular } from './files/real-files.ts';
import { packageDirectories } from './sharing/registry.ts';

const ENDING = '.md';
const MAX_BYTES = 256_000;
const MAX_FILES = 100;
const MAX_ACCEPTED = 1_000;

export class AgentFiles implements Omit<AgentsPort, 'review'> {
  readonly #directory: string;
  readonly #acceptedFile: string;

  /** `accepted` is the file for the digests that the user accepted. */
  constructor(places: { directory: string; accepted: string }) {
    this.#directory = places.directory;
    this.#acceptedFile = places.accepted;
  }

  get directory(): string {
    return this.#directory;
  }

  async userFiles(): Promise<ReadFile[]> {
    return this.#files().map(({ directory, name }): ReadFile => {
      const path = join(directory, name);
      const file = { path, fileName: name.slice(0, -ENDING.length) };
      try {
        if (statSync(path).size > MAX_BYTES) return { ...file, problem: `The file is larger than ${MAX_BYTES / 1000} kB.` };
        const text = decodeText(readRegular(path));
        return text === undefined ? { ...file, problem: 'The file is not a text file.' } : { ...file, text };
      } catch {
        return { ...file, problem: 'The file cannot be read.' };
      }
    });
  }

  accepted(path: string): string | undefined {
    return this.#read().get(path);
  }

  accept(path: string, digest: string): void {
    const accepted = this.#read();
    // The newest is last, so that the oldest is removed first.
    accepted.delete(path);
    accepted.set(path, digest);
    makeDirectory(dirname(this.#acceptedFile));
    const temporary = `${this.#acceptedFile}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify([...accepted].slice(-MAX_ACCEPTED), null, 1)}\n`, { mode: 0o600 });
    renameSync(temporary, this.#acceptedFile);
  }

  /** The user's own files come before those of installed packages. */
  #files(): { directory: string; name: string }[] {
    const packages = packageDirectories(dirname(this.#directory)).map((folder) => join(folder, 'agents'));
    const all = [this.#directory, ...packages].flatMap((directory) => namesIn(directory).map((name) => ({ directory, name })));
    return all.slice(0, MAX_FILES);
  }

  /** If the file cannot be read, no agent is accepted. */
  #read(): Map<string, string> {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#acceptedFile, 'utf8'));
      const isPair = (each: unknown): each is [string, string] =>
        Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === 'string');
      return new Map(Array.isArray(value) ? value.filter(isPair) : []);
    } catch {
      return new Map();
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(ENDING) && name.length > ENDING.length)
      .sort();
  } catch {
    return [];
  }
}
