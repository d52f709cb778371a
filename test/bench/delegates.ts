/** Measures child runs on a local server whose answers take 200 ms each: how long 20 of them take compared to one, and their memory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdapter } from '../../src/providers/openai-chat/index.ts';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { measuredAssistant } from './assistant.ts';

export type DelegateFigures = { ratio: number; oneMs: number; manyMs: number; mbEach: number };

const LATENCY_MS = 200;
const MANY = 20;
const FILE = `${'a line of text that is read\n'.repeat(2_000)}`;

type Sent = { messages: { role: string; content: unknown }[] };

/** Answers of a parent that delegates `count` tasks, and of children that read a file before they answer. */
function answerTo({ messages }: Sent): string {
  const words = JSON.stringify(messages.find(({ role }) => role === 'user')?.content);
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const count = Number(/delegate (\d+)/.exec(words)?.[1] ?? 0);
  const call = (name: string, args: object, index = 0) => ({ id: `${name}_${index}_${turn}`, name, args: args as Record<string, unknown> });
  const calls =
    turn > 0
      ? []
      : count > 0
        ? Array.from({ length: count }, (_, index) => call('delegate', { task: `Read ${index}` }, index))
        : [call('read_file', { path: 'a.txt' })];
  return (calls.length > 0 ? CALL_BODIES['openai-chat']?.(calls) : TEXT_BODIES['openai-chat']?.(['Done.'])) ?? '';
}

export async function measureDelegates(): Promise<DelegateFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  await writeFile(join(folder, 'a.txt'), FILE);
  let peak = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = answerTo(JSON.parse(body));
    setTimeout(() => {
      peak = Math.max(peak, process.memoryUsage().heapUsed);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
    }, LATENCY_MS);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const run = async (count: number): Promise<{ ms: number; bytes: number }> => {
    const storage = await mkdtemp(join(tmpdir(), 'kedge-bench-log-'));
    const model = { provider: 'openai-chat', model: 'local' };
    const limits = { turns: 1_000, calls: 1_000, callsPerTurn: 64, delegation: 1 };
    const assistant = measuredAssistant(folder, storage, { model, adapter: createAdapter({ baseUrl, apiKey: 'none' }), ...limits });
    const session = await assistant.newSession();
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    peak = before;
    const start = performance.now();
    await session.prompt({ text: `delegate ${count}`, mode: 'ask' });
    const ms = performance.now() - start;
    if (session.state.lastRun?.outcome !== 'answered') throw new Error(`The run ended as ${session.state.lastRun?.outcome}.`);
    assistant.close();
    await rm(storage, { recursive: true, force: true });
    return { ms, bytes: peak - before };
  };
  try {
    await run(1);
    const one = await run(1);
    const many = await run(MANY);
    return {
      ratio: many.ms / one.ms,
      oneMs: one.ms,
      manyMs: many.ms,
      mbEach: Math.max(0, many.bytes - one.bytes) / (MANY - 1) / 1_000_000,
    };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
