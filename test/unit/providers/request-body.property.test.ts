import assert from 'node:assert/strict';
import { GoogleGenAI } from '@google/genai/web';
import fc from 'fast-check';
import { Ollama } from 'ollama/browser';
import { withoutImages } from '../../../src/core/model/images.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import { note } from '../../../src/core/model/notes.ts';
import { toBody as toAnthropic } from '../../../src/providers/anthropic/convert.ts';
import { toParameters } from '../../../src/providers/gemini/convert.ts';
import { toRequest } from '../../../src/providers/ollama/convert.ts';
import { toBody as toResponses } from '../../../src/providers/openai/convert.ts';
import { dialectOf, toBody as toChat } from '../../../src/providers/openai-chat/convert.ts';
import { RequestBodies } from '../../../src/providers/request-body.ts';
import { toTextRequest } from '../../../src/text-tools/prompt.ts';
import { listen } from '../../support/listen.ts';
import { DOT } from '../../support/switching.ts';
import { TEXT_BODIES } from '../../support/wire-bodies.ts';
import { startWireServer } from '../../support/wire-server.ts';
import { WIRES, type Wire } from '../../support/wires.ts';

/** Returns the body that the wire's SDK creates for the whole request. */
const WHOLE: Record<string, (request: ModelRequest, url: string) => Promise<string> | string> = {
  'openai-responses': (request) => JSON.stringify(toResponses(request)),
  'openai-chat': (request, url) => JSON.stringify(toChat(request, dialectOf(url))),
  'anthropic-messages': (request) => JSON.stringify(toAnthropic(request)),
  gemini: (request) =>
    bodyWith((fetch) =>
      new GoogleGenAI({ apiKey: 'none', vertexai: false, httpOptions: { fetch } }).models.generateContentStream(toParameters(request)),
    ),
  'ollama-chat': (request) => bodyWith((fetch) => new Ollama({ fetch }).chat(toRequest(request, {}))),
};

async function bodyWith(send: (record: typeof fetch) => Promise<unknown>): Promise<string> {
  let body = '';
  await send(async (_, init) => {
    body = String(init?.body);
    return new Response('{}');
  });
  return body;
}

/** The replay data that only the model of each wire can read. */
const REPLAY: Record<string, unknown> = {
  openai: { item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' } },
  'openai-chat': { content: 'Hm.' },
  anthropic: { signature: 'signed' },
  gemini: { signature: 'signed' },
};

type Step =
  | { do: 'ask'; text: string; image: boolean }
  | { do: 'call'; calls: number; image: boolean; fails: boolean; reasons: boolean }
  | { do: 'say'; text: string }
  | { do: 'compact' | 'take back' | 'switch' | 'tune' };

const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('größe ✓ 😀', '\ud800', '"\\\n', '<kedge_note>', ''));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), text: words, image: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      image: fc.boolean(),
      fails: fc.boolean(),
      reasons: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('say' as const), text: words }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('compact' as const, 'take back' as const, 'switch' as const, 'tune' as const) }),
  },
);

