/** The rules by which the services refuse a history. Every check throws an error when the request breaks a rule. */
import assert from 'node:assert/strict';

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const ID = /^[\w-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Checks that each tool call is followed by exactly one result before any other message, and that there are no other results. */
class Calls {
  readonly #open = new Set<string>();
  readonly #seen = new Set<string>();

  made(id: unknown): void {
    assert.match(String(id), ID);
    assert.ok(!this.#seen.has(String(id)), `the id ${id} occurs twice`);
    this.#seen.add(String(id));
    this.#open.add(String(id));
  }

  answered(id: unknown): void {
    assert.ok(this.#open.delete(String(id)), `there is no call ${id} for this result`);
  }

  settled(): void {
    assert.deepEqual([...this.#open], [], 'not every call is answered');
  }
}

export const RULES: Record<string, (body: Json) => void> = {
  'openai-responses': ({ input }) => {
    const calls = new Calls();
    const items = list(input);
    for (const [index, item] of items.entries()) {
      if (item.type !== 'function_call_output' && item.type !== 'function_call') calls.settled();
      if (item.type === 'function_call') {
        calls.made(item.call_id);
        assert.equal(typeof JSON.parse(String(item.arguments)), 'object');
        assert.equal(item.id === undefined || String(item.id).startsWith('fc_'), true);
      } else if (item.type === 'function_call_output') {
        calls.answered(item.call_id);
        for (const part of list(item.output)) checkInput(part);
      } else if (item.type === 'reasoning') {
        assert.match(String(item.id), /^rs_/);
        assert.ok(
          ['message', 'function_call', 'reasoning'].includes(String(items[index + 1]?.type)),
          'reasoning that is not followed by anything',
        );
      } else {
        assert.equal(item.type, 'message');
        if (item.role === 'user') for (const part of list(item.content)) checkInput(part);
        else assert.ok(typeof item.content === 'string' && item.content !== '');
      }
    }
    calls.settled();
    function checkInput(part: Json): void {
      if (part.type === 'input_image') assert.match(String(part.image_url), DATA_URL);
      else assert.ok(part.type === 'input_text' && typeof part.text === 'string', JSON.stringify(part));
    }
  },
  'openai-chat': ({ messages }) => {
    const calls = new Calls();
    for (const message of list(messages)) {
      if (message.role === 'tool') {
        calls.answered(message.tool_call_id);
        assert.equal(typeof message.content, 'string');
        continue;
      }
      calls.settled();
      assert.match(String(message.role), /^(system|user|assistant)$/);
      for (const { id, function: made } of list(message.tool_calls)) {
        calls.made(id);
        assert.equal(typeof JSON.parse(String((made as Json).arguments)), 'object');
      }
      if (message.role === 'assistant') assert.ok(message.content !== '' && (message.content !== null || message.tool_calls));
      for (const part of list(message.content)) {
        if (part.type === 'image_url') assert.match(String((part.image_url as Json).url), DATA_URL);
        else assert.equal(part.type, 'text');
      }
    }
    calls.settled();
  },
  'anthropic-messages': ({ messages }) => {
    const calls = new Calls();
    let before: Json | undefined;
    for (const message of list(messages)) {
      const blocks = list(message.content);
      assert.ok(blocks.length > 0, 'an empty message');
      if (before?.role === 'assistant') assert.equal(message.role, 'user');
      for (const block of blocks) {
        if (block.type === 'tool_use') {
          calls.made(block.id);
          assert.equal(typeof block.input, 'object');
        } else if (block.type === 'tool_result') {
          calls.answered(block.tool_use_id);
          for (const part of list(block.content)) checkBlock(part);
          if (block.is_error) assert.ok(list(block.content).every(({ type }) => type === 'text'));
        } else if (block.type === 'thinking') assert.ok(block.signature);
        else if (block.type !== 'redacted_thinking') checkBlock(block);
      }
      if (message.role === 'user') calls.settled();
      before = message;
    }
    assert.equal(before?.role, 'user', 'the end is prefilled');
    function checkBlock(block: Json): void {
      if (block.type === 'image') assert.match(String((block.source as Json).data), BASE64);
      else assert.ok(block.type === 'text' && String(block.text).trim() !== '', JSON.stringify(block));
    }
  },
  gemini: ({ contents }) => {
    let open: Json[] = [];
    for (const content of list(contents)) {
      const parts = list(content.parts);
      assert.ok(parts.length > 0, 'contents without parts');
      const responses = parts.flatMap((part) => (part.functionResponse ? [part.functionResponse as Json] : []));
      assert.deepEqual(
        responses.map(({ id, name }) => ({ id, name })),
        open.map(({ id, name }) => ({ id, name })),
        'the responses are not those that were asked for',
      );
      const made = parts.filter((part) => part.functionCall);
      if (made.length > 0) {
        assert.equal(content.role, 'model');
        assert.ok(made[0]?.thoughtSignature, 'a call without a signature');
      }
      open = made.map((part) => part.functionCall as Json);
      for (const { id } of open) if (id !== undefined) assert.match(String(id), ID);
      for (const part of parts) {
        if (part.text !== undefined) assert.ok(part.text !== '' || part.thoughtSignature, 'an empty part');
        if (part.inlineData) assert.match(String((part.inlineData as Json).data), BASE64);
      }
    }
    assert.deepEqual(open, []);
  },
  'ollama-chat': ({ messages }) => {
    const calls = new Calls();
    for (const message of list(messages)) {
      assert.equal(typeof message.content, 'string');
      if (message.role === 'tool') {
        calls.answered(message.tool_call_id);
        assert.equal(typeof message.tool_name, 'string');
        continue;
      }
      calls.settled();
      for (const call of list(message.tool_calls)) {
        calls.made(call.id);
        assert.equal(typeof (call.function as Json).arguments, 'object');
      }
      for (const image of (message.images ?? []) as string[]) assert.match(image, BASE64);
    }
    calls.settled();
  },
};
