import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type Served, served } from './served.ts';

/** `hang` leaves the response open after its body, and `drop` closes the connection after the body. */
export type WireAnswer = {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
  after?: 'hang' | 'drop';
};

/** `closed` resolves to `performance.now()` when the connection is closed before the response is complete. */
export type WireRequest = { path: string; headers: IncomingHttpHeaders; raw: Buffer; closed: Promise<number> };

export type WireServer = Served & { requests: WireRequest[] };

/** Starts a real HTTP server with scripted responses; 'silence' sends nothing. Ollama's requests about its models get a 404 response. */
export async function startWireServer(answers: readonly (WireAnswer | 'silence')[], contentType: string): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.url === '/api/show') return response.writeHead(404).end();
    const closed = new Promise<number>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve(performance.now());
      });
    });
    const request: WireRequest = { path: incoming.url ?? '', headers: incoming.headers, raw: Buffer.concat(chunks), closed };
    const answer = answers[Math.min(requests.push(request), answers.length) - 1];
    if (answer === 'silence' || answer === undefined) return;
    const { status = 200, headers = {}, body, after } = answer;
    response.writeHead(status, { 'content-type': status === 200 ? contentType : 'application/json', ...headers });
    if (after === undefined) return response.end(body);
    response.write(body, () => {
      if (after === 'drop') setTimeout(() => response.destroy(), 20);
    });
  });
  return { ...(await served(server)), requests };
}
