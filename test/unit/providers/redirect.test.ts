import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { user } from '../../../src/core/model/messages.ts';
import { listen } from '../../support/listen.ts';
import { served } from '../../support/served.ts';
import { TEXT_BODIES } from '../../support/wire-bodies.ts';
import { WIRES } from '../../support/wires.ts';

describe('a server that moves', () => {
  const cases = Object.entries(WIRES).flatMap(([name, wire]) => [false, true].map((usesFetch) => ({ name, wire, usesFetch })));
  for (const { name, wire, usesFetch } of cases)
    it(`is followed on ${name}${usesFetch ? ' with fetch' : ''}, and receives the whole request`, async () => {
      const bodies: string[] = [];
      let moved = false;
      const server = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        if (request.url?.endsWith('/api/show')) return response.writeHead(404).end();
        if (moved && !request.url?.startsWith('/moved')) return response.writeHead(307, { location: `/moved${request.url}` }).end();
        bodies.push(body);
        response.writeHead(200, { 'content-type': wire.contentType }).end(TEXT_BODIES[name]?.(['Yes.']));
      });
      const { url, close } = await served(server);
      try {
        const adapter = (await wire.load()).createAdapter({ apiKey: 'sk-0123456789', baseUrl: url + wire.path, usesFetch });
        const request = { model: 'one', system: '', messages: [user('Hi')], tools: [], cacheKey: 's' };
        for (const isMoved of [false, false, true, true, false]) {
          moved = isMoved;
          const events = await listen(adapter.stream(request, new AbortController().signal));
          assert.equal(events.at(-1)?.type, 'stop');
        }
        assert.equal(bodies.length, 5);
        assert.equal(new Set(bodies).size, 1);
        assert.match(bodies[0] ?? '', /Hi/);
      } finally {
        await close();
      }
    });
});
