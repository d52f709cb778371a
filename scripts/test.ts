// `npm test [-- layer ...] [mocha options]`: runs the layers of tests and adds up their counts. Tests that need an editor run in parallel
// with other tests, because they wait more than they compute. The last line is always "N passed, N failed", with ", N skipped" if tests
// were skipped.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ensureAcpx } from './acpx.ts';
import { ensureChromium } from './chromium.ts';
import { ensureEditor, root } from './editor.ts';
import { packageExtension } from './package.ts';

interface Counts {
  passes: number;
  failures: number;
  pending: number;
  failed: Failure[];
}

interface Failure {
  title: string;
  message: string;
}

interface Run {
  mochaOptions: string[];
  /** The number of files that mocha runs at once, if it is not `jobs`. */
  jobs?: number;
  print(text: string): void;
}

type Layer = (run: Run) => Promise<Counts>;

/** The limit is far longer than any layer takes, so only a layer that hangs reaches it. */
const timeLimit = 45 * 60_000;
/** The maximum memory, in bytes, that the temporary files of the tests need. */
const roomInMemory = 2e9;
/** Every process of mocha loads most of the sources, which takes twice as long without their compiled form. */
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(root, 'out', 'compile-cache');
const slowTests = 'test/unit/**/*.slow.test.ts';
const jobs = Math.max(2, availableParallelism());

const layers: Record<string, Layer> = {
  build,
  check,
  fast: (run) => mocha('fast', run, 'test/unit/**/*.test.ts', '--ignore', slowTests),
  // These tests wait for processes and browsers for much of their time.
  slow: (run) => mocha('slow', { ...run, jobs: jobs + 1 }, slowTests),
  contract: (run) => mocha('contract', run, 'test/contract/**/*.test.ts'),
  editor: (run) => counted('editor', run, ['scripts/test-editor.ts', ...run.mochaOptions]),
  e2e: (run) => counted('e2e', run, ['scripts/test-e2e.ts', ...run.mochaOptions]),
};
const unit = ['fast', 'slow'];
/** The layers of one lane run one after another. The lanes run in parallel. */
const lanes = [['build'], ['editor'], ['e2e'], ['check', 'fast', 'contract', 'slow']];
/** The layers that wait for `build` and use its results. */
const builtFirst = ['slow', 'editor', 'e2e'];

/** Prepares the package, the editor and Chromium. A success does not count as a passed test. */
async function build({ print }: Run): Promise<Counts> {
  const log = (line: string) => print(`${line}\n`);
  try {
    await ensureEditor(log);
    await ensureAcpx(log);
    process.env.CHROME_PATH = await ensureChromium(log);
    await packageExtension(log);
    return none();
  } catch (error) {
    return failed((error as Error).message, print);
  }
}

const none = (): Counts => ({ passes: 0, failures: 0, pending: 0, failed: [] });

function failed(why: string, print: Run['print']): Counts {
  print(`  ✖ ${why}\n`);
  return { ...none(), failures: 1, failed: [{ title: why, message: '' }] };
}

