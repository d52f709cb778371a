import assert from 'node:assert/strict';
import type { AgentEvent } from '../../../../../src/core/session/events.ts';
import { citation, citationsIn, citedText } from '../../../../../src/documents/citations.ts';
import { checkedStream } from '../../../../../src/hosts/cli/documents/checked-stream.ts';

const OPENED = citationsIn(citedText(citation('handbook', 'deploy.md', { line: 12, endLine: 18 }), ['Deploy'], 'Twice.'));
const base = { v: 1, seq: 1, at: 0, runId: 'run' };

/** Sends a message in pieces of `size` characters, and returns what was displayed while it arrived, and the text of the message. */
function shown(text: string, { size = 3, calls = false } = {}) {
  const deltas: string[] = [];
  let message = '';
  const handle = checkedStream(
    () => ['handbook'],
    () => OPENED,
    (event) => {
      if (event.type === 'text_delta') deltas.push(event.text);
      if (event.type === 'message_added') message = event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
  );
  for (let at = 0; at < text.length; at += size)
    handle({ ...base, type: 'text_delta', text: text.slice(at, at + size) } as unknown as AgentEvent);
  const content = [{ type: 'text', text }, ...(calls ? [{ type: 'tool_call', id: '1', name: 'documents_search', input: {} }] : [])];
  const added = {
    ...base,
    type: 'message_added',
    message: { role: 'assistant', content, from: { provider: 'x', model: 'x' }, stop: 'end_turn' },
  };
  handle(added as unknown as AgentEvent);
  return { deltas, message };
}

describe('an answer about documents that is displayed while it arrives', () => {
  it('never shows a place that was not opened, and is the same text at its end', () => {
    const text = 'Twice [handbook/deploy.md:12-18]. Once [handbook/deploy.md:99], see handbook/secret.md:3. It takes a while.';
    const { deltas, message } = shown(text);
    assert.equal(message, 'Twice [handbook/deploy.md:12-18]. Once [removed: not opened], see [removed: not opened]. It takes a while.');
    assert.equal(deltas.join(''), message);
    assert.ok(deltas.length > 2, 'it is streamed');
    assert.ok(!deltas.join('').includes('secret'));
  });

  it('is displayed as text at its end if the model answers in JSON', () => {
    const json = JSON.stringify({ answer: 'Twice.', sources: ['handbook/deploy.md:12-18', 'handbook/other.md:1'] });
    for (const text of [json, `\n\`\`\`json\n${json}\n\`\`\``]) {
      const { deltas, message } = shown(text);
      assert.deepEqual(deltas, []);
      assert.equal(message, 'Twice.\n\nSources: [handbook/deploy.md:12-18] [removed: not opened]');
    }
  });

  it('is displayed if it only looks like JSON, and a thought before a call is checked too', () => {
    assert.equal(shown('{broken [handbook/other.md:1]').message, '{broken [removed: not opened]');
    assert.equal(shown('I read handbook/other.md:1 now.', { calls: true }).message, 'I read [removed: not opened] now.');
  });
});
