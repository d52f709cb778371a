/** Connects to one MCP server with the official SDK. Only this folder imports the SDK, so it is loaded when the first server is used. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../config.ts';
import type { Connect, McpTool, StartServer } from '../types.ts';
import { ProcessTransport } from './process-transport.ts';
import { resultParts } from './results.ts';
import { schemaValidator } from './schemas.ts';

const MAX_TOOLS = 200;
/** The SDK requires a time-out. It is long, because the limits of the run or the user can end a call earlier. */
const CALL_MS = 24 * 60 * 60_000;

export const connect: Connect = async (name, config, { onChanged, onClosed }, start, signal) => {
  const validator = schemaValidator();
  const client = new Client({ name: 'kedge', version: '1.0.0' }, { jsonSchemaValidator: validator });
  const { transport, stderr } = transportOf(config, start);
  client.onclose = onClosed;
  client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged);
  try {
    await client.connect(transport, { signal });
  } catch (error) {
    await client.close().catch(() => undefined);
    const stderrText = stderr().trim();
    throw new Error(`${reason(error)}${stderrText ? ` Its error output: ${stderrText}` : ''}`);
  }
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
        if (stopped.aborted) throw error;
        throw new Error(`The MCP server ${name} failed: ${reason(error).replace(/\.?$/, '.')} Try again, or continue without it.`);
      });
      const { content, structuredContent, isError } = result as CallToolResult;
      return { content: resultParts(content, structuredContent), isError: isError === true };
    },
    close: () => client.close(),
  };
};

function transportOf(config: McpServerConfig, start: StartServer): { transport: Transport; stderr: () => string } {
  if ('url' in config) {
    const transport = new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: config.headers ?? {} } });
    return { transport: transport as Transport, stderr: () => '' };
  }
  const { command, args = [], env, cwd } = config;
  // Besides the configured variables, a server receives only a few harmless ones, so it gets no API keys from the user's environment.
  const spec = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...(cwd && { cwd }) };
  const transport = new ProcessTransport(spec, start);
  return { transport, stderr: () => transport.stderr };
}

/** Gives each call a signal of its own. The SDK never removes its listeners, so they would accumulate on the signal of the run. */
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
