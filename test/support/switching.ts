/**
 * A session that switches between models: servers that reason, answer and read a file, and checks of the messages that each may receive.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRef } from '../../src/core/model/messages.ts';
import type { ModelAdapter } from '../../src/core/model/model.ts';
import { type Harness, lastOf } from './harness.ts';
import { TEXT_BODIES } from './wire-bodies.ts';
import { RULES } from './wire-rules.ts';
import { startWireServer, type WireServer } from './wire-server.ts';
import { WIRES, type Wire } from './wires.ts';

export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image' as const, mediaType: 'image/png', data: DOT };
/** The file that the recordings read. In these tests, it is an image. */
export const FILE = 'src/größe.ts';
export const TOKEN = /(?:token|redacted)-of-(one|two)-end/g;

export type Side = 'one' | 'two';
export type Served = WireServer & { side: Side; wireName: string; model: ModelRef; adapter(): Promise<ModelAdapter> };

/**
 * Starts a server whose model reasons, writes some text, reads a file and then answers. Its token counts identify it. `fixtures` is the
 * folder of the recordings.
 */
export async function serve(wireName: string, side: Side, fixtures: string): Promise<Served> {
  const wire = WIRES[wireName] as Wire;
  const path = join(fixtures, 'recordings', wireName, 'reasoning-text-and-a-call', wire.file);
  const recording = readFileSync(path, 'utf8')
    .replaceAll(/token-of-the-model|second-token/g, `token-of-${side}-end`)
    .replaceAll('redacted-token', `redacted-of-${side}-end`)
    // Some servers create ids that other servers refuse. Gemini gets its own ids back.
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

export async function answer({ session, events }: Harness, text: string, model: ModelRef): Promise<void> {
  await session.prompt({ text, mode: 'ask', model, attachments: [IMAGE] });
  const { outcome, error } = lastOf(events, 'run_finished');
  assert.equal(outcome, 'answered', error?.message);
}

export function check({ requests, wireName, side }: Served, expected: number): void {
  assert.equal(requests.length, expected);
  for (const { raw } of requests) {
    const text = raw.toString();
    RULES[wireName]?.(JSON.parse(text));
    for (const [, owner] of text.matchAll(TOKEN)) assert.equal(owner, side, 'a token went to a model that did not make it');
  }
}

export const count = (server: WireServer, text: string) => (server.requests.at(-1)?.raw.toString().split(text).length ?? 0) - 1;
