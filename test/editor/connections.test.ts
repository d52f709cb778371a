import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import * as vscode from 'vscode';
import { user } from '../../src/core/model/messages.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { providerConfig } from '../../src/hosts/vscode/settings/settings.ts';
import { listen } from '../support/listen.ts';
import { served } from '../support/served.ts';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES } from '../support/wires.ts';

/** The editor puts its own proxy support around Node's requests. */
describe('connections in the editor', () => {
  const wire = WIRES['openai-chat'] as (typeof WIRES)[string];
  const REQUESTS = 6;
  let server: Server;
  let connections = 0;

  before(() => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': wire.contentType }).end(TEXT_BODIES['openai-chat']?.(['Yes.']));
      });
    });
    server.on('connection', () => connections++);
  });

  it('are used for more than one request', async () => {
    const kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    const { url, close } = await served(server);
    try {
      const config = { ...(await providerConfig('openai-chat', kedge.settings, kedge.keys)), baseUrl: url + wire.path };
      const adapter = (await wire.load()).createAdapter(config);
      for (let index = 0; index < REQUESTS; index++) {
        const request = { model: 'one', system: '', messages: [user('Hi')], tools: [] };
        const events = await listen(adapter.stream(request, new AbortController().signal));
        assert.equal(events.at(-1)?.type, 'stop');
      }
      assert.ok(connections <= REQUESTS / 2, `${connections} connections for ${REQUESTS} requests`);
    } finally {
      await close();
    }
  });
});
