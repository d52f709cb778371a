/** A user who changes the model in mid-session goes on without an error: all pairs of wires, with the real SDKs, calls, images and reasoning. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRef } from '../../src/core/messages.ts';
import type { ModelAdapter } from '../../src/core/model.ts';
import { createAdapter as createOffline } from '../../src/providers/offline/index.ts';
import { assistantOn, type Harness, lastOf } from '../support/harness.ts';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { RULES } from '../support/wire-rules.ts';
import { startWireServer, type WireServer } from '../support/wire-server.ts';
import { WIRES, type Wire } from '../support/wires.ts';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image' as const, mediaType: 'image/png', data: DOT };
/** What the recordings read; here it is an image. */
const FILE = 'src/größe.ts';
const TOKEN = /(?:token|redacted)-of-(one|two)-end/g;

type Side = 'one' | 'two';
type Served = WireServer & { side: Side; wireName: string; model: ModelRef; adapter(): Promise<ModelAdapter> };

/** A server that thinks, says something and reads a file, then answers; its tokens tell which one it is. */
async function serve(wireName: string, side: Side): Promise<Served> {
  const wire = WIRES[wireName] as Wire;
  const path = join(import.meta.dirname, '../fixtures/recordings', wireName, 'reasoning-text-and-a-call', wire.file);
  const recording = readFileSync(path, 'utf8')
    .replaceAll(/token-of-the-model|second-token/g, `token-of-${side}-end`)
    .replaceAll('redacted-token', `redacted-of-${side}-end`)
    // Some servers make ids that others refuse; Gemini gets back what it made.
    .replaceAll(/"(call_1|call_x|toolu_1)"/g, `"functions.read_file:0 ${'long '.repeat(20)}"`);
  const text = TEXT_BODIES[wireName]?.(['So it ', 'is.']) ?? '';
  const server = await startWireServer(
    Array.from({ length: 8 }, (_, index) => ({ body: index % 2 === 0 ? recording : text })),
    wire.contentType,
  );
  const config = { apiKey: 'sk-secret-0123456789', baseUrl: server.url + wire.path };
  const adapter = async () => (await wire.load()).createAdapter(config);
  return { ...server, side, wireName, model: { provider: wire.provider, model: `model-${side}` }, adapter };
}

/** First one model, then another, then the first again. `vision`: whether the second is known to see. */
async function converse(first: string, second: string, vision?: boolean): Promise<Record<Side, Served>> {
  const [one, two] = [await serve(first, 'one'), await serve(second, 'two')];
  const connect = ({ model }: ModelRef) => (model === two.model.model ? two : one).adapter();
  const facts = ({ model }: ModelRef) => (vision !== undefined && model === two.model.model ? { vision } : {});
  await using kedge = await assistantOn({ [FILE]: Buffer.from(DOT, 'base64') }, [], { connect, facts });
  try {
    await answer(kedge, 'What is this?', one.model);
    await rm(join(kedge.root, FILE));
    await answer(kedge, 'Are you sure?', two.model);
    await answer(kedge, 'And you?', one.model);
    return { one, two };
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
}

async function answer({ session, events }: Harness, text: string, model: ModelRef): Promise<void> {
  await session.prompt({ text, mode: 'ask', model, attachments: [IMAGE] });
  const { outcome, error } = lastOf(events, 'run_finished');
  assert.equal(outcome, 'answered', error?.message);
}

function check({ requests, wireName, side }: Served, expected: number): void {
  assert.equal(requests.length, expected);
  for (const { raw } of requests) {
    const text = raw.toString();
    RULES[wireName]?.(JSON.parse(text));
    for (const [, owner] of text.matchAll(TOKEN)) assert.equal(owner, side, 'a token went to a model that did not make it');
  }
}

const count = (server: WireServer, text: string) => (server.requests.at(-1)?.raw.toString().split(text).length ?? 0) - 1;

for (const first of Object.keys(WIRES)) {
  describe(`a session that began on ${first}`, () => {
    for (const second of Object.keys(WIRES)) {
      it(`goes on with ${first === second ? 'another model of it' : second}, and comes back`, async () => {
        const { one, two } = await converse(first, second);
        check(one, 4);
        check(two, 2);
        // Three prompts had the image, and the one call that could read it.
        assert.deepEqual([count(two, DOT), count(one, DOT)], [3, 4]);
        assert.deepEqual([count(one, 'So it is.'), count(two, 'So it is.')], [2, 1]);
        assert.deepEqual([count(one, 'There is no file'), count(two, 'There is no file')], [2, 1]);
      });
    }

    it('goes on offline, and comes back', async () => {
      const server = await serve(first, 'one');
      const offline = { provider: 'offline', model: 'offline' };
      const connect = async ({ provider }: ModelRef) => (provider === 'offline' ? createOffline({}) : server.adapter());
      await using kedge = await assistantOn({ [FILE]: 'x\n', 'README.md': '# Title\n' }, [], { connect });
      try {
        await answer(kedge, 'What is this?', server.model);
        await answer(kedge, 'What is in README.md?', offline);
        await answer(kedge, 'And you?', server.model);
        check(server, 4);
        assert.ok(count(server, '# Title') > 0);
      } finally {
        await server.close();
      }
    });
  });
}

describe('a model that cannot see', () => {
  for (const name of Object.keys(WIRES)) {
    it(`is told on ${name} that images were left out`, async () => {
      const first = name === 'gemini' ? 'anthropic-messages' : 'gemini';
      const { one, two } = await converse(first, name, false);
      check(two, 2);
      check(one, 4);
      assert.deepEqual([count(two, DOT), count(two, 'An image was left out here')], [0, 3]);
      assert.equal(count(one, DOT), 4);
    });
  }
});
