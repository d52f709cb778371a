/**
 * Measures the cost of a step at the end of a long run and near its beginning, on every wire, with the real loop, log and policy, and a real
 * server.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ModelAdapter } from '../../src/core/model/model.ts';
import { WIRES, type Wire } from '../support/wires.ts';
import { measuredAssistant } from './assistant.ts';

export type StepFigures = {
  wire: string;
  /** Milliseconds of CPU time per step, until step 30 and until step 2,000. It does not depend on other work on the machine. */
  early: number;
  late: number;
  /** How much more a step costs at step 2,000 than at step 30. */
  growth: number;
  /** The memory in use besides the bytes of the messages, in megabytes, at step 30 and at step 2,000. */
  memoryEarly: number;
  memoryLate: number;
};

const STEPS = 2_000;
const EARLY = 30;
const FILES = 30;
/** The number of steps before a measured step that are measured with it. */
const WINDOW = 20;
const LATE_WINDOW = 100;

/**
 * The CPU time at the beginning of each request, in milliseconds, and the memory in use at step 30 and step 2,000 besides the bytes
 * of the messages, in megabytes.
 */
type Run = { begun: number[]; memory: number[] };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export async function measureSteps(names = Object.keys(WIRES)): Promise<StepFigures[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  const server = fork(join(import.meta.dirname, 'steps-server.ts'), [String(STEPS), String(FILES)]);
  try {
    const [url] = (await once(server, 'message')) as [string];
    await mkdir(join(folder, 'src'));
    for (let index = 0; index < FILES; index++)
      await writeFile(join(folder, 'src', `file${index}.ts`), `export const value${index} = 'größe';\n`.repeat(25));
    const figures: StepFigures[] = [];
    for (const name of names) {
      const long = await run(folder, url, name, WIRES[name] as Wire, STEPS + 1);
      server.send('report');
      const [lengths] = (await once(server, 'message')) as [number[]];
      // The first steps are measured in a second run, because their code was still being compiled in the first run.
      const short = await run(folder, url, name, WIRES[name] as Wire, EARLY + 1);
      server.send('report');
      await once(server, 'message');
      if (lengths.length !== STEPS + 1) throw new Error(`The run on ${name} took ${lengths.length} requests instead of ${STEPS + 1}.`);
      const perStep = ({ begun }: Run, to: number, count: number) => ((begun[to] as number) - (begun[to - count] as number)) / count;
      const [early, late] = [perStep(short, EARLY, WINDOW), perStep(long, STEPS, LATE_WINDOW)];
      const [memoryEarly, memoryLate] = long.memory as [number, number];
      figures.push({ wire: name, early, late, growth: late / early, memoryEarly, memoryLate });
    }
    return figures;
  } finally {
    server.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function run(folder: string, url: string, name: string, wire: Wire, turns: number): Promise<Run> {
  const service = (await wire.load()).createAdapter({ apiKey: 'none-0123456789', baseUrl: `${url}/${name}${wire.path}` });
  const begun: number[] = [];
  const memory: number[] = [];
  const adapter: ModelAdapter = {
    async *stream(request, signal) {
      const step = begun.push(processorMs()) - 1;
      if (step === EARLY || step === STEPS)
        memory.push((await memoryUsed()) - Buffer.byteLength(JSON.stringify(session.state.messages)) / 2 ** 20);
      yield* service.stream(request, signal);
    },
  };
  const storage = await mkdtemp(join(tmpdir(), 'kedge-bench-log-'));
  const model = { provider: wire.provider, model: 'bench' };
  const assistant = measuredAssistant(folder, storage, { model, adapter, turns, calls: STEPS + 1 });
  const session = await assistant.newSession();
  await session.prompt({ text: 'Read them all.', mode: 'agent' });
  assistant.close();
  await rm(storage, { recursive: true, force: true });
  return { begun, memory };
}

/** In megabytes. */
async function memoryUsed(): Promise<number> {
  // The memory of a finished request is only freed between two tasks.
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