async function check(run: Run): Promise<Counts> {
  const one = async (name: string, args: string[]): Promise<Counts> => {
    if ((await node(run, args)) !== 0) return failed(name, run.print);
    run.print(`  ✔ ${name}\n`);
    return { ...none(), passes: 1 };
  };
  return sum(
    await Promise.all([
      one('rooms and sizes (scripts/rooms.ts)', ['scripts/rooms.ts']),
      one('types (tsc)', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']),
      one('lint and format (biome)', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
    ]),
  );
}

async function mocha(layer: string, run: Run, ...files: string[]): Promise<Counts> {
  const args = [
    ...['node_modules/mocha/bin/mocha.js', '--config', 'test/.mocharc.json', '--reporter', 'test/support/reporter.cjs'],
    ...['--parallel', '--jobs', `${run.jobs ?? jobs}`, ...(process.stdout.isTTY ? ['--color'] : []), ...run.mochaOptions, ...files],
  ];
  memoryFolder ??= folderInMemory();
  const folder = await memoryFolder;
  return counted(layer, run, args, { NODE_COMPILE_CACHE: compileCache, ...(folder && { TMPDIR: folder }) });
}

/** A folder in memory for temporary files. The tests write, sync and remove many small files, which would be slow on a disk. */
let memoryFolder: Promise<string | undefined> | undefined;

async function folderInMemory(): Promise<string | undefined> {
  if (process.env.TMPDIR) return undefined;
  try {
    const { bavail, bsize } = await statfs('/dev/shm');
    if (bavail * bsize < roomInMemory) return undefined;
    const folder = await mkdtemp('/dev/shm/kedge-');
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return undefined;
  }
}

/** Runs a script whose mocha writes its counts to a file. An exit code that does not match the counts is a failure too. */
async function counted(layer: string, run: Run, args: string[], env: Record<string, string> = {}): Promise<Counts> {
  const file = join(root, 'out', `results-${layer}.json`);
  await mkdir(join(root, 'out'), { recursive: true });
  await rm(file, { force: true });
  const code = await node(run, args, { ...env, KEDGE_RESULTS: file });
  const counts = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Counts & { ended: boolean },
    () => ({ ...none(), ended: false }),
  );
  const problem = problemOf(counts, code);
  return problem ? add(counts, failed(`${layer}: ${problem}`, run.print)) : counts;
}

function problemOf({ passes, failures, ended }: Counts & { ended: boolean }, code: number): string | undefined {
  if (!ended) return `it did not finish (exit code ${code})`;
  if (passes + failures === 0) return 'it did not run any tests';
  if (code !== 0 && failures === 0) return `it exited with code ${code} although no test failed`;
  return undefined;
}

function node({ print }: Run, args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: timeLimit,
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', print);
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const add = (a: Counts, b: Counts): Counts => ({
  passes: a.passes + b.passes,
  failures: a.failures + b.failures,
  pending: a.pending + b.pending,
  failed: [...a.failed, ...b.failed],
});
const sum = (counts: Counts[]): Counts => counts.reduce(add, none());

/** Returns the layers with these names, or all layers if there are no names. */
function layersOf(names: string[]): string[] {
  const all = Object.keys(layers);
  const wanted = names.length > 0 ? names.flatMap((name) => (name === 'unit' ? unit : [name])) : all;
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown) throw new Error(`There is no layer "${unknown}". Choose from ${[...all, 'unit'].join(', ')}.`);
  return wanted.some((name) => builtFirst.includes(name)) ? [...new Set(['build', ...wanted])] : wanted;
}

async function main(args: string[]): Promise<void> {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const [names, mochaOptions] = firstOption < 0 ? [args, []] : [args.slice(0, firstOption), args.slice(firstOption)];
  const wanted = layersOf(names);
  const chosen = lanes.map((lane) => lane.filter((name) => wanted.includes(name))).filter((lane) => lane.length > 0);
  console.log(`Property tests use seed ${process.env.KEDGE_SEED ?? '1'} (KEDGE_SEED).`);
  const isBesideAnother = chosen.length > 1;
  const counts: Counts[] = [];
  const built = Promise.withResolvers<void>();
  const inLane = async (lane: string[]) => {
    for (const name of lane) {
      if (builtFirst.includes(name)) await built.promise;
      counts.push(await runLayer(name, mochaOptions, isBesideAnother));
      if (name === 'build') built.resolve();
    }
  };
  await Promise.all(chosen.map(inLane));
  report(sum(counts));
}

/** Runs a layer. If another layer runs in parallel, its output is printed at its end, so that the outputs do not mix. */
async function runLayer(name: string, mochaOptions: string[], isBesideAnother: boolean): Promise<Counts> {
  let output = `\n== ${name}\n`;
  const print = (text: string) => {
    output += text;
    if (!isBesideAnother) flush();
  };
  const flush = () => {
    process.stdout.write(output);
    output = '';
  };
  if (isBesideAnother) console.log(`   ${name} has started`);
  const started = performance.now();
  const counts = (await layers[name]?.({ mochaOptions, print })) ?? failed(`There is no layer "${name}".`, print);
  print(`   ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  flush();
  return counts;
}

/** Prints the failures again. The output of the layer they stand in can be far above. */
function report({ passes, failures, pending, failed }: Counts): void {
  for (const { title, message } of failed) console.log(`\n✖ ${title}\n${message.slice(0, 1000)}`);
  console.log(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
  if (failures > 0) process.exitCode = 1;
}

// Exiting runs the handlers of the `exit` event, which a signal alone would skip.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  report({ ...none(), failures: 1 });
}
