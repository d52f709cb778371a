/** Tests how each wire requests an answer that matches a JSON Schema, and what it does if the server does not support that. */
import assert from 'node:assert/strict';
import { user } from '../../src/core/model/messages.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { withTextTools } from '../../src/text-tools/index.ts';
import { listen } from '../support/listen.ts';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer } from '../support/wire-server.ts';
import { WIRES } from '../support/wires.ts';

const never = new AbortController().signal;
const answerSchema = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] };
const closed = { ...answerSchema, additionalProperties: false };
const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];
const plain: ModelRequest = { model: 'm', system: '', messages: [user('Which port?')], tools: [] };
type Body = Record<string, unknown>;

/** The fields of a request that constrain the answer. */
const CONSTRAINTS: Record<string, { fields(body: Body): unknown; sent: unknown; refusal: string }> = {
  'openai-responses': {
    fields: ({ text }) => text,
    sent: { format: { type: 'json_schema', name: 'answer', schema: closed, strict: true } },
    refusal: "Invalid schema for response_format 'answer': 'oneOf' is not permitted.",
  },
  'openai-chat': {
    fields: ({ response_format }) => response_format,
    sent: { type: 'json_schema', json_schema: { name: 'answer', schema: closed, strict: true } },
    refusal: 'This response_format type is unavailable now',
  },
  'anthropic-messages': {
    fields: ({ output_config }) => output_config,
    sent: { format: { type: 'json_schema', schema: closed } },
    refusal: 'output_config.format: Extra inputs are not permitted',
  },
  gemini: {
    fields: ({ generationConfig }) => (JSON.stringify(generationConfig) === '{}' ? undefined : generationConfig),
    sent: { responseMimeType: 'application/json', responseJsonSchema: answerSchema },
    refusal: "Function calling with a response mime type: 'application/json' is unsupported",
  },
  'ollama-chat': { fields: ({ format }) => format, sent: answerSchema, refusal: '' },
};
/** On these wires, a server may apply the schema to tool calls too, so it is not sent with tools. */
const ONLY_WITHOUT_TOOLS = ['openai-chat', 'ollama-chat'];

for (const [name, wire] of Object.entries(WIRES)) {
  describe(`an answer by a schema on the ${name} wire`, () => {
    const { fields, sent, refusal } = CONSTRAINTS[name] as (typeof CONSTRAINTS)[string];
    const text = { body: TEXT_BODIES[name]?.(['{"port":1}']) ?? '' };

    async function bodiesOf(answers: Parameters<typeof startWireServer>[0], ...requests: ModelRequest[]): Promise<Body[]> {
      const server = await startWireServer(answers, wire.contentType);
      try {
        const adapter = (await wire.load()).createAdapter({ apiKey: 'sk-secret-0123456789', baseUrl: server.url + wire.path });
        for (const request of requests) await listen(adapter.stream(request, never));
        return server.requests.map(({ raw }) => JSON.parse(raw.toString()));
      } finally {
        await server.close();
      }
    }

    it('is constrained by the service', async () => {
      const [first, again, without] = await bodiesOf(
        [text],
        { ...plain, answerSchema },
        { ...plain, tools, answerSchema, answersNow: true },
        plain,
      );
      assert.deepEqual(fields(first as Body), sent);
      assert.deepEqual(fields(again as Body), sent);
      assert.equal(fields(without as Body), undefined);
    });

    it('leaves the model free to call tools', async () => {
      const [body, again] = await bodiesOf([text], { ...plain, tools, answerSchema }, { ...plain, tools, answerSchema, answersNow: true });
      assert.deepEqual(fields(body as Body), ONLY_WITHOUT_TOOLS.includes(name) ? undefined : sent);
      assert.match(JSON.stringify(body), /read_file/);
      assert.equal((body as Body).tool_choice, undefined);
      if (name === 'openai-chat') assert.equal((again as Body).tool_choice, 'none');
      if (name === 'ollama-chat') assert.equal((again as Body).tools, undefined);
    });

    it('is requested without a constraint from a service that rejects the schema', async function () {
      if (!refusal) return this.skip();
      const request = { ...plain, answerSchema, reasoningEffort: 'low' } as const;
      const refused = { status: 400, body: JSON.stringify(wire.error(refusal, 'invalid_request_error')) };
      const [first, second, third] = await bodiesOf([refused, text], request, request);
      assert.match(JSON.stringify(fields(first as Body)), /integer/);
      for (const body of [second, third]) assert.doesNotMatch(JSON.stringify(body), /integer/);
      assert.match(JSON.stringify(second), /"(low|LOW)"/, 'the other options are kept');
    });

    it('can contain calls in text', async () => {
      const server = await startWireServer([text], wire.contentType);
      try {
        const inner = (await wire.load()).createAdapter({ apiKey: 'sk-secret-0123456789', baseUrl: server.url + wire.path });
        const adapter = withTextTools(inner, { mode: 'text' });
        await listen(adapter.stream({ ...plain, tools, answerSchema }, never));
        await listen(adapter.stream({ ...plain, tools, answerSchema, answersNow: true }, never));
        const [body, again] = server.requests.map(({ raw }) => JSON.parse(raw.toString()));
        assert.equal(fields(body), undefined);
        assert.deepEqual(fields(again), sent);
      } finally {
        await server.close();
      }
    });
  });
}
