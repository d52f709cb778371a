/** Connects to one MCP server with the official SDK. Only this folder imports the SDK, so it is loaded when the first server is used. */
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../config.ts';
import type { Ask, Connect, McpResource, McpTool, StartServer } from '../types.ts';
import { Authorization, fetchFor } from './authorization.ts';
import { elicited } from './elicitation.ts';
import { ProcessTransport } from './process-transport.ts';
import { resourceParts, resultParts } from './results.ts';
import { schemaValidator } from './schemas.ts';

const MAX_TOOLS = 200;
const MAX_RESOURCES = 500;
/** The SDK requires a timeout. It is long, because the limits of the run or the user can end a call earlier. */
const CALL_MS = 24 * 60 * 60_000;

/** How often a request is repeated after a sign-in: once for the sign-in itself, and once for a larger scope. */
const SIGN_INS = 2;

export const connect: Connect = async (name, config, events, start, signal, signIn) => {
  const validator = schemaValidator();
  /** Ends the wait for a sign-in, during the request that needs it. */
  let waiting = signal;
  /** The functions that ask the user, of the calls in progress. A request of the server does not say to which call it belongs. */
  const asks: Ask[] = [];
  const authorization =
    'url' in config && signIn && !hasOwnKey(config.headers)
      ? await Authorization.open(name, config, signIn, { signal: () => waiting, onSignIn: events.onSignIn })
      : undefined;
  /** Repeats a request after the user has signed in, or has agreed to a larger scope. */
  const signedIn = async <T>(request: () => Promise<T>, finish: (code: string) => Promise<void>): Promise<T> => {
    for (let left = SIGN_INS; ; left--) {
      try {
        return await request();
      } catch (error) {
        const code = error instanceof UnauthorizedError && left > 0 ? authorization?.takeCode() : undefined;
        if (code === undefined) throw error;
        await finish(code);
      }
    }
  };
  let finish = async (_code: string) => {};
  const finishLast = (code: string) => finish(code);
  const open = async () => {
    const client = new Client(
      { name: 'kedge', version: '1.0.0' },
      {
        jsonSchemaValidator: validator,
        capabilities: { elicitation: { form: { applyDefaults: true } } },
      },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      params.mode === 'url' ? { action: 'decline' } : elicited(name, params, asks.at(-1)),
    );
    const { transport, stderr, finishAuth } = transportOf(config, start, events.onLog, authorization);
    finish = finishAuth;
    client.onclose = events.onClosed;
    client.setNotificationHandler(ToolListChangedNotificationSchema, events.onChanged);
    client.setNotificationHandler(ResourceListChangedNotificationSchema, events.onResourcesChanged);
    try {
      await client.connect(transport, { signal });
      return client;
    } catch (error) {
      delete client.onclose;
      await client.close().catch(() => undefined);
      if (error instanceof UnauthorizedError) throw error;
      const stderrText = stderr().trim();
      throw new Error(`${reason(error)}${stderrText ? ` Its error output: ${stderrText}` : ''}`);
    }
  };
  const client = await signedIn(open, finishLast);
  const requesting = <T>(own: AbortSignal, request: () => Promise<T>): Promise<T> => {
    waiting = own;
    return signedIn(request, finishLast);
  };
  const failure = (error: unknown) =>
    new Error(`The MCP server ${name} failed: ${reason(error).replace(/\.?$/, '.')} Try again, or continue without it.`);
  return {
    async tools(own) {
      const tools: McpTool[] = [];
      let cursor: string | undefined;
      do {
        const at = cursor === undefined ? {} : { cursor };
        const page = await requesting(own, () => client.listTools(at, { signal: own }));
        for (const { name: tool, description = '', inputSchema, annotations } of page.tools)
          tools.push({ name: tool, description, inputSchema, ...(annotations?.destructiveHint && { isDestructive: true }) });
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
    async call(tool, input, { signal: own, progress, ask }) {
      if (ask) asks.push(ask);
      const onprogress = (at: { message?: string; progress: number; total?: number }) =>
        progress(at.message ?? (at.total === undefined ? `${at.progress}` : `${at.progress} of ${at.total}`));
      const pendingCall = during(own, (each) =>
        requesting(each, () =>
          client.callTool({ name: tool, arguments: input }, undefined, { signal: each, timeout: CALL_MS, onprogress }),
        ),
      );
      const result = await pendingCall
        .catch((error) => {
          throw own.aborted ? error : failure(error);
        })
        .finally(() => ask && asks.splice(asks.indexOf(ask), 1));
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
  authProvider: Authorization | undefined,
): { transport: Transport; stderr: () => string; finishAuth: (code: string) => Promise<void> } {
  if ('url' in config) {
    const options = { fetch: fetchFor(config, authProvider), ...(authProvider && { authProvider }) };
    const transport = new StreamableHTTPClientTransport(new URL(config.url), options);
    return { transport: transport as Transport, stderr: () => '', finishAuth: (code) => transport.finishAuth(code) };
  }
  const { command, args = [], env, cwd } = config;
  // Besides the configured variables, a server receives only a few harmless variables, so it does not receive API keys from the user's environment.
  const spec = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...(cwd && { cwd }) };
  const transport = new ProcessTransport(spec, start, onLog);
  return { transport, stderr: () => transport.stderr, finishAuth: async () => undefined };
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

/** A server whose key is in the settings is not asked for a sign-in. */
function hasOwnKey(headers: Record<string, string> = {}): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
