import assert from 'node:assert/strict';
import { user } from '../../../../src/core/model/messages.ts';
import { createAdapter } from '../../../../src/providers/anthropic/index.ts';
import { listen } from '../../../support/listen.ts';
import { startWireServer } from '../../../support/wire-server.ts';

describe('anthropic: a request', () => {
  it('is repeated without a field that a gateway or an older model rejects', async () => {
    const refusals = ['cache_control: Extra inputs are not permitted', 'adaptive thinking is not supported on this model'].map(
      (message) => ({
        status: 400,
        body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
      }),
    );
    const hello = {
      body: 'event: message_start\ndata: {"type":"message_start"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    };
    const server = await startWireServer([...refusals, hello], 'text/event-stream');
    try {
      const adapter = createAdapter({ apiKey: 'sk-0123456789', baseUrl: server.url });
      const request = { model: 'claude-test', system: '', messages: [user('Hi')], tools: [], reasoningEffort: 'low' as const };
      for (let turn = 0; turn < 2; turn++) await listen(adapter.stream(request, new AbortController().signal));
      const names = ['cache_control', 'thinking', 'output_config'];
      assert.deepEqual(
        server.requests.map(({ raw }) => names.filter((name) => name in JSON.parse(raw.toString()))),
        [names, ['thinking', 'output_config'], ['output_config'], ['output_config']],
      );
    } finally {
      await server.close();
    }
  });
});
