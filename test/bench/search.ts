/** Measures the search tools on large trees, in comparison with ripgrep alone and the same pattern. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { Workspace } from '../../src/workspace/workspace.ts';

/** The fastest of several rounds, because other work on the machine can only add time. `grownMb` is the maximum growth of this process's memory during the search. */
export type LookFigures = { what: string; bareMs: number; toolMs: number; ratio: number; grownMb: number };
export type TreeFigures = { files: number; plantMs: number; looks: LookFigures[] };

const PATTERN = 'needleInTheHay';
const BARE = ['--no-config', '--color=never'];

export async function measureTree(rg: string, files: number, rounds = 7): Promise<TreeFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-search-'));
  try {
    const plantMs = await timed(async () => plant(folder, files));
    const fs = new NodeFileSystem([folder], { ripgrep: async () => rg });
    const tools = new Map(toolsFor(new Workspace(fs), { mode: 'ask' }).map((tool) => [tool.name, tool]));
    const use = async (name: string, input: unknown) => {
      const { signal } = new AbortController();
      const prepared = await tools.get(name)?.prepare(input, signal);
      const idle = { progress: () => undefined, record: () => undefined, ask: async () => Promise.reject(new Error('Nobody is asked.')) };
      return String((await prepared?.execute({ callId: '', signal, ...idle }))?.content);
    };
    const bare = (...args: string[]) => output(rg, [...BARE, ...args], folder);
    const looks = [
      await compare(
        'search',
        PATTERN,
        rounds,
        () => bare('-n', PATTERN, '.'),
        () => use('search_text', { pattern: PATTERN }),
      ),
      await compare(
        'find one file',
        'f1999.ts',
        4 * rounds,
        () => bare('--files', '-g', 'f1999.ts'),
        () => use('find_files', { glob: 'f1999.ts' }),
      ),
      await compare(
        'find all',
        'more than 500',
        4 * rounds,
        () => bare('--files', '-g', '*.ts'),
        () => use('find_files', { glob: '*.ts' }),
      ),
      await compare(
        'list, with all counts',
        'd0/ (',
        rounds,
        () => bare('--files'),
        () => use('list_directory', { depth: 1 }),
      ),
    ];
    return { files, plantMs, looks };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a hundred files in each directory. Every thousandth file contains the pattern. */
function plant(folder: string, files: number): void {
  const line = 'export function harbour(depth: number, tide: number): number { return depth + tide; }\n';
  const text = Buffer.from(line.repeat(20));
  for (let at = 0; at < files; at += 100) {
    const directory = join(folder, `d${Math.floor(at / 1000)}`, `e${(at / 100) % 10}`);
    mkdirSync(directory, { recursive: true });
    for (let index = at; index < Math.min(at + 100, files); index++)
      writeFileSync(join(directory, `f${index}.ts`), index % 1_000 === 0 ? `${text}const ${PATTERN}${at} = 1;\n` : text);
  }
}

async function compare(
  what: string,
  expected: string,
  rounds: number,
  bare: () => Promise<unknown>,
  tool: () => Promise<string>,
): Promise<LookFigures> {
  await bare();
  if (!(await tool()).includes(expected)) throw new Error(`${what} found nothing.`);
  const before = process.memoryUsage.rss();
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  const [bareMs, toolMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bareMs.push(await timed(bare));
    toolMs.push(await timed(tool));
    most = Math.max(most, process.memoryUsage.rss());
  }
  clearInterval(watching);
  const [bareBest, toolBest] = [Math.min(...bareMs), Math.min(...toolMs)];
  return { what, bareMs: bareBest, toolMs: toolBest, ratio: toolBest / bareBest, grownMb: (most - before) / 1_000_000 };
}

/** The output goes through a pipe, as it would for any caller, and is discarded. */
function output(rg: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(rg, args, { cwd, maxBuffer: 1 << 28, encoding: 'buffer' }, (error) => (error ? reject(error) : resolve()));
    child.stdin?.end();
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
