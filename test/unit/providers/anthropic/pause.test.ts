import assert from 'node:assert/strict';
import { user } from '../../../../src/core/model/messages.ts';
import { createAdapter } from '../../../../src/providers/anthropic/index.ts';
import { listen } from '../../../support/listen.ts';
import { startWireServer } from '../../../support/wire-server.ts';

const answer = (text: string, reason: string) =>
  [
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 3 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

describe('anthropic: an answer that the service pauses', () => {
  it('is sent back and continued as one answer', async () => {
    const bodies = [answer('First, ', 'pause_turn'), answer('then.', 'end_turn')].map((body) => ({ body }));
    const server = await startWireServer(bodies, 'text/event-stream');
    try {
      const adapter = createAdapter({ apiKey: 'sk-0123456789', baseUrl: server.url });
      const request = { model: 'claude-test', system: '', messages: [user('Hi')], tools: [] };
      const events = await listen(adapter.stream(request, new AbortController().signal));
      assert.deepEqual(
        events.filter((event) => event.type !== 'text_delta'),
        [
          { type: 'part', part: { type: 'text', text: 'First, ' } },
          { type: 'part', part: { type: 'text', text: 'then.' } },
          { type: 'usage', usage: { input: 26, output: 10, cacheWrite: 6 } },
          { type: 'stop', reason: 'end_turn' },
        ],
      );
      assert.deepEqual(JSON.parse(server.requests[1]?.raw.toString() ?? '').messages, [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'First, ' }] },
      ]);
    } finally {
      await server.close();
    }
  });
});
