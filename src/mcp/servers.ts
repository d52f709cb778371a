/** Manages the configured MCP servers. A server is connected when a run first needs it, and stays connected until the host closes. */
import { abortable } from '../core/abort.ts';
import type { Tool } from '../core/run/tool.ts';
import type { Mode } from '../core/session/events.ts';
import type { ServerStatus } from '../core/view/mcp-servers.ts';
import { isSameServer, type McpServerConfig, overridden, useOf } from './config.ts';
import { type Entry, end, type Opened, timeout } from './entry.ts';
import { overviewText } from './overview.ts';
import type { FilledConfig, McpPorts } from './ports.ts';
import { startTool } from './start-tool.ts';
import { cannotBeUsed, statusOf } from './status.ts';
import { fingerprintOf, mcpTool, resourceTool, shownResource, toolName } from './tools.ts';
import type { IsDenied, Joining, McpConnection, McpTool, ServerResource } from './types.ts';

const CONNECT_MS = 10_000;
/** How long the start of a run waits for servers. The tools of slower servers join later. */
const START_MS = 1_000;
/** How long the user may take to sign in. */
const SIGN_IN_MS = 5 * 60_000;
const RESOURCES_MS = 5_000;
/** How long changes of a list are collected. */
const LIST_MS = 100;
/** The time in milliseconds after a failed connection before the server is tried again. */
const PATIENCE_MS = 60_000;
/** The maximum length of a server's log in characters. */
const MAX_LOG = 10_000;
const UNAPPROVED = 'the workspace defines it, and you have not approved its start. Agent mode asks you before it starts the server.';

export class McpServers {
  readonly #ports: McpPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();
  #closing = new AbortController();

  constructor(ports: McpPorts) {
    this.#ports = ports;
  }

