/** Connects to an MCP server over its standard input and output. */
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ServerProcess, ServerSpec, StartServer } from '../types.ts';

const MAX_STDERR = 2_000;

export class ProcessTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** The end of the program's standard error output. */
  stderr = '';
  readonly #spec: ServerSpec;
  readonly #start: StartServer;
  readonly #onLog: (text: string) => void;
  readonly #buffer = new ReadBuffer();
  #server: ServerProcess | undefined;

  constructor(spec: ServerSpec, start: StartServer, onLog: (text: string) => void) {
    this.#spec = spec;
    this.#start = start;
    this.#onLog = onLog;
  }

  async start(): Promise<void> {
    this.#server = await this.#start(this.#spec, {
      output: (chunk) => this.#read(chunk),
      said: (text) => {
        this.stderr = (this.stderr + text).slice(-MAX_STDERR);
        this.#onLog(text);
      },
      closed: () => this.onclose?.(),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#server?.send(serializeMessage(message));
  }

  async close(): Promise<void> {
    await this.#server?.stop();
  }

  #read(chunk: Uint8Array): void {
    try {
      this.#buffer.append(chunk as Buffer);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // The line is not a valid message.
        this.onerror?.(error as Error);
      }
    }
  }
}
