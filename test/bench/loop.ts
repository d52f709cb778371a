/** What the loop itself costs: the scripted model answers at once, each step reads one small file, log and policy are on. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { ModelAdapter, ModelEvent } from '../../src/core/model/model.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { call, say } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { SessionStore } from '../../src/sessions/store.ts';

export type LoopFigures = { msPerStepAt30: number; msPerStepAt500: number; growth: number };

const FILES = 30;

export async function measureLoop(): Promise<LoopFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  try {
    await mkdir(join(folder, 'src'));
    for (let index = 0; index < FILES; index++)
      await writeFile(join(folder, 'src', `file${index}.ts`), `export const value${index} = ${index};\n`);
    await steps(folder, 30);
    const short = median(await repeat(5, async () => mean(await steps(folder, 30))));
    const runs = await repeat(5, () => steps(folder, 500));
    // Medians, because a single pause of the machine would drown fifty steps of a tenth of a millisecond.
    const growth = median(runs.map((run) => median(run.slice(-50)) / median(run.slice(0, 50))));
    return { msPerStepAt30: short, msPerStepAt500: median(runs.map(mean)), growth };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds of each step: from one request to the model to the next. */
async function steps(folder: string, count: number): Promise<number[]> {
  const asked: number[] = [];
  // Whole events, made beforehand: what the scripted model does on its own must not count, least of all where it grows with the history.
  const script = Array.from({ length: count }, (_, index): ModelEvent[] => [
    ...call('read_file', { path: `src/file${index % FILES}.ts` }, `call-${index}`),
    { type: 'stop', reason: 'tool_use' },
  ]);
  script.push([...say('Done.'), { type: 'stop', reason: 'end_turn' }]);
  const adapter: ModelAdapter = {
    async *stream() {
      yield* script[asked.push(performance.now()) - 1] as ModelEvent[];
    },
  };
  const storage = await mkdtemp(join(tmpdir(), 'kedge-bench-log-'));
  const fs = new NodeFileSystem([folder]);
  const assistant = new Assistant({
    fileSystem: () => fs,
    writer: () => new NodeWriter(fs),
    blobs: new DiskBlobs(join(storage, 'blobs')),
    store: new SessionStore(join(storage, 'sessions')),
    settings: {
      model: () => ({ provider: 'scripted', model: 'scripted' }),
      limits: () => ({ turns: count + 1, callsPerTurn: 10, callsPerRun: count + 1, minutes: 60 }),
    },
    adapter: async () => adapter,
    trusted: () => true,
    grants: { list: () => [], add: () => undefined },
  });
  const session = assistant.newSession();
  await session.prompt({ text: 'Read them all.', mode: 'agent' });
  assistant.close();
  await rm(storage, { recursive: true, force: true });
  if (asked.length !== count + 1) throw new Error(`The run took ${asked.length} requests instead of ${count + 1}.`);
  return asked.slice(1).map((at, index) => at - (asked[index] as number));
}

async function repeat<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let index = 0; index < times; index++) results.push(await work());
  return results;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
