/**
 * Listing and searching many sessions: 1,000 logs of together 500 MB.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchSessions } from '../../src/app/library/search.ts';
import type { EventBody } from '../../src/core/session/events.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { listSessions } from '../../src/sessions/session-list.ts';
import { SessionStore } from '../../src/sessions/store.ts';

const WORDS = Array.from(
  { length: 6_000 },
  (_, index) => `${['har', 'qua', 'tid', 'buo', 'kel', 'mast'][index % 6]}${index.toString(36)}er`,
);

/** A session of about `bytes` bytes: results of tools with lines of code-like words. */
function logOf(number: number, bytes: number): string {
  const model = { provider: 'p', model: 'm' };
  const lines: string[] = [];
  let seq = 0;
  let size = 0;
  const add = (body: EventBody) => {
    const line = JSON.stringify({ ...body, runId: 'r', seq: ++seq, at: number * 1_000_000 + seq });
    size += line.length + 1;
    lines.push(line);
  };
  const limits = { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 };
  add({ type: 'run_started', mode: 'agent', prompt: `Session number ${number}`, model, limits });
  add({ type: 'message_added', message: { role: 'user', content: [{ type: 'text', text: `Session number ${number}` }] } });
  for (let count = 0; size < bytes; count++) {
    const callId = `c${count}`;
    const content = [{ type: 'tool_call' as const, id: callId, name: 'read_file', input: { path: 'a.ts' } }];
    add({ type: 'message_added', message: { role: 'assistant', content, from: model, stop: 'tool_use' } });
    const text = Array.from({ length: 120 }, (_, line) => {
      const word = (step: number) => WORDS[(number * 31 + count * 17 + line * step) % WORDS.length];
      return `  const ${word(7)} = ${word(11)}(${word(13)}, ${line});`;
    }).join('\n');
    add({
      type: 'tool_finished',
      callId,
      result: { type: 'tool_result', callId, name: 'read_file', content: [{ type: 'text', text }] },
      durationMs: 1,
    });
  }
  if (number === 3)
    add({
      type: 'message_added',
      message: { role: 'assistant', content: [{ type: 'text', text: 'The narwhal is here.' }], from: model, stop: 'end_turn' },
    });
  add({ type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 });
  return `${lines.join('\n')}\n`;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const begun = performance.now();
  const result = await work();
  return { ms: Math.round(performance.now() - begun), result };
}

type Measured = Record<'listMs' | 'listAgainMs' | 'indexMs' | 'rareMs' | 'commonMs' | 'missMs', number>;

/** Times in milliseconds: of a list and a search without an index, and with one. `missMs` is a search without results. */
export async function measureSessions(count = 1_000, bytes = 500_000): Promise<Measured> {
  const directory = join(mkdtempSync(join(tmpdir(), 'kedge-bench-')), 'sessions');
  try {
    mkdirSync(directory);
    for (let number = 0; number < count; number++) writeFileSync(join(directory, `s${number}.jsonl`), logOf(number, bytes));
    mkdirSync(join(directory, '..', 'workspace'));
    const fs = new NodeFileSystem([join(directory, '..', 'workspace')]);
    const ports = { store: new SessionStore(directory), fileSystem: () => fs };
    const first = async (words: string) => {
      for await (const hit of searchSessions(words, ports)) return hit;
      return undefined;
    };
    const all = async (words: string) => {
      let hits = 0;
      for await (const _ of searchSessions(words, ports)) hits++;
      return hits;
    };
    const list = await timed(() => listSessions(directory));
    const listAgain = await timed(() => listSessions(directory));
    const index = await timed(() => all('narwhal'));
    const rare = await timed(() => first('narwhal'));
    const common = await timed(() => first('const'));
    const miss = await timed(() => all('walrusses'));
    if (list.result.length !== count || index.result !== 1 || miss.result !== 0 || !rare.result || !common.result)
      throw new Error('Wrong results.');
    return { listMs: list.ms, listAgainMs: listAgain.ms, indexMs: index.ms, rareMs: rare.ms, commonMs: common.ms, missMs: miss.ms };
  } finally {
    rmSync(join(directory, '..'), { recursive: true, force: true });
  }
}
