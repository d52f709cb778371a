/** Search over a tree of 20,000 files through the tool, beside ripgrep alone with the same pattern, in turns. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFileSystem } from '../../src/hosts/node/file-system.ts';
import { searchTextTool } from '../../src/tools/search-text.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { executeContext } from '../support/context.ts';
import { median } from './loop.ts';

export type SearchFigures = { files: number; bareMs: number; toolMs: number; ratio: number };

const PATTERN = 'needleInTheHay';

export async function measureSearch(rg: string, files = 20_000): Promise<SearchFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-search-'));
  try {
    await plant(folder, files);
    const fs = new NodeFileSystem([folder], { ripgrep: async () => rg });
    const tool = searchTextTool(new Workspace(fs));
    const bare: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < 9; round++) {
      bare.push(await timed(() => bareSearch(rg, folder)));
      ours.push(await timed(() => toolSearch(tool)));
    }
    return { files, bareMs: median(bare), toolMs: median(ours), ratio: median(ours) / median(bare) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function plant(folder: string, files: number): Promise<void> {
  const line = 'export function harbour(depth: number, tide: number): number { return depth + tide; }\n';
  for (let at = 0; at < files; at += 100) {
    const directory = join(folder, `d${Math.floor(at / 1000)}`, `e${(at / 100) % 10}`);
    await mkdir(directory, { recursive: true });
    const writes = Array.from({ length: Math.min(100, files - at) }, (_, index) => {
      const hit = (at + index) % 200 === 0 ? `const ${PATTERN}${at} = 1;\n` : '';
      return writeFile(join(directory, `f${at + index}.ts`), line.repeat(20) + hit);
    });
    await Promise.all(writes);
  }
}

function bareSearch(rg: string, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(rg, ['--no-config', '-n', PATTERN, '.'], { cwd: folder, maxBuffer: 1 << 26 }, (error) => (error ? reject(error) : resolve()));
  });
}

async function toolSearch(tool: ReturnType<typeof searchTextTool>): Promise<void> {
  const { signal } = new AbortController();
  const prepared = await tool.prepare({ pattern: PATTERN }, signal);
  const { content } = await prepared.execute(executeContext(signal));
  if (!String(content).includes(PATTERN)) throw new Error('The search found nothing.');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
