import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { checkedEvent } from '../../src/core/model/answer-shape.ts';
import { user } from '../../src/core/model/messages.ts';
import { ModelError, type ModelRequest } from '../../src/core/model/model.ts';
import { served } from '../support/served.ts';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES } from '../support/wires.ts';

const request: ModelRequest = { model: 'm', system: '', messages: [user('Hello.')], tools: [] };
const OTHERS = [null, 5, -1, true, 'x', [], [null], {}];
/** Error messages of JavaScript for values of an unexpected type. */
const OF_CODE = /is not (a function|iterable|defined)|cannot (read|destructure|convert)|undefined|\[object|call stack|unexpected token/i;

type Path = (string | number)[];

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* pathsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value)) return value.map((inner, index) => (index === key ? replaced(inner, rest, other) : inner));
  return { ...(value as object), [key]: replaced((value as Record<string, unknown>)[key], rest, other) };
}

/** Creates answers in which each value is replaced by another one. */
function* variants(body: string): Generator<string> {
  const lines = body.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, lead = '', json] = /^(data: )?(\{.*)$/.exec(line) ?? [];
    if (json === undefined) continue;
    for (const path of pathsIn(JSON.parse(json))) {
      for (const other of OTHERS) yield lines.with(index, lead + JSON.stringify(replaced(JSON.parse(json), path, other))).join('\n');
    }
  }
}

describe('an answer with a value of an unexpected type anywhere is read, or fails with a readable message', () => {
  for (const [name, { load, path, contentType }] of Object.entries(WIRES)) {
    it(name, async () => {
      let body = '';
      const server = await served(
        createServer(async (incoming, response) => {
          for await (const _ of incoming);
          if (incoming.url === '/api/show') return response.writeHead(404).end('{}');
          response.writeHead(200, { 'content-type': contentType }).end(body);
        }),
      );
      try {
        const { createAdapter } = await load();
        const adapter = createAdapter({ apiKey: 'none-0123456789', baseUrl: server.url + path });
        const calls = [{ id: 'call_1', name: 'read_file', args: { path: 'a.txt' } }];
        const bodies = [TEXT_BODIES[name]?.(['Hello.']), CALL_BODIES[name]?.(calls)];
        for (body of bodies.flatMap((whole = '') => [...variants(whole)])) {
          try {
            for await (const event of adapter.stream(request, new AbortController().signal)) checkedEvent(event);
          } catch (error) {
            assert.ok(error instanceof ModelError, `${error} of ${body}`);
            assert.doesNotMatch((error as Error).message, OF_CODE, body);
          }
        }
      } finally {
        await server.close();
      }
    });
  }
});
