/** Measures the terminal program from end to end, in comparison with a minimal loop of fetch and JSON on the same server. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Exchanges } from './cli-server.ts';
import { median } from './loop.ts';

/** Milliseconds and megabytes. `peakMb` is only available on Linux. */
export type ProgramFigures = { startMs: number; stepMs: number; peakMb: number | undefined };
export type CliFigures = {
  kedge: ProgramFigures;
  bare: ProgramFigures;
  /** Kedge's time per step, divided by the time of the minimal loop. */
  stepRatio: number;
  /** The number of tokens (o200k) that every request needs for instructions and tools. */
  fixedTokens: { ask: number; plan: number; agent: number };
};
type Run = ProgramFigures & { bodies: string[] };

const STEPS = 30;
const root = join(import.meta.dirname, '../..');
const program = join(root, 'dist', 'kedge.js');
const bareLoop = join(root, 'test', 'support', 'bare-loop.ts');

export async function measureCli(runs = 7): Promise<CliFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-cli-'));
  const home = await mkdtemp(join(tmpdir(), 'kedge-cli-home-'));
  const files = Array.from({ length: STEPS }, (_, index) => `src/file${index}.ts`);
  const server = fork(join(import.meta.dirname, 'cli-server.ts'), files);
  try {
    const [url] = (await once(server, 'message')) as [string];
    await mkdir(join(folder, 'src'));
    for (const file of files) await writeFile(join(folder, file), source(file));
    const env = { ...process.env, KEDGE_HOME: home, OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url, NO_COLOR: '1' };
    // The minimal loop is compiled to JavaScript, because the terminal program is compiled, too.
    const bareProgram = join(home, 'bare-loop.mjs');
    await build({ entryPoints: [bareLoop], outfile: bareProgram, platform: 'node', format: 'esm' });
    const ask = async (mode: string) => {
      const args = [program, mode, '--model', 'openai/bench', '--max-turns', '40', '--folder', folder, 'Read all files.'];
      return measured(server, args, env);
    };
    const kedge: Run[] = [];
    const bare: Run[] = [];
    // The first run fills the caches. The others alternate, so that other work on the machine affects both.
    await ask('agent');
    for (let run = 0; run < runs; run++) {
      kedge.push(await ask('agent'));
      bare.push(await measured(server, [bareProgram, url, folder, 'Read all files.'], env));
    }
    for (const { bodies } of kedge) expectExtensions(bodies);
    const fixedTokens = {
      ask: tokens((await ask('ask')).bodies),
      plan: tokens((await ask('plan')).bodies),
      agent: tokens(kedge[0]?.bodies ?? []),
    };
    const figures = { kedge: summed(kedge), bare: summed(bare) };
    return { ...figures, stepRatio: figures.kedge.stepMs / figures.bare.stepMs, fixedTokens };
  } finally {
    server.disconnect();
    await Promise.all([folder, home].map((directory) => rm(directory, { recursive: true, force: true })));
  }
}

async function measured(server: ChildProcess, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const begin = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let peakMb: number | undefined;
  const watch = setInterval(() => {
    peakMb = peakOf(child.pid) ?? peakMb;
  }, 15);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${said}`);
  server.send('report');
  const [{ received, answered, bodies }] = (await once(server, 'message')) as [Exchanges];
  if (received.length !== STEPS + 1) throw new Error(`${args[0]} made ${received.length} requests instead of ${STEPS + 1}.`);
  const steps = received.slice(1).map((at, index) => at - (answered[index] as number));
  return { startMs: (received[0] as number) - begin, stepMs: steps.reduce((sum, step) => sum + step, 0) / steps.length, peakMb, bodies };
}

/** Returns the maximum memory that the process has used, as Linux reports it. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

function summed(runs: readonly Run[]): ProgramFigures {
  const peaks = runs.flatMap(({ peakMb }) => (peakMb === undefined ? [] : [peakMb]));
  return {
    startMs: median(runs.map(({ startMs }) => startMs)),
    stepMs: median(runs.map(({ stepMs }) => stepMs)),
    peakMb: peaks.length > 0 ? median(peaks) : undefined,
  };
}

/**
 * Prompt caches of providers compare bytes, so each request must begin with the whole request before it, except for its closing brackets.
 */
function expectExtensions(bodies: readonly string[]): void {
  for (const [index, body] of bodies.entries()) {
    const before = bodies[index - 1];
    if (before === undefined) continue;
    if (!before.endsWith(']}') || !body.startsWith(`${before.slice(0, -2)},`))
      throw new Error(`Request ${index + 1} does not extend the one before.`);
  }
}

function tokens([body = '{}']: readonly string[]): number {
  const { instructions, tools } = JSON.parse(body);
  return encode(JSON.stringify({ instructions, tools })).length;
}

function source(file: string): string {
  const lines = Array.from(
    { length: 40 },
    (_, index) => `export function measure${index}(depth: number): number { return depth * ${index}; }`,
  );
  return `// ${file}\n${lines.join('\n')}\n`;
}
