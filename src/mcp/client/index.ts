/** Connects to one MCP server with the official SDK. Only this folder imports the SDK, so it is loaded when the first server is used. */
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CallToolResult,
  CancelledNotificationSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { promptOf } from '../prompt-uri.ts';
import type { Connect, McpTool } from '../types.ts';
import { Authorization } from './authorization.ts';
import { Calls } from './calls.ts';
import { elicited, visited } from './elicitation.ts';
import { promptParts, promptsOf } from './prompts.ts';
import { resourceParts, resultParts } from './results.ts';
import { sampled } from './sampling.ts';
import { schemaValidator } from './schemas.ts';
import { mayBeOld, transportOf } from './transports.ts';

const MAX_TOOLS = 200;
const MAX_RESOURCES = 500;
/** The SDK requires a timeout. It is long, because the limits of the run or the user can end a call earlier. */
const CALL_MS = 24 * 60 * 60_000;

/** How often progress is shown, at most. A server can report it any number of times. */
const PROGRESS_MS = 50;

/** How often a request is repeated after a sign-in: once for the sign-in itself, and once for a larger scope. */
const SIGN_INS = 2;

export const connect: Connect = async (name, config, events, start, signal, signIn) => {
  const validator = schemaValidator();
  /** Ends the wait for a sign-in, during the request that needs it. */
  let waiting = signal;
  const calls = new Calls(events.scope);
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
  const open = async (isOld = 'type' in config && config.type === 'sse'): Promise<Client> => {
    const client = new Client(
      { name: 'kedge', version: '1.0.0' },
      {
        jsonSchemaValidator: validator,
        capabilities: {
          elicitation: { form: { applyDefaults: true }, url: {} },
          sampling: {},
          ...(events.roots && { roots: { listChanged: true } }),
        },
      },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId }) =>
      calls.answering(requestId, ({ ask }) =>
        params.mode === 'url' ? visited(name, params, ask, events.openAddress) : elicited(name, params, ask),
      ),
    );
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { requestId }) =>
      calls.answering(requestId, (asking, cancelled) =>
        sampled(name, params, { isRefused: () => true, refuse: () => undefined, ...events.sampling, ...asking, cancelled }),
      ),
    );
    client.setNotificationHandler(CancelledNotificationSchema, ({ params }) => calls.cancel(params.requestId));
    if (events.roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: events.roots?.() ?? [] }));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => events.onLog(logLine(params)));
    const parts = { start, onLog: events.onLog, authProvider: authorization };
    const { transport, stderr, finishAuth } = await transportOf(config, isOld, parts);
    finish = finishAuth;
    client.onclose = events.onClosed;
    client.setNotificationHandler(ToolListChangedNotificationSchema, events.onChanged);
    client.setNotificationHandler(ResourceListChangedNotificationSchema, events.onResourcesChanged);
    client.setNotificationHandler(PromptListChangedNotificationSchema, events.onResourcesChanged);
    try {
      await client.connect(transport, { signal });
      return client;
    } catch (error) {
      delete client.onclose;
      await client.close().catch(() => undefined);
      if (error instanceof UnauthorizedError) throw error;
      if (!isOld && mayBeOld(config, error)) return open(true);
      const stderrText = stderr().trim();
      throw new Error(`${reason(error)}${stderrText ? ` Its error output: ${stderrText}` : ''}`);
    }
  };
  const client = await signedIn(() => open(), finishLast);
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
      const resources = await promptsOf(client, stopped);
      if (!client.getServerCapabilities()?.resources) return resources;
      let cursor: string | undefined;
      do {
        const page = await client.listResources(cursor === undefined ? {} : { cursor }, { signal: stopped });
        for (const { uri, name: own, title, description = '' } of page.resources) resources.push({ uri, name: title ?? own, description });
        cursor = page.nextCursor;
      } while (cursor !== undefined && resources.length < MAX_RESOURCES);
      return resources.slice(0, MAX_RESOURCES);
    },
    async read(uri, stopped) {
      const prompt = promptOf(uri);
      const reading = during(stopped, async (signal) =>
        prompt
          ? promptParts(client, prompt.name, prompt.words, signal)
          : resourceParts((await client.readResource({ uri }, { signal, timeout: CALL_MS })).contents),
      );
      return reading.catch((error) => {
        throw stopped.aborted ? error : failure(error);
      });
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
    async call(tool, input, { signal: own, progress, ask, model }) {
      const asking = { ...(ask && { ask }), model, signal: own };
      let shownAt = -Infinity;
      const onprogress = (at: { message?: string; progress: number; total?: number }) => {
        if (performance.now() - shownAt < PROGRESS_MS) return;
        shownAt = performance.now();
        progress(at.message?.slice(0, MAX_LINE) ?? (at.total === undefined ? `${at.progress}` : `${at.progress} of ${at.total}`));
      };
      const pendingCall = during(own, (each) =>
        requesting(each, () =>
          calls.during(asking, () =>
            client.callTool({ name: tool, arguments: input }, undefined, { signal: each, timeout: CALL_MS, onprogress }),
          ),
        ),
      );
      const result = await pendingCall.catch((error) => {
        throw own.aborted ? error : failure(error);
      });
      const { content, structuredContent, isError } = result as CallToolResult;
      return { content: resultParts(content, structuredContent), isError: isError === true };
    },
    async rootsChanged() {
      await client.sendRootsListChanged().catch(() => undefined);
    },
    close: () => client.close(),
  };
};

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

const MAX_LINE = 2_000;

/** Returns a log message of a server as a line of its log. */
function logLine({ level, logger, data }: { level: string; logger?: string | undefined; data?: unknown }): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return `[${level}] ${logger === undefined ? '' : `${logger}: `}${text}`.slice(0, MAX_LINE).concat('\n');
}

/** A server whose key is in the settings is not asked for a sign-in. */
function hasOwnKey(headers: Record<string, string> = {}): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
