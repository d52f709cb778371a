import assert from 'node:assert/strict';
import { user } from '../../../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../../../src/core/model/model.ts';
import { call, hang, say, scriptedAdapter, turn } from '../../../../src/providers/scripted/index.ts';

const request = (text: string): ModelRequest => ({ model: 'scripted', system: '', messages: [user(text)], tools: [] });

async function play(adapter: ModelAdapter, text = 'hello', signal = new AbortController().signal): Promise<ModelEvent[]> {
  return Array.fromAsync(adapter.stream(request(text), signal));
}

describe('the scripted model', () => {
  it('plays its turns in order and ends each with the right stop', async () => {
    const adapter = scriptedAdapter([turn(say('Let me look.'), call('read_file', { path: 'a.ts' })), turn(say('Done.'))]);
    assert.deepEqual(await play(adapter), [
      { type: 'text_delta', text: 'Let me look.' },
      { type: 'part', part: { type: 'text', text: 'Let me look.' } },
      { type: 'part', part: { type: 'tool_call', id: 'call-1', name: 'read_file', input: { path: 'a.ts' } } },
      { type: 'stop', reason: 'tool_use' },
    ]);
    assert.deepEqual((await play(adapter)).at(-1), { type: 'stop', reason: 'end_turn' });
  });

  it('records requests', async () => {
    const adapter = scriptedAdapter([turn(say('One.')), (asked) => say(`You said ${asked.messages.length} things.`)]);
    await play(adapter, 'first');
    const events = await play(adapter, 'second');
    assert.deepEqual(
      adapter.requests.map((each) => each.messages[0]),
      [user('first'), user('second')],
    );
    assert.deepEqual(events[0], { type: 'text_delta', text: 'You said 1 things.' });
  });

  it('keeps given events and ids as they are', async () => {
    const events: ModelEvent[] = [...say('Half'), { type: 'stop', reason: 'max_tokens' }];
    assert.deepEqual(await play(scriptedAdapter([events])), events);
    const [part] = await play(scriptedAdapter([turn(call('x', {}, 'mine'))]));
    assert.equal(part?.type === 'part' && part.part.type === 'tool_call' && part.part.id, 'mine');
  });

  it('throws when the script is exhausted', async () => {
    await assert.rejects(play(scriptedAdapter([])), /The script has 0 turns; this is request 1\./);
  });

  it('hangs until it is aborted', async () => {
    const controller = new AbortController();
    const seen: ModelEvent[] = [];
    const running = (async () => {
      for await (const event of scriptedAdapter([hang(say('Thinking'))]).stream(request('x'), controller.signal)) {
        seen.push(event);
        if (seen.length === 2) setTimeout(() => controller.abort(new Error('stopped by the test')), 1);
      }
    })();
    await assert.rejects(running, /stopped by the test/);
    assert.equal(seen.length, 2);
  });

  it('does not start for an aborted request', async () => {
    const adapter = scriptedAdapter([turn(say('Never.'))]);
    await assert.rejects(play(adapter, 'x', AbortSignal.abort(new Error('too late'))), /too late/);
    assert.equal(adapter.requests.length, 0);
  });
});
