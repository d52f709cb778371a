// `npm run fuzz [-- minutes] [test file ...]`: runs the property tests with new random seeds for some minutes (5 by default), several
// files in parallel. A failure is printed with its seed and its counterexample, which can be passed to `examples` of fc.assert.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from './editor.ts';

interface Failure {
  title: string;
  message: string;
}

function propertyFiles(): string[] {
  const files = globSync('test/{unit,contract}/**/*.test.ts', { cwd: root });
  return files.filter((file) => /from 'fast-check'/.test(readFileSync(join(root, file), 'utf8'))).sort();
}

/** Runs one file with one seed, and resolves to the failures in the reporter's file. */
async function round(file: string, seed: number, worker: number): Promise<Failure[]> {
  const results = join(root, 'out', `fuzz-${worker}.json`);
  await rm(results, { force: true });
  const child = spawn(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', '--config', 'test/.mocharc.json', '--reporter', 'test/support/reporter.cjs', '--exit', file],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, KEDGE_SEED: `${seed}`, KEDGE_RESULTS: results } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  const { failed, ended } = await readFile(results, 'utf8').then(
    (text) => JSON.parse(text) as { failed: Failure[]; ended: boolean },
    () => ({ failed: [], ended: false }),
  );
  if (ended && (code === 0 || failed.length > 0)) return failed;
  return [...failed, { title: 'the tests did not finish', message: output.slice(-2000) }];
}

async function main(args: string[]): Promise<void> {
  const [first = '5', ...rest] = args;
  const hasMinutes = /^[\d.]+$/.test(first);
  const minutes = hasMinutes ? Number(first) : 5;
  const named = hasMinutes ? rest : args;
  const files = named.length > 0 ? named : propertyFiles();
  await mkdir(join(root, 'out'), { recursive: true });
  console.log(`Running ${files.length} files of property tests for ${minutes} minutes ...`);
  const end = performance.now() + minutes * 60_000;
  let rounds = 0;
  const failing = new Map<string, number>();
  const work = async (_: unknown, worker: number) => {
    while (performance.now() < end) {
      const file = files[rounds++ % files.length] as string;
      const seed = randomInt(2 ** 31);
      for (const { title, message } of await round(file, seed, worker)) {
        const times = (failing.get(title) ?? 0) + 1;
        failing.set(title, times);
        // Only the first counterexample of each property is printed.
        if (times === 1)
          console.log(`\n✖ ${title}\n  KEDGE_SEED=${seed} npx mocha --config test/.mocharc.json ${file}\n${indented(message)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const [title, times] of failing) console.log(`Failed in ${times} rounds: ${title}`);
  console.log(`\n${rounds} rounds, ${failing.size} failing properties`);
  if (failing.size > 0) process.exitCode = 1;
}

const indented = (text: string) => text.replaceAll(/^/gm, '    ');

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
