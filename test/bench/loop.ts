/**
 * Measures the cost of the loop itself. The scripted model answers immediately, each step reads one small file, and the log and the policy
 * are active.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelAdapter, ModelEvent } from '../../src/core/model/model.ts';
import { call, say } from '../../src/providers/scripted/index.ts';
import { measuredAssistant } from './assistant.ts';

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
    // Medians are used, because a single pause of the machine would take longer than fifty steps of a tenth of a millisecond.
    const growth = median(runs.map((run) => median(run.slice(-50)) / median(run.slice(0, 50))));
    return { msPerStepAt30: short, msPerStepAt500: median(runs.map(mean)), growth };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the milliseconds of each step, from one request to the next. */
async function steps(folder: string, count: number): Promise<number[]> {
  const asked: number[] = [];
  // The events are created before the measurement, so that the time of the scripted model does not count. It grows with the history.
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
  const model = { provider: 'scripted', model: 'scripted' };
  const assistant = measuredAssistant(folder, storage, { model, adapter, turns: count + 1, calls: count + 1 });
  const session = await assistant.newSession();
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
