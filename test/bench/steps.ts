/** What a step costs at the end of a long run beside one near its beginning, on every wire: the real loop, log and policy, and a real server. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Assistant } from '../../src/app/assistant.ts';
import type { ModelAdapter } from '../../src/core/model/model.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { WIRES, type Wire } from '../support/wires.ts';

export type StepFigures = {
  wire: string;
  /** Milliseconds of processor time per step, until step 30 and until step 2,000. It does not depend on what else the machine does. */
  early: number;
  late: number;
  /** The same for `fetch` alone, with bodies of the same sizes. */
  bareEarly: number;
  bareLate: number;
  /** How much more a step costs at step 2,000 than at step 30, both without the cost of `fetch` alone. */
  growth: number;
  /** The memory that the client gained from step 30 to step 2,000, beside the bytes that a request gained. */
  memoryRatio: number;
};

const STEPS = 2_000;
const EARLY = 30;
const FILES = 30;
/** The number of steps before a measured step that are measured with it. */
const WINDOW = 20;
const LATE_WINDOW = 100;

/** The processor time at the beginning of each request, in milliseconds, and the memory in use at step 30 and step 2,000, in bytes. */
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
      // The first steps are measured in a second run, because the code was still being compiled in those of the first one.
      const short = await run(folder, url, name, WIRES[name] as Wire, EARLY + 1);
      server.send('report');
      await once(server, 'message');
      if (lengths.length !== STEPS + 1) throw new Error(`The run on ${name} took ${lengths.length} requests instead of ${STEPS + 1}.`);
      const perStep = ({ begun }: Run, to: number, count: number) => ((begun[to] as number) - (begun[to - count] as number)) / count;
      const [early, late] = [perStep(short, EARLY, WINDOW), perStep(long, STEPS, LATE_WINDOW)];
      const [bytesEarly, bytesLate] = [lengths[EARLY] ?? 0, lengths[STEPS] ?? 0];
      const [bareEarly, bareLate] = [await bare(url, bytesEarly), await bare(url, bytesLate)];
      const growth = (late - bareLate) / (early - bareEarly);
      const memoryRatio = ((long.memory[1] ?? 0) - (long.memory[0] ?? 0)) / (bytesLate - bytesEarly);
      figures.push({ wire: name, early, late, bareEarly, bareLate, growth, memoryRatio });
    }
    return figures;
  } finally {
    server.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the processor time of `fetch` alone with this many bytes, in milliseconds. */
async function bare(url: string, bytes: number): Promise<number> {
  const body = new Uint8Array(bytes);
  const send = async () => {
    for (let index = 0; index < LATE_WINDOW; index++)
      await (await fetch(`${url}/bare`, { method: 'POST', body, redirect: 'error', window: null })).text();
  };
  await send();
  const before = processorMs();
  await send();
  return (processorMs() - before) / LATE_WINDOW;
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
      if (step === EARLY || step === STEPS) memory.push(await memoryUsed());
      yield* service.stream(request, signal);
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
      model: () => ({ provider: wire.provider, model: 'bench' }),
      limits: () => ({ turns, callsPerTurn: 10, callsPerRun: STEPS + 1, minutes: 60 }),
    },
    adapter: async () => adapter,
    trusted: () => true,
    grants: { list: () => [], add: () => undefined },
  });
  await assistant.newSession().prompt({ text: 'Read them all.', mode: 'agent' });
  assistant.close();
  await rm(storage, { recursive: true, force: true });
  return { begun, memory };
}

async function memoryUsed(): Promise<number> {
  // What a finished request leaves behind is only freed between tasks.
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
