import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type Served, served } from './served.ts';

export type Route = { status?: number; type?: string; body: unknown };
export type ListServer = Served & { requests: { path: string; headers: IncomingHttpHeaders; body: string }[] };

/** Starts a real HTTP server that responds by path. Unknown paths are not found, and the route 'silence' never gets a response. */
export async function startListServer(routes: Record<string, Route | 'silence' | ((body: string) => Route)>): Promise<ListServer> {
  const requests: ListServer['requests'] = [];
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const path = incoming.url ?? '';
    requests.push({ path, headers: incoming.headers, body });
    const route = routes[path.split('?')[0] ?? ''];
    if (route === 'silence') return;
    const answer = typeof route === 'function' ? route(body) : (route ?? { status: 404, body: { error: { message: 'Not found.' } } });
    response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  return { ...(await served(server)), requests };
}
