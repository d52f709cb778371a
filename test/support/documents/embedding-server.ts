/** A real HTTP server that computes embeddings on the wires of OpenAI, Gemini and Ollama. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type Served, served } from '../served.ts';
import type { LearnedEmbedding } from './learned-embedding.ts';

export type EmbeddingRequest = { path: string; headers: Record<string, string | string[] | undefined>; texts: string[]; isQuery: boolean };
/** An answer instead of embeddings. `drop` closes the connection. */
export type Refusal = { status?: number; headers?: Record<string, string>; body?: string; drop?: true };

export type EmbeddingServer = Served & {
  requests: EmbeddingRequest[];
  /** Resolves when everything was received from clients that have ended. */
  connectionsClosed(): Promise<void>;
  /** Is called before a request is answered, with its number from 0. */
  before: (number: number) => Refusal | undefined | Promise<Refusal | undefined>;
};

type Body = { input?: string | string[]; requests?: { content: { parts: { text: string }[] }; taskType?: string }[] };

export async function startEmbeddingServer(embed: LearnedEmbedding): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const body = JSON.parse(text) as Body;
    const { url: path = '', headers } = incoming;
    const texts = body.requests?.map(({ content }) => content.parts[0]?.text ?? '') ?? [body.input ?? []].flat();
    const isQuery = body.requests?.[0]?.taskType === 'RETRIEVAL_QUERY';
    const refusal = await started.before(requests.push({ path, headers, texts, isQuery }) - 1);
    if (refusal?.drop) return void response.destroy();
    if (refusal)
      return response.writeHead(refusal.status ?? 200, { 'content-type': 'application/json', ...refusal.headers }).end(refusal.body);
    const vectors = texts.map((each) => [...embed(each)]);
    response.setHeader('content-type', 'application/json');
    if (path.endsWith(':batchEmbedContents')) response.end(JSON.stringify({ embeddings: vectors.map((values) => ({ values })) }));
    else if (path.endsWith('/api/embed')) response.end(JSON.stringify({ model: 'test', embeddings: vectors }));
    else
      response.end(
        JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) }),
      );
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const started: EmbeddingServer = {
    ...(await served(server)),
    requests,
    before: () => undefined,
    async connectionsClosed() {
      await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    },
  };
  return started;
}
