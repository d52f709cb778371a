import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { callsOf, type Message, type Usage, user } from '../../src/core/model/messages.ts';
import { ModelError, type ModelEvent } from '../../src/core/model/model.ts';
import { listen } from '../support/listen.ts';
import { CHUNKINGS, startReplayServer } from '../support/replay-server.ts';
import { WIRES, type Wire } from '../support/wires.ts';

type Expected = {
  text: string;
  reasoning: string;
  toolCalls: { name: string; input: unknown }[];
  stop: string | null;
  usage?: Usage;
  error?: string;
};

/** Recordings whose expectation is a failure although the answer was complete: the server sent no finish reason, but the final usage. */
const ENDED: Readonly<Record<string, Partial<Expected>>> = {
  'pydantic-ai--test_snowflake__test_snowflake_thinking_streaming__00': { reasoning: '15 * 27 = 405', stop: 'end_turn' },
};

const root = resolve(import.meta.dirname, '../..');
const recorded = process.env.RECORDINGS_DIR || join(root, '../shared/recordings');
const KEY = 'sk-recordings-0123456789';

describe('recorded model streams', () => {
  describeFolder("the project's own", join(root, 'test/fixtures/recordings'));
  if (existsSync(recorded)) describeFolder('recorded traffic', recorded);
  else it(`recorded traffic: skipped, because there is no folder ${recorded}; RECORDINGS_DIR can name another folder`);
});

function describeFolder(title: string, folder: string): void {
  describe(title, () => {
    for (const wireName of foldersIn(folder)) {
      const wire = WIRES[wireName];
      const names = foldersIn(join(folder, wireName));
      if (!wire) it(`${wireName}: ${names.length} recordings skipped, because there is no adapter for this wire`);
      else {
        describe(wireName, () => {
          for (const name of names) describeRecording(wire, name, join(folder, wireName, name));
        });
      }
    }
  });
}

function describeRecording(wire: Wire, name: string, folder: string): void {
  const body = () => readFileSync(join(folder, wire.file));
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
  if (ENDED[name]) Object.assign(expected, ENDED[name], { error: undefined });

  for (const chunking of CHUNKINGS) {
    it(`${name}, ${chunking.name}`, async () => {
      const server = await startReplayServer(body(), wire.contentType, chunking);
      try {
        check(await ask(wire, server.url + wire.path), expected);
      } finally {
        await server.close();
      }
    });
  }
}

async function ask(wire: Wire, baseUrl: string): Promise<{ events: ModelEvent[]; error: unknown }> {
  const { createAdapter } = await wire.load();
  const messages: Message[] = [user('Hello.')];
  const request = { model: 'recorded', system: 'Be brief.', messages, tools: [] };
  const events: ModelEvent[] = [];
  try {
    const stream = createAdapter({ apiKey: KEY, baseUrl }).stream(request, new AbortController().signal);
    await listen(stream, events);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

function check({ events, error }: { events: ModelEvent[]; error: unknown }, expected: Expected): void {
  if (expected.error === undefined && error !== undefined) throw error;
  const content = events.filter((event) => event.type === 'part').map((event) => event.part);
  const textOf = (type: 'text' | 'reasoning') => content.map((part) => (part.type === type ? part.text : '')).join('');
  const stops = events.filter((event) => event.type === 'stop');

  const failed = expected.error !== undefined;
  // Before a failure, text that was already shown is kept after the last complete part.
  for (const type of ['text', 'reasoning'] as const) {
    assert.equal(failed ? textOf(type).slice(0, expected[type].length) : textOf(type), expected[type]);
  }
  const calls = callsOf({ role: 'assistant', content, from: { provider: '', model: '' }, stop: 'other' });
  assert.deepEqual(
    calls.map(({ name, input }) => ({ name, input })),
    expected.toolCalls,
  );
  assert.equal(new Set(calls.map((call) => call.id)).size, calls.length, 'two calls have the same id');
  if (failed) {
    assert.ok(error instanceof ModelError, `an error was expected: ${expected.error}`);
    assert.ok(!error.message.includes(KEY), 'the message contains the key');
    assert.deepEqual(stops, [], 'a stream that fails does not stop');
    return;
  }
  assert.deepEqual(stops, [{ type: 'stop', reason: expected.stop }]);
  assert.equal(events.at(-1)?.type, 'stop', 'something follows the stop');
  const usage = events.findLast((event) => event.type === 'usage')?.usage ?? {};
  for (const [key, tokens] of Object.entries(expected.usage ?? {})) assert.equal(usage[key as keyof Usage], tokens, `usage.${key}`);
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
