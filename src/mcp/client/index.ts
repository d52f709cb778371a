/** Connects to one MCP server with the official SDK. Only this folder imports the SDK, so it is loaded when the first server is used. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../config.ts';
import type { Connect, McpResource, McpTool, StartServer } from '../types.ts';
import { ProcessTransport } from './process-transport.ts';
import { resourceParts, resultParts } from './results.ts';
import { schemaValidator } from './schemas.ts';

const MAX_TOOLS = 200;
const MAX_RESOURCES = 500;
/** The SDK requires a timeout. It is long, because the limits of the run or the user can end a call earlier. */
const CALL_MS = 24 * 60 * 60_000;

export const connect: Connect = async (name, config, { onChanged, onResourcesChanged, onLog, onClosed }, start, signal) => {
  const validator = schemaValidator();
  const client = new Client({ name: 'kedge', version: '1.0.0' }, { jsonSchemaValidator: validator });
  const { transport, stderr } = transportOf(config, start, onLog);
  client.onclose = onClosed;
  client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged);
  client.setNotificationHandler(ResourceListChangedNotificationSchema, onResourcesChanged);
  try {
    await client.connect(transport, { signal });
  } catch (error) {
    await client.close().catch(() => undefined);
    const stderrText = stderr().trim();
    throw new Error(`${reason(error)}${stderrText ? ` Its error output: ${stderrText}` : ''}`);
  }
  const failure = (error: unknown) =>
    new Error(`The MCP server ${name} failed: ${reason(error).replace(/\.?$/, '.')} Try again, or continue without it.`);
  return {
    async tools(stopped) {
      const tools: McpTool[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor }, { signal: stopped });
        for (const { name: tool, description = '', inputSchema } of page.tools) tools.push({ name: tool, description, inputSchema });
        cursor = page.nextCursor;
      } while (cursor !== undefined && tools.length < MAX_TOOLS);
      return tools.slice(0, MAX_TOOLS);
    },
    async resources(stopped) {
      if (!client.getServerCapabilities()?.resources) return [];
      const resources: McpResource[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listResources(cursor === undefined ? {} : { cursor }, { signal: stopped });
        for (const { uri, name: own, title, description = '' } of page.resources) resources.push({ uri, name: title ?? own, description });
        cursor = page.nextCursor;
      } while (cursor !== undefined && resources.length < MAX_RESOURCES);
      return resources.slice(0, MAX_RESOURCES);
    },
    async read(uri, stopped) {
      const reading = during(stopped, (signal) => client.readResource({ uri }, { signal, timeout: CALL_MS }));
      const { contents } = await reading.catch((error) => {
        throw stopped.aborted ? error : failure(error);
      });
      return resourceParts(contents);
    },
    misfit({ inputSchema }, input) {
      try {
        const checked = validator.getValidator(inputSchema)(input);
        return checked.valid ? undefined : checked.errorMessage;
      } catch {
        // The client cannot check a schema that it does not support. The server checks the input instead.
        return undefined;
      }
    },
    async call(tool, input, stopped, progress) {
      const onprogress = (at: { message?: string; progress: number; total?: number }) =>
        progress(at.message ?? (at.total === undefined ? `${at.progress}` : `${at.progress} of ${at.total}`));
      const pendingCall = during(stopped, (signal) =>
        client.callTool({ name: tool, arguments: input }, undefined, { signal, timeout: CALL_MS, onprogress }),
      );
      const result = await pendingCall.catch((error) => {
        throw stopped.aborted ? error : failure(error);
      });
      const { content, structuredContent, isError } = result as CallToolResult;
      return { content: resultParts(content, structuredContent), isError: isError === true };
    },
    close: () => client.close(),
  };
};

function transportOf(
  config: McpServerConfig,
  start: StartServer,
  onLog: (text: string) => void,
): { transport: Transport; stderr: () => string } {
  if ('url' in config) {
    const transport = new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: config.headers ?? {} } });
    return { transport: transport as Transport, stderr: () => '' };
  }
  const { command, args = [], env, cwd } = config;
  // Besides the configured variables, a server receives only a few harmless variables, so it does not receive API keys from the user's environment.
  const spec = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...(cwd && { cwd }) };
  const transport = new ProcessTransport(spec, start, onLog);
  return { transport, stderr: () => transport.stderr };
}

/** Gives each call its own signal. The SDK never removes its listeners, so they would accumulate on the signal of the run. */
async function during<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
