import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Served, served } from './served.ts';

/** One answer of the model. `usage` defaults to a value computed from the lengths, and `fail` responds with an error status instead. */
export type Turn = {
  text?: string;
  calls?: { name: string; input: unknown }[];
  usage?: { input: number; output: number; cached?: number; reasoning?: number };
  reasoning?: string;
  fail?: { status: number; message: string; code?: string; headers?: Record<string, string> };
};

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes of the request. `body` is the parsed request. */
  raw: Buffer;
  body: ResponsesBody;
  /**
   * `at` is the value of `performance.now()` when the request was complete. `closed` resolves to the value when the connection is closed
   * before the response is complete.
   */
  at: number;
  closed: Promise<number>;
};

/** The parts of a request that tests use. */
export type ResponsesBody = {
  model: string;
  instructions?: string;
  tools?: { name: string }[];
  input: { type: string; role?: string; name?: string; call_id?: string; output?: unknown; content?: unknown }[];
} & Record<string, unknown>;

export type ResponsesServerOptions = {
  turns: readonly Turn[] | ((request: ReceivedRequest) => Turn | Promise<Turn>);
  /** How long a request waits for its response. */
  delayMs?: number;
  /** A response that never completes. `before` sends nothing, and `midway` sends the beginning of the response. */
  hang?: 'before' | 'midway';
  /** Any other key gets a 401 response. */
  apiKey?: string;
  models?: readonly string[];
};

export type ResponsesServer = Served & { requests: ReceivedRequest[]; connections(): number };

/** Starts a model server that speaks the Responses API over real HTTP, event by event like the service. */
export async function startResponsesServer(options: ResponsesServerOptions): Promise<ResponsesServer> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  let answered = 0;

  const answer = async (request: ReceivedRequest, response: ServerResponse): Promise<void> => {
    const { apiKey, delayMs, hang, turns } = options;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      const message = `Incorrect API key provided: ${request.headers.authorization?.replace('Bearer ', '')}.`;
      return sendError(response, { status: 401, message, code: 'invalid_api_key' });
    }
    if (request.path === '/v1/models') {
      const data = (options.models ?? ['test-model']).map((id) => ({ id, object: 'model', created: 0, owned_by: 'test' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    if (request.method !== 'POST' || request.path !== '/v1/responses') return sendError(response, { status: 404, message: 'Not found.' });
    requests.push(request);
    if (hang === 'before') return;
    if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const turn = typeof turns === 'function' ? await turns(request) : turns[answered++];
    if (!turn) return sendError(response, { status: 500, message: `The test has no answer for request ${answered}.` });
    if (turn.fail) return sendError(response, turn.fail);
    stream(response, turn, request, hang === 'midway');
  };

  const server = createServer((incoming, response) => {
    void receive(incoming, response).then((request) => answer(request, response));
  });
  server.on('connection', () => connections++);
  const { url, close } = await served(server);
  return { url: `${url}/v1`, requests, connections: () => connections, close };
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest> {
  const closed = new Promise<number>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve(performance.now());
    });
  });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers, raw, body: JSON.parse(raw.toString() || '{}') as ResponsesBody, at: performance.now(), closed };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, { status, message, code, headers }: NonNullable<Turn['fail']>): void {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  sendJson(response, status, { error: { message, type, param: null, code: code ?? null } }, headers);
}

/** Ids are derived from the request: unique within a session, and the same in every run. */
function stream(response: ServerResponse, turn: Turn, { raw, body }: ReceivedRequest, hang: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const serial = `${raw.length}_${body.input.length}`;
  const output: Record<string, unknown>[] = [];
  let sequence = 0;
  let written = '';
  const send = (type: string, fields: Record<string, unknown>) => {
    written += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  };
  const snapshot = (status: string, more: Record<string, unknown> = {}) => ({
    response: { id: `resp_${serial}`, object: 'response', created_at: 0, status, model: body.model, output, error: null, ...more },
  });
  const item = (added: Record<string, unknown>, done: Record<string, unknown>, deltas: (place: Record<string, unknown>) => void) => {
    const place = { item_id: added.id, output_index: output.length };
    send('response.output_item.added', { output_index: place.output_index, item: added });
    deltas(place);
    send('response.output_item.done', { output_index: place.output_index, item: { ...added, ...done } });
    output.push({ ...added, ...done });
  };

  send('response.created', snapshot('in_progress'));
  send('response.in_progress', snapshot('in_progress'));
  if (turn.reasoning !== undefined) {
    const { reasoning: text } = turn;
    const done = { summary: [{ type: 'summary_text', text }], encrypted_content: `encrypted_${serial}` };
    item({ id: `rs_${serial}`, type: 'reasoning', summary: [], encrypted_content: '' }, done, (place) => {
      send('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: { type: 'summary_text', text: '' } });
      for (const delta of words(text))
        send('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta, obfuscation: 'x7' });
      send('response.reasoning_summary_text.done', { ...place, summary_index: 0, text });
    });
  }
  if (turn.text !== undefined) {
    const { text } = turn;
    const part = { type: 'output_text', annotations: [], logprobs: [], text };
    const added = { id: `msg_${serial}`, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    item(added, { status: 'completed', content: [part] }, (place) => {
      send('response.content_part.added', { ...place, content_index: 0, part: { ...part, text: '' } });
      for (const delta of words(text))
        send('response.output_text.delta', { ...place, content_index: 0, delta, logprobs: [], obfuscation: 'q' });
      send('response.output_text.done', { ...place, content_index: 0, text, logprobs: [] });
      send('response.content_part.done', { ...place, content_index: 0, part });
    });
  }
  for (const [index, { name, input }] of (turn.calls ?? []).entries()) {
    const json = JSON.stringify(input);
    const id = `${serial}_${index}`;
    const added = { id: `fc_${id}`, type: 'function_call', status: 'in_progress', call_id: `call_${id}`, name, arguments: '' };
    item(added, { status: 'completed', arguments: json }, (place) => {
      for (let at = 0; at < json.length; at += 24)
        send('response.function_call_arguments.delta', { ...place, delta: json.slice(at, at + 24) });
      send('response.function_call_arguments.done', { ...place, name, arguments: json });
    });
  }
  if (hang) {
    response.write(written);
    return;
  }
  send('response.completed', snapshot('completed', { usage: usageOf(turn, raw, output) }));
  response.end(written);
}

function usageOf({ usage }: Turn, raw: Buffer, output: unknown): Record<string, unknown> {
  const input = usage?.input ?? Math.ceil(raw.length / 4);
  const made = usage?.output ?? Math.ceil(JSON.stringify(output).length / 4);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage?.cached ?? 0 },
    output_tokens: made,
    output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    total_tokens: input + made,
  };
}

function words(text: string): string[] {
  return text.split(/(?<=\s)/).filter((word) => word !== '');
}
