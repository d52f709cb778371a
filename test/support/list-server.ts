import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Route = { status?: number; type?: string; body: unknown };
export type ListServer = { url: string; requests: { path: string; headers: IncomingHttpHeaders; body: string }[]; close(): Promise<void> };

/** A real HTTP server that answers by path; what it has no route for is not found, and a route of 'silence' is never answered. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