const picture = { type: 'image' as const, mediaType: 'image/png', data: DOT };
const tool = { name: 'read_file', description: 'Read a file.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };

/** Returns the request after each step. Messages keep their identity from one request to the next. */
function requestsOf(steps: readonly Step[], { provider }: Wire): ModelRequest[] {
  let request: ModelRequest = { model: 'one', system: 'Be brief. ✓', messages: [], tools: [tool], cacheKey: 'session-1' };
  let count = 0;
  const asked = (text: string, image = false): UserMessage => ({
    role: 'user',
    content: [{ type: 'text', text: text || 'Go on.' }, ...(image ? [picture] : []), note('check', 'Now.')],
  });
  const answered = (content: AssistantMessage['content']): AssistantMessage => ({
    role: 'assistant',
    content,
    from: { provider: count % 4 === 3 ? 'another' : provider, model: request.model },
    stop: 'end_turn',
  });
  const messagesAfter = (next: Step): readonly Message[] => {
    const { messages } = request;
    switch (next.do) {
      case 'ask':
        return [...messages, asked(next.text, next.image)];
      case 'say':
        return [...messages, answered([{ type: 'text', text: next.text || 'Yes.' }]), asked('And?')];
      case 'call': {
        const ids = Array.from({ length: next.calls }, () => `call ${count++}`);
        const replay = REPLAY[provider];
        const reasoning = { type: 'reasoning' as const, text: 'Hm.', ...(replay !== undefined && { replay }) };
        const calls = ids.map((id) => ({
          type: 'tool_call' as const,
          id,
          name: tool.name,
          input: { path: id },
          replay: { id, signature: 's' },
        }));
        const results: ToolMessage = {
          role: 'tool',
          content: ids.map((callId) => ({
            type: 'tool_result',
            callId,
            name: tool.name,
            content: [{ type: 'text', text: 'größe' }, ...(next.image ? [picture] : [])],
            ...(next.fails && { isError: true }),
          })),
        };
        return [...messages, answered([...(next.reasons ? [reasoning] : []), ...calls]), results];
      }
      case 'compact':
        return [asked('A summary.'), ...messages.slice(messages.findLastIndex(({ role }) => role === 'user'))];
      case 'take back':
        return messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') || undefined);
      default:
        return messages;
    }
  };
  request = { ...request, messages: [asked('Hi')] };
  return steps.map((next) => {
    if (next.do === 'switch') request = { ...request, model: request.model === 'one' ? 'two' : 'one' };
    if (next.do === 'tune') request = { ...request, maxOutputTokens: (request.maxOutputTokens ?? 1_000) + 1 };
    request = { ...request, messages: messagesAfter(next) };
    return request;
  });
}

describe('the body of a request', () => {
  for (const [name, wire] of Object.entries(WIRES))
    it(`is on ${name} the same as if all messages were converted again`, async () => {
      const server = await startWireServer([{ body: TEXT_BODIES[name]?.(['Yes.']) ?? '' }], wire.contentType);
      try {
        const { createAdapter } = await wire.load();
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), fc.boolean(), async (steps, blind, asText) => {
            const baseUrl = server.url + wire.path;
            const adapter = createAdapter({ apiKey: 'sk-0123456789', baseUrl });
            for (const original of requestsOf(steps, wire)) {
              const seen = blind ? { ...original, messages: withoutImages(original.messages) } : original;
              const request = asText ? toTextRequest(seen) : seen;
              await listen(adapter.stream(request, new AbortController().signal));
              assert.equal(server.requests.at(-1)?.raw.toString(), await WHOLE[name]?.(request, baseUrl));
            }
          }),
          { numRuns: 40 },
        );
      } finally {
        await server.close();
      }
    });
});

describe('the messages of a request', () => {
  const tools = [tool];
  const message = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
  const ask = (messages: readonly Message[], cacheKey?: string): ModelRequest => ({
    model: 'one',
    system: '',
    tools,
    messages,
    ...(cacheKey !== undefined && { cacheKey }),
  });
  const converter = (bodies: RequestBodies) => {
    const converted: Message[] = [];
    const toItems = (each: Message) => {
      converted.push(each);
      return [each];
    };
    return (request: ModelRequest) => {
      converted.length = 0;
      const bytes = bodies.of(request, undefined, () => ({ before: '{"messages":[', after: ']}', toItems }));
      assert.equal(new TextDecoder().decode(bytes), JSON.stringify({ messages: request.messages }));
      return converted.map(({ content }) => (content[0] as { text: string }).text);
    };
  };

  it('are converted once, and again after a change of their beginning', () => {
    const send = converter(new RequestBodies());
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(message) as [Message, Message, Message, Message];
    assert.deepEqual(send(ask([a], 's')), ['a']);
    assert.deepEqual(send(ask([a, b, c], 's')), ['b', 'c']);
    assert.deepEqual(send(ask([a, b, c], 's')), []);
    assert.deepEqual(send(ask([a, b, d], 's')), ['d']);
    assert.deepEqual(send(ask([d, b], 's')), ['d', 'b']);
    assert.deepEqual(send({ ...ask([d, b], 's'), model: 'two' }), ['d', 'b']);
  });

  it('are kept for a few conversations, and for none without a key', () => {
    const send = converter(new RequestBodies());
    const a = message('a');
    const keys = Array.from({ length: 5 }, (_, index) => `s${index}`);
    for (const key of keys) send(ask([a], key));
    assert.deepEqual(
      keys.toReversed().map((key) => send(ask([a], key)).length),
      [0, 0, 0, 0, 1],
    );
    assert.deepEqual([send(ask([a])), send(ask([a]))], [['a'], ['a']]);
  });

  it('of an earlier request stay as they were', () => {
    const bodies = new RequestBodies();
    const form = () => ({ before: '{"messages":[', after: ']}', toItems: (each: Message) => [each] });
    const [a, b, c] = ['a', 'b', 'c'].map(message) as [Message, Message, Message];
    const before = bodies.of(ask([a, b], 's'), undefined, form);
    bodies.of(ask([a, c], 's'), undefined, form);
    assert.equal(new TextDecoder().decode(before), JSON.stringify({ messages: [a, b] }));
  });
});