  /**
   * Returns the tools of all servers for a run, without the tools and servers that are denied. A denied server is not started. In Ask and
   * Plan mode, only tools that the user declared as read-only are included. With `joining`, a server that does not answer soon is not
   * waited for.
   */
  async toolsFor(mode: Mode, isDenied: IsDenied, joining?: Joining): Promise<Tool[]> {
    const configs = [...this.#ports.configured()].filter(
      ([name, { readOnlyTools }]) => !isDenied(name) && (mode === 'agent' || (readOnlyTools?.length ?? 0) > 0),
    );
    this.#forget();
    const names = new Set<string>();
    const lists = configs.map(async ([name, config]) => {
      const list = async (): Promise<Tool[]> => {
        const tools = await this.#toolsOf(name, config, joining && (async () => joining.join(await list())));
        return tools.filter((tool) => !isDenied(name, tool.name) && (mode === 'agent' || tool.effect === 'readonly'));
      };
      if (!this.#isUnapproved(config)) return list();
      const start = async () => {
        const tools = await list();
        joining?.join(tools);
        return tools;
      };
      return mode === 'agent' ? [this.#startTool(name, config, start)] : [];
    });
    const over = joining && !joining.waits && timeout(this.#ports.startMs ?? START_MS);
    const soon = await Promise.all(lists.map((list) => (over ? Promise.race([list, over.then(() => undefined)]) : list)));
    for (const [index, list] of lists.entries()) if (!soon[index]) void list.then(joining?.join);
    return soon.flatMap((list) => list ?? []).filter(({ name }) => !names.has(name) && names.add(name));
  }

  /** Returns true for a server that the workspace defines and the user has not approved. It must not be started. */
  #isUnapproved({ origin }: McpServerConfig): boolean {
    return origin?.digest !== undefined && !this.#ports.approved?.has(origin.digest);
  }

  #startTool(name: string, config: McpServerConfig, list: () => Promise<Tool[]>): Tool {
    const { digest = '' } = config.origin ?? {};
    return startTool(name, config, digest, async (signal) => {
      this.#ports.approved?.add(digest);
      // An attempt before the approval has failed.
      if (this.#entries.get(name)?.failedAt !== undefined) this.#entries.delete(name);
      await this.#open(name, config, signal);
      return (await list()).map((tool) => tool.name);
    });
  }

  /** Lists the resources of the connected servers, without starting other servers. A server that does not answer is left out. */
  async resources(): Promise<ServerResource[]> {
    this.#forget();
    const lists = [...this.#entries].map(async ([server, entry]): Promise<ServerResource[]> => {
      entry.resources ??= entry.connection?.resources(AbortSignal.timeout(RESOURCES_MS));
      const found = await entry.resources?.catch(() => {
        entry.resources = undefined;
        return [];
      });
      return (found ?? []).map((resource) => ({ server, ...shownResource(resource) }));
    });
    return (await Promise.all(lists)).flat();
  }

  /** Returns the tool that reads the resources of a configured server. The server is connected when the tool is executed. */
  resourceReader(name: string): Tool | undefined {
    this.#forget();
    const config = this.#ports.configured().get(name);
    const open = (signal: AbortSignal) =>
      this.#open(name, config as McpServerConfig, signal).catch((error) => {
        throw signal.aborted ? error : new Error(cannotBeUsed(name, error));
      });
    return config && resourceTool({ name, open });
  }

  /** Returns the state of each configured server that is turned on, without starting it. */
  status(): ServerStatus[] {
    this.#forget();
    return [...this.#ports.configured()].map(([name, config]) => statusOf(name, config, this.#entries.get(name)));
  }

  /** Calls `listener` whenever a state, a log or a list of tools changes. Returns a function that removes it. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts a server. If it is running, it is stopped first. Resolves when its tools are known or it has failed. */
  async restart(name: string): Promise<void> {
    this.#forget();
    const config = this.#ports.configured().get(name);
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    if (!config) return;
    if (entry) await end(entry.connection ?? entry.connecting);
    await this.#toolsOf(name, config);
  }

  /** Describes the servers that are turned on, and their tools, to a model. Only Agent mode starts servers, except denied servers. */
  async overview(mode: Mode, isDenied: IsDenied): Promise<string> {
    this.#forget();
    const configs = [...this.#ports.configured()].filter(
      ([name, config]) => mode === 'agent' && !isDenied(name) && !this.#isUnapproved(config),
    );
    await Promise.all(configs.map(([name, config]) => this.#toolsOf(name, config)));
    return overviewText(this.status(), isDenied);
  }

  /** Tells the connected servers that the open folders have changed. */
  rootsChanged(): void {
    for (const { connection } of this.#entries.values()) void connection?.rootsChanged();
  }

  /** Resolves when all servers have ended. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#closing.abort();
    this.#closing = new AbortController();
    await Promise.all(entries.map(({ connection, connecting }) => end(connecting ?? connection)));
  }

  async #toolsOf(name: string, config: McpServerConfig, renew?: () => Promise<void>): Promise<Tool[]> {
    const failedAt = this.#entries.get(name)?.failedAt ?? -Infinity;
    if (this.#now() - failedAt < PATIENCE_MS) return [];
    try {
      const { tools, fingerprint } = await this.#open(name, config);
      const server = { name, open: (stopped: AbortSignal) => this.#open(name, config, stopped), ...(renew && { renew }) };
      const use = (tool: McpTool) => useOf(this.#ports.configured().get(name), tool.name);
      // If two tools have the same name, only the first one in this order can be used. The other one is not used even if the first one is turned off.
      const sorted = new Map(tools.toSorted((a, b) => (a.name < b.name ? 1 : -1)).map((tool) => [toolName(name, tool.name), tool]));
      const used = [...sorted.values()].filter((tool) => use(tool) !== 'off').reverse();
      return used.map((tool) => mcpTool(server, tool, fingerprint, () => use(tool)));
    } catch (error) {
      const problem = cannotBeUsed(name, error);
      const { log = '' } = this.#entries.get(name) ?? {};
      this.#entries.set(name, { config, failedAt: this.#now(), error: problem, log });
      this.#changed();
      this.#ports.onProblem(problem);
      return [];
    }
  }

  async #open(name: string, config: McpServerConfig, signal?: AbortSignal): Promise<Opened> {
    if (this.#isUnapproved(config)) throw new Error(UNAPPROVED);
    const entry: Entry = this.#entries.get(name) ?? { config, log: '' };
    this.#entries.set(name, entry);
    if (!entry.opened) {
      const opening = this.#connect(name, entry);
      entry.opened = opening;
      entry.isStarting = true;
      this.#changed();
      const isOver = () => {
        entry.isStarting = false;
        this.#changed();
      };
      opening.then(isOver, () => {
        if (entry.opened === opening) entry.opened = undefined;
        isOver();
      });
    }
    // A caller that stops waiting must not close the connection for others.
    return signal ? abortable(entry.opened, signal) : entry.opened;
  }

  async #connect(name: string, entry: Entry): Promise<Opened> {
    const deadline = new AbortController();
    let patience = CONNECT_MS;
    const expire = () => setTimeout(() => deadline.abort(), patience).unref();
    let timer = expire();
    const signal = AbortSignal.any([deadline.signal, this.#closing.signal]);
    const work = async () => {
      const { connect } = await this.#ports.load();
      let own: McpConnection | undefined;
      const { roots, openAddress, scope } = this.#ports;
      const events = {
        ...(scope && { scope }),
        ...(roots && { roots }),
        ...(openAddress && { openAddress }),
        sampling: {
          isRefused: () => this.#ports.approved?.has(noSampling(name)) ?? false,
          refuse: () => this.#ports.approved?.add(noSampling(name)),
        },
        // The tool list is fetched again on next use; the connection stays open.
        onChanged: () => {
          entry.opened = undefined;
          // If there is a listener, the list of tools is displayed, so it is fetched soon: once for many changes.
          if (this.#listeners.size > 0) entry.listing ??= timeout(LIST_MS).then(() => this.#list(name, entry));
        },
        onLog: (text: string) => {
          entry.log = (entry.log + text).slice(-MAX_LOG);
          this.#changed();
        },
        onResourcesChanged: () => {
          entry.resources = undefined;
        },
        onSignIn: () => {
          clearTimeout(timer);
          patience = SIGN_IN_MS;
          timer = expire();
        },
        onClosed: () => {
          // The event of an earlier connection may arrive after a new connection was made.
          if (entry.connection !== own) return;
          entry.opened = undefined;
          entry.resources = undefined;
          delete entry.connection;
          entry.error = `The MCP server ${name} has exited. It starts again when a run needs it.`;
          this.#changed();
        },
      };
      if (!entry.connection) {
        const { start, signIn, fill } = this.#ports;
        const filled: FilledConfig = (await fill?.(name, entry.config, signal, events.onSignIn)) ?? entry;
        entry.connecting = connect(name, filled.config, events, start, signal, signIn);
        own = await entry.connecting.finally(() => {
          entry.connecting = undefined;
        });
        entry.connection = own;
        await filled.keep?.();
      }
      const tools = (await entry.connection.tools(signal)).map((tool) => overridden(tool, entry.config));
      entry.tools = tools;
      entry.error = undefined;
      return { connection: entry.connection, tools, fingerprint: await fingerprintOf(tools) };
    };
    try {
      return await abortable(work(), signal);
    } catch (error) {
      void entry.connection?.close().catch(() => undefined);
      delete entry.connection;
      throw deadline.signal.aborted ? new Error(`it did not answer within ${patience / 1000} seconds.`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #list(name: string, entry: Entry): Promise<void> {
    entry.listing = undefined;
    if (entry.connection && this.#entries.get(name) === entry) await this.#open(name, entry.config).catch(() => undefined);
  }

  /** Closes servers that were removed from the configuration or changed. */
  #forget(): void {
    const configured = this.#ports.configured();
    for (const [name, { config, connection, connecting }] of this.#entries) {
      if (isSameServer(configured.get(name), config)) continue;
      this.#entries.delete(name);
      void end(connection ?? connecting);
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #now(): number {
    return this.#ports.now?.() ?? performance.now();
  }
}

/** The key under which the user's refusal of all requests of a server to the model is stored. */
function noSampling(name: string): string {
  return `no sampling for ${name}`;
}
