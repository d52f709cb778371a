/** Creates the transport to a server: a program with pipes, HTTP, or the older HTTP with server-sent events. */
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpServerConfig } from '../config.ts';
import type { StartServer } from '../types.ts';
import { type Authorization, fetchFor } from './authorization.ts';
import { ProcessTransport } from './process-transport.ts';

export type Opened = { transport: Transport; stderr: () => string; finishAuth: (code: string) => Promise<void> };
type Parts = { start: StartServer; onLog(text: string): void; authProvider: Authorization | undefined };

/** @param isOld whether the server only supports server-sent events */
export async function transportOf(config: McpServerConfig, isOld: boolean, { start, onLog, authProvider }: Parts): Promise<Opened> {
  if ('url' in config) {
    const options = { fetch: fetchFor(config, authProvider), ...(authProvider && { authProvider }) };
    const url = new URL(config.url);
    const transport = isOld
      ? new (await import('@modelcontextprotocol/sdk/client/sse.js')).SSEClientTransport(url, options)
      : new StreamableHTTPClientTransport(url, options);
    return { transport: transport as Transport, stderr: () => '', finishAuth: (code) => transport.finishAuth(code) };
  }
  const { command, args = [], env, cwd } = config;
  // Besides the configured variables, a server receives only a few harmless variables, so it does not receive API keys from the user's environment.
  const spec = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...(cwd && { cwd }) };
  const transport = new ProcessTransport(spec, start, onLog);
  return { transport, stderr: () => transport.stderr, finishAuth: async () => undefined };
}

/** Returns true if an error means that the server may only support server-sent events. */
export function mayBeOld(config: McpServerConfig, error: unknown): boolean {
  return 'url' in config && config.type === undefined && error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0);
}
