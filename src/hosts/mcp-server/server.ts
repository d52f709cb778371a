/** The MCP server: it offers tools that answer questions about the workspace. No tool of it can change anything. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as ServedTool,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { ReadingCalls, readingTools } from '../../app/run/reading-calls.ts';
import type { Session } from '../../app/session/session.ts';
import type { ToolResult } from '../../core/model/messages.ts';
import type { FileSystem } from '../../workspace/types.ts';
import { askWorkspace, MAX_CALLS } from './ask-workspace.ts';

export type ServerPorts = {
  version: string;
  /** The maximum number of tool calls for one question, if the user has set one. */
  calls?: number;
  /** Creates a session whose model is ready. @throws Error if the model cannot be used */
  newSession(signal: AbortSignal): Promise<Session>;
  /** The folders whose reading tools are offered, too. Without them, only `ask_workspace` is offered. */
  raw?: FileSystem;
};

const MAX_INPUT = 8_000;
/** The maximum number of questions that are answered at the same time. Further questions wait. */
const AT_ONCE = 4;

const Input = z.object({
  query: z.string().trim().min(1).max(MAX_INPUT).describe('The question about the code in this workspace.'),
  use_case: z.string().trim().min(1).max(MAX_INPUT).describe('The purpose of the answer. The search ends when the answer serves it.'),
});

const Output = z.object({
  answer: z.string(),
  sources: z.array(z.object({ path: z.string(), lines: z.string().optional() })),
  confidence: z.enum(['high', 'medium', 'low']),
  note: z.string().optional(),
});

const schemaOf = (type: z.ZodType, io: 'input' | 'output') => z.toJSONSchema(type, { io }) as ServedTool['inputSchema'];
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const ASK_WORKSPACE: ServedTool = {
  name: 'ask_workspace',
  title: 'Ask about the workspace',
  description:
    'Answers a question about the code in this workspace. An agent searches and reads for you, and returns a short answer with the places (path and lines) that it has opened, instead of the files. It cannot change anything.',
  inputSchema: schemaOf(Input, 'input'),
  outputSchema: schemaOf(Output, 'output') as NonNullable<ServedTool['outputSchema']>,
  annotations: { title: 'Ask about the workspace', ...READS },
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Serves one client until its connection is closed. Then its runs are stopped. */
export async function serveClient(transport: Transport, ports: ServerPorts): Promise<Server> {
  const server = new Server({ name: 'kedge', title: 'Kedge', version: ports.version }, { capabilities: { tools: {}, logging: {} } });
  /** Steps are logged only for a client that has asked for them. */
  let logsSteps = false;
  server.setRequestHandler(SetLevelRequestSchema, ({ params: { level } }) => {
    logsSteps = level === 'debug' || level === 'info';
    return {};
  });
  const raw = ports.raw ? readingTools(ports.raw) : [];
  const reading = new ReadingCalls(() => ports.newSession(new AbortController().signal));
  const turns = new Turns(AT_ONCE);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ASK_WORKSPACE,
      ...raw.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: inputSchema as ServedTool['inputSchema'],
        annotations: READS,
      })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }, extra): Promise<CallToolResult> => {
    if (name === ASK_WORKSPACE.name) return turns.take(extra.signal, () => ask(input, ports, extra, logsSteps));
    if (!raw.some((tool) => tool.name === name)) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
    return asResult(extra.signal, async () => served(await reading.call(name, input, extra.signal)));
  });
  // A message that is not valid is answered or ignored by the protocol; the connection stays open.
  server.onerror = () => undefined;
  await server.connect(transport);
  return server;
}

async function ask(input: unknown, ports: ServerPorts, extra: Extra, logsSteps: boolean): Promise<CallToolResult> {
  const parsed = Input.safeParse(input);
  if (!parsed.success) return failed(`The arguments do not fit: ${z.prettifyError(parsed.error)}`);
  const { query, use_case: useCase } = parsed.data;
  const { signal } = extra;
  return asResult(signal, async () => {
    const session = await ports.newSession(signal);
    const report = progressOf(extra);
    const onStep = (step: string) => {
      report(step);
      if (!logsSteps || signal.aborted) return;
      const params = { level: 'info' as const, logger: 'ask_workspace', data: step };
      void extra.sendNotification({ method: 'notifications/message', params }).catch(() => undefined);
    };
    const answer = await askWorkspace(session, { query, useCase }, { signal, calls: ports.calls ?? MAX_CALLS, onStep });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  });
}

/** Returns a function that reports progress if the client has asked for it. */
function progressOf({ _meta, sendNotification, signal }: Extra): (title: string) => void {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined || signal.aborted) return;
    const params = { progressToken, progress: ++progress, message };
    void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

async function asResult(signal: AbortSignal, work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    // The client of a cancelled request gets no answer.
    if (signal.aborted) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function served({ content, isError = false }: ToolResult): CallToolResult {
  return {
    content: content.flatMap((part): CallToolResult['content'] => {
      if (part.type === 'image') return [{ type: 'image', data: part.data, mimeType: part.mediaType }];
      // Notes are for the model of a run, such as the rules files of a folder.
      return part.type === 'text' ? [{ type: 'text', text: part.text }] : [];
    }),
    isError,
  };
}

/** Lets at most `most` tasks run at the same time. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
