// `npm test [-- layer ...] [mocha options]`: runs the layers of tests one after another and counts them together. The last line is
// always "N passed, N failed", with ", N skipped" where there are any.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureEditor, root } from './editor.ts';
import { packageExtension } from './package.ts';

interface Counts {
  passes: number;
  failures: number;
  pending: number;
}

interface Layer {
  name: string;
  run(mochaOptions: string[]): Promise<Counts>;
}

/** Far longer than any layer takes: only a layer that hangs gets here. */
const timeLimit = 15 * 60_000;
const failed = (why: string): Counts => {
  console.error(`  ✖ ${why}`);
  return { passes: 0, failures: 1, pending: 0 };
};

const layers: Layer[] = [
  { name: 'build', run: build },
  { name: 'check', run: check },
  { name: 'unit', run: (options) => mocha('unit', options) },
  { name: 'contract', run: (options) => mocha('contract', options) },
  { name: 'editor', run: (options) => counted('editor', ['scripts/test-editor.ts', ...options]) },
  { name: 'e2e', run: (options) => counted('e2e', ['scripts/test-e2e.ts', ...options]) },
];

/** Nothing to count when it works: the layers that use package and editor (unit tests its ripgrep too) are the test of it. */
async function build(): Promise<Counts> {
  try {
    await ensureEditor();
    await packageExtension();
    return { passes: 0, failures: 0, pending: 0 };
  } catch (error) {
    return failed((error as Error).message);
  }
}

async function check(): Promise<Counts> {
  const types = await node(['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']);
  console.log(`  ${types === 0 ? '✔' : '✖'} types (tsc)`);
  const lint = await node(['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
  console.log(`  ${lint === 0 ? '✔' : '✖'} lint and format (biome)`);
  const passes = [types, lint].filter((code) => code === 0).length;
  return { passes, failures: 2 - passes, pending: 0 };
}

const mocha = (layer: string, options: string[]) =>
  counted(layer, [
    ...['node_modules/mocha/bin/mocha.js', '--config', 'test/.mocharc.json', '--reporter', 'test/support/reporter.cjs'],
    ...[...options, `test/${layer}/**/*.test.ts`],
  ]);

/** Runs a script whose mocha leaves its counts in a file. Whatever ends differently from how it counted is a failure too. */
async function counted(layer: string, args: string[]): Promise<Counts> {
  const file = join(root, 'out', `results-${layer}.json`);
  await mkdir(join(root, 'out'), { recursive: true });
  await rm(file, { force: true });
  const code = await node(args, { KEDGE_RESULTS: file });
  const counts = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Counts & { ended: boolean },
    () => ({ passes: 0, failures: 0, pending: 0, ended: false }),
  );
  const problem = whatIsWrong(counts, code);
  return problem ? add(counts, failed(`${layer}: ${problem}`)) : counts;
}

function whatIsWrong({ passes, failures, ended }: Counts & { ended: boolean }, code: number): string | undefined {
  if (!ended) return `it did not come to its end (exit code ${code})`;
  if (passes + failures === 0) return 'it ran no test at all';
  if (code !== 0 && failures === 0) return `it exited with code ${code} although no test failed`;
  return undefined;
}

function node(args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env }, timeout: timeLimit });
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const add = (a: Counts, b: Counts): Counts => ({
  passes: a.passes + b.passes,
  failures: a.failures + b.failures,
  pending: a.pending + b.pending,
});

async function main(args: string[]): Promise<void> {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const names = firstOption < 0 ? args : args.slice(0, firstOption);
  const unknown = names.find((name) => !layers.some((layer) => layer.name === name));
  if (unknown) throw new Error(`There is no layer "${unknown}": choose from ${layers.map(({ name }) => name).join(', ')}.`);
  let total: Counts = { passes: 0, failures: 0, pending: 0 };
  for (const layer of layers.filter(({ name }) => names.length === 0 || names.includes(name))) {
    console.log(`\n== ${layer.name}`);
    const started = performance.now();
    total = add(total, await layer.run(firstOption < 0 ? [] : args.slice(firstOption)));
    console.log(`   ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  report(total);
}

function report({ passes, failures, pending }: Counts): void {
  console.log(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
  if (failures > 0) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  report({ passes: 0, failures: 1, pending: 0 });
}
