import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Served = { url: string; close(): Promise<void> };

/** Starts a server on a free local port. Closing the server also closes open connections. */
export async function served(server: Server): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
