/** The documents that are open in the client, from when its session is known. */
import { RequestError } from '@agentclientprotocol/sdk';
import type { SessionClient } from '../client.ts';
import type { Documents } from './client-files.ts';

export class ClientDocuments implements Documents {
  #client: SessionClient | undefined;
  #signal: () => AbortSignal = () => new AbortController().signal;

  /** `signal` returns the signal that ends waiting for the client. */
  attach(client: SessionClient, signal: () => AbortSignal): void {
    this.#client = client;
    this.#signal = signal;
  }

  /** A client that cannot read a file, for example because it is not in its project, does not have it open. */
  async read(path: string): Promise<string | undefined> {
    if (!this.#client) return undefined;
    const signal = this.#signal();
    try {
      return await this.#client.readFile(path, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isLate(error)) throw new Error('The editor did not return the file in time. Try again.');
      return undefined;
    }
  }

  async write(path: string, text: string): Promise<void> {
    try {
      await this.#client?.writeFile(path, text);
    } catch (error) {
      throw new Error(isLate(error) ? 'The editor did not write the file in time.' : `The editor reported: ${(error as Error).message}`);
    }
  }
}

const CANCELLED = -32800;

function isLate(error: unknown): boolean {
  return error instanceof RequestError && error.code === CANCELLED;
}
