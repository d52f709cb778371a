/** Manages the configured MCP servers. A server is connected when a run first needs it, and stays connected until the host closes. */
import { abortable } from '../core/abort.ts';
import type { Tool } from '../core/run/tool.ts';
import type { Mode } from '../core/session/events.ts';
import type { McpServerConfig } from './config.ts';
import { fingerprintOf, mcpTool } from './tools.ts';
import type { Connect, McpConnection, McpTool, StartServer } from './types.ts';

const CONNECT_MS = 10_000;
/** The time in milliseconds after a failed connection before the server is tried again. */
const PATIENCE_MS = 60_000;

type Opened = { connection: McpConnection; tools: McpTool[]; fingerprint: string };
type Entry = {
  config: McpServerConfig;
  opened?: Promise<Opened> | undefined;
  failedAt?: number;
  connection?: McpConnection;
  /** Set while a connection is being made. Settles when it succeeds, or when a failed attempt has been cleaned up. */
  connecting?: Promise<McpConnection> | undefined;
};

export type McpPorts = {
  /** The user's current configuration. */
  configured(): Map<string, McpServerConfig>;
  load(): Promise<{ connect: Connect }>;
  start: StartServer;
  /** Called once for each failure. The run continues without the server. */
  onProblem(text: string): void;
  now?(): number;
};

export class McpServers {
  readonly #ports: McpPorts;
  readonly #entries = new Map<string, Entry>();
  #closing = new AbortController();

  constructor(ports: McpPorts) {
    this.#ports = ports;
  }

  /** Returns the tools of all servers for a run. In Ask and Plan mode, only tools that the user declared as read-only are included. */
  async toolsFor(mode: Mode): Promise<Tool[]> {
    const configs = [...this.#ports.configured()].filter(([, { readOnlyTools }]) => mode === 'agent' || (readOnlyTools?.length ?? 0) > 0);
    this.#forget();
    const lists = await Promise.all(configs.map(([name, config]) => this.#toolsOf(name, config)));
    const names = new Set<string>();
    return lists.flat().filter(({ effect, name }) => (mode === 'agent' || effect === 'readonly') && !names.has(name) && names.add(name));
  }

  /** Resolves when all servers have ended. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#closing.abort();
    this.#closing = new AbortController();
    await Promise.all(entries.map(({ connection, connecting }) => end(connecting ?? connection)));
  }

  async #toolsOf(name: string, config: McpServerConfig): Promise<Tool[]> {
    const failedAt = this.#entries.get(name)?.failedAt ?? -Infinity;
    if (this.#now() - failedAt < PATIENCE_MS) return [];
    try {
      const { tools, fingerprint } = await this.#open(name, config);
      const server = { name, open: (stopped: AbortSignal) => this.#open(name, config, stopped) };
      // If two tools get the same name, the first one in this order is used, whatever order the server lists them in.
      const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return sorted.map((tool) => mcpTool(server, tool, fingerprint, config.readOnlyTools?.includes(tool.name) ?? false));
    } catch (error) {
      this.#entries.set(name, { config, failedAt: this.#now() });
      const why = error instanceof Error ? error.message : String(error);
      this.#ports.onProblem(`The MCP server ${name} cannot be used: ${why.replace(/\.?$/, '.')} Check its settings.`);
      return [];
    }
  }

  async #open(name: string, config: McpServerConfig, signal?: AbortSignal): Promise<Opened> {
    const entry: Entry = this.#entries.get(name) ?? { config };
    this.#entries.set(name, entry);
    if (!entry.opened) {
      const opening = this.#connect(name, entry);
      entry.opened = opening;
      opening.catch(() => {
        if (entry.opened === opening) entry.opened = undefined;
      });
    }
    // A caller that stops waiting must not close the connection for others.
    return signal ? abortable(entry.opened, signal) : entry.opened;
  }

  async #connect(name: string, entry: Entry): Promise<Opened> {
    const timeout = AbortSignal.timeout(CONNECT_MS);
    const signal = AbortSignal.any([timeout, this.#closing.signal]);
    const work = async () => {
      const { connect } = await this.#ports.load();
      let own: McpConnection | undefined;
      const events = {
        // The tool list is fetched again on next use; the connection stays open.
        onChanged: () => {
          entry.opened = undefined;
        },
        onClosed: () => {
          // The event of an earlier connection may arrive after a new connection was made.
          if (entry.connection !== own) return;
          entry.opened = undefined;
          delete entry.connection;
        },
      };
      if (!entry.connection) {
        entry.connecting = connect(name, entry.config, events, this.#ports.start, signal);
        own = await entry.connecting.finally(() => {
          entry.connecting = undefined;
        });
        entry.connection = own;
      }
      const tools = await entry.connection.tools(signal);
      return { connection: entry.connection, tools, fingerprint: await fingerprintOf(tools) };
    };
    try {
      return await abortable(work(), signal);
    } catch (error) {
      void entry.connection?.close().catch(() => undefined);
      delete entry.connection;
      throw timeout.aborted ? new Error(`it did not answer within ${CONNECT_MS / 1000} seconds.`) : error;
    }
  }

  /** Closes servers that were removed from the configuration or changed. */
  #forget(): void {
    const configured = this.#ports.configured();
    for (const [name, { config, connection, connecting }] of this.#entries) {
      if (JSON.stringify(configured.get(name)) === JSON.stringify(config)) continue;
      this.#entries.delete(name);
      void end(connection ?? connecting);
    }
  }

  #now(): number {
    return this.#ports.now?.() ?? Date.now();
  }
}

async function end(connection: McpConnection | Promise<McpConnection> | undefined): Promise<void> {
  try {
    await (await connection)?.close();
  } catch {
    // The connection failed or is already closed.
  }
}
