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
import { median } from './loop.ts';
import type { Steps } from './steps-server.ts';

export type StepFigures = {
  wire: string;
  /** Milliseconds from an answer to the beginning of the next request, after 30 steps and after 2,000. */
  early: number;
  late: number;
  /** The same until the request is whole: with the transfer of the history to the server. */
  wholeEarly: number;
  wholeLate: number;
  /** The memory that the client gained from step 30 to step 2,000, beside the bytes that a request gained. */
  memoryRatio: number;
};

const STEPS = 2_000;
const EARLY = 30;
const FILES = 30;
/** The number of steps around the measured one. */
const WINDOW = 20;

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
      const memory = await run(folder, url, name, WIRES[name] as Wire);
      server.send('report');
      const [steps] = (await once(server, 'message')) as [Steps];
      if (steps.length !== STEPS + 1) throw new Error(`The run on ${name} took ${steps.length} requests instead of ${STEPS + 1}.`);
      const around = (step: number, at: 'begun' | 'whole') => {
        const times = steps.map((request, index) => request[at] - (steps[index - 1]?.answered ?? 0));
        return median(times.slice(step - WINDOW / 2, step + WINDOW / 2));
      };
      const [early, late] = [EARLY, STEPS - WINDOW / 2] as const;
      const gained = (steps[STEPS]?.bytes ?? 0) - (steps[EARLY]?.bytes ?? 0);
      figures.push({
        wire: name,
        early: around(early, 'begun'),
        late: around(late, 'begun'),
        wholeEarly: around(early, 'whole'),
        wholeLate: around(late, 'whole'),
        memoryRatio: memory / gained,
      });
    }
    return figures;
  } finally {
    server.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the memory that the run gained from step 30 to its end, in bytes. */
async function run(folder: string, url: string, name: string, wire: Wire): Promise<number> {
  const service = (await wire.load()).createAdapter({ apiKey: 'none-0123456789', baseUrl: `${url}/${name}${wire.path}` });
  const used: number[] = [];
  let asked = 0;
  const adapter: ModelAdapter = {
    async *stream(request, signal) {
      if (asked === EARLY || asked === STEPS) used.push(await memoryUsed());
      asked++;
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
      limits: () => ({ turns: STEPS + 1, callsPerTurn: 10, callsPerRun: STEPS + 1, minutes: 60 }),
    },
    adapter: async () => adapter,
    trusted: () => true,
    grants: { list: () => [], add: () => undefined },
  });
  await assistant.newSession().prompt({ text: 'Read them all.', mode: 'agent' });
  assistant.close();
  await rm(storage, { recursive: true, force: true });
  const [before = 0, after = 0] = used;
  return after - before;
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
