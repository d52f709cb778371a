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
import { type Answer, answerQuestion, MAX_CALLS } from '../../app/answer/answer.ts';
import { documentsSubject } from '../../app/answer/documents.ts';
import { WORKSPACE } from '../../app/answer/workspace.ts';
import { ReadingCalls, readingTools } from '../../app/run/reading-calls.ts';
import type { Session } from '../../app/session/session.ts';
import type { ToolResult } from '../../core/model/messages.ts';
import type { FileSystem } from '../../workspace/types.ts';

export type ServerPorts = {
  version: string;
  /** The maximum number of tool calls for one question, if the user has set one. */
  calls?: number;
  /** Creates a session whose model is ready. @throws Error if the model cannot be used */
  newSession(signal: AbortSignal): Promise<Session>;
  /** The collections of documents that can be asked. While there are none, `ask_documents` is not offered. */
  documents?: {
    names(): Promise<string[]>;
    /** Creates a session that can read only these collections. @throws Error if the model cannot be used */
    newSession(names: readonly string[], signal: AbortSignal): Promise<Session>;
  };
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

const DocumentsInput = Input.extend({
  query: Input.shape.query.describe('The question about the documents.'),
  collections: z.array(z.string()).max(100).optional().describe('The collections to search. Without it, all are searched.'),
});

const outputOf = (source: z.ZodType) =>
  z.object({
    answer: z.string(),
    sources: z.array(source),
    confidence: z.enum(['high', 'medium', 'low']),
    note: z.string().optional(),
  });
const Output = outputOf(z.object({ path: z.string(), lines: z.string().optional() }));
const DocumentsOutput = outputOf(
  z.object({
    collection: z.string(),
    document: z.string(),
    section: z.string().optional(),
    page: z.number().optional(),
    lines: z.string().optional(),
  }),
);

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

const ASK_DOCUMENTS: ServedTool = {
  name: 'ask_documents',
  title: 'Ask the documents',
  description:
    'Answers a question from collections of documents. An agent searches and reads for you, and returns a short answer with the places (document, section and page) that it has opened. It says when the documents do not contain the answer.',
  inputSchema: schemaOf(DocumentsInput, 'input'),
  outputSchema: schemaOf(DocumentsOutput, 'output') as NonNullable<ServedTool['outputSchema']>,
  annotations: { title: 'Ask the documents', ...READS },
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
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      ASK_WORKSPACE,
      ...(await documentTools(ports)),
      ...raw.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: inputSchema as ServedTool['inputSchema'],
        annotations: READS,
      })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }, extra): Promise<CallToolResult> => {
    const report = stepsTo(extra, name, logsSteps);
    if (name === ASK_WORKSPACE.name) return turns.take(extra.signal, () => ask(input, ports, extra.signal, report));
    if (name === ASK_DOCUMENTS.name && ports.documents)
      return turns.take(extra.signal, () => askDocuments(input, ports, extra.signal, report));
    if (!raw.some((tool) => tool.name === name)) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
    return asResult(extra.signal, async () => served(await reading.call(name, input, extra.signal)));
  });
  // A message that is not valid is answered or ignored by the protocol; the connection stays open.
  server.onerror = () => undefined;
  await server.connect(transport);
  return server;
}

/** The description names the collections, so that a client knows what it can ask. */
async function documentTools({ documents }: ServerPorts): Promise<ServedTool[]> {
  const names = (await documents?.names()) ?? [];
  return names.length > 0 ? [{ ...ASK_DOCUMENTS, description: `${ASK_DOCUMENTS.description} Collections: ${names.join(', ')}.` }] : [];
}

type OnStep = (title: string) => void;

/** Returns a function that reports steps as progress, and as log messages. */
function stepsTo(extra: Extra, logger: string, isLogged: boolean): OnStep {
  const report = progressOf(extra);
  return (step) => {
    report(step);
    if (!isLogged || extra.signal.aborted) return;
    const params = { level: 'info' as const, logger, data: step };
    void extra.sendNotification({ method: 'notifications/message', params }).catch(() => undefined);
  };
}

async function ask(input: unknown, ports: ServerPorts, signal: AbortSignal, onStep: OnStep): Promise<CallToolResult> {
  return asResult(signal, async () => {
    const { query, use_case: useCase } = parsed(Input, input);
    const session = await ports.newSession(signal);
    return answered(await answerQuestion(session, { query, useCase }, WORKSPACE, { signal, calls: ports.calls ?? MAX_CALLS, onStep }));
  });
}

async function askDocuments(input: unknown, ports: ServerPorts, signal: AbortSignal, onStep: OnStep): Promise<CallToolResult> {
  return asResult(signal, async () => {
    const { query, use_case: useCase, collections } = parsed(DocumentsInput, input);
    const all = (await ports.documents?.names()) ?? [];
    const missing = collections?.find((name) => !all.includes(name));
    if (missing !== undefined)
      throw new Error(`There is no collection ${JSON.stringify(missing)}. The collections are: ${all.join(', ')}.`);
    const names = collections?.length ? collections : all;
    if (!ports.documents || names.length === 0) throw new Error('There are no collections of documents. Add one with kedge docs add.');
    const session = await ports.documents.newSession(names, signal);
    return answered(
      await answerQuestion(session, { query, useCase }, documentsSubject(names), { signal, calls: ports.calls ?? MAX_CALLS, onStep }),
    );
  });
}

/** @throws Error if the arguments do not fit the schema */
function parsed<Type>(schema: z.ZodType<Type>, input: unknown): Type {
  const { success, data, error } = schema.safeParse(input);
  if (!success) throw new Error(`The arguments do not fit: ${z.prettifyError(error)}`);
  return data;
}

function answered(answer: Answer<unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
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
