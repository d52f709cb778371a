/**
 * Measures the cost of safe edits: tools, gate, before-images, journal and checks, in comparison with a loop that only reads, replaces and
 * writes.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '../../src/core/run/tool.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { executeContext } from '../support/context.ts';
import { median } from './loop.ts';

export type EditFigures = {
  /** 1,000 replacements in 200 files, five in each file: with one call for each file, and with one patch for all of them. */
  editMs: number;
  patchMs: number;
  /** A minimal loop that reads, replaces and writes once for each replacement, and one that does so once for each file. */
  bareMs: number;
  bareFilesMs: number;
  /** `editMs` divided by `bareMs`. */
  ratio: number;
  /** The time to read 1,000 files with `read_file`. */
  readMs: number;
  bareReadMs: number;
  /** The time for one replacement in a file of 10 MB. */
  largeMs: number;
};

const FILES = 200;
const EDITS = 5;
const READ = 1_000;
const LINES = 120;

export async function measureEdits(rounds = 5): Promise<EditFigures> {
  const base = await mkdtemp(join(tmpdir(), 'kedge-bench-edits-'));
  try {
    const rows: Omit<EditFigures, 'ratio'>[] = [];
    await measureOnce(join(base, 'warm'));
    for (let round = 0; round < rounds; round++) rows.push(await measureOnce(join(base, String(round))));
    const of = (key: keyof (typeof rows)[number]) => median(rows.map((row) => row[key]));
    const [editMs, patchMs, bareMs, bareFilesMs] = [of('editMs'), of('patchMs'), of('bareMs'), of('bareFilesMs')];
    const rest = { readMs: of('readMs'), bareReadMs: of('bareReadMs'), largeMs: of('largeMs') };
    return { editMs, patchMs, bareMs, bareFilesMs, ratio: editMs / bareMs, ...rest };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function measureOnce(base: string): Promise<Omit<EditFigures, 'ratio'>> {
  const root = join(base, 'workspace');
  await mkdir(join(root, 'src'), { recursive: true });
  for (let index = 0; index < READ; index++) await writeFile(join(root, place(index)), source(index));
  await writeFile(
    join(root, 'large.txt'),
    Array.from({ length: 200_000 }, (_, line) => `line ${line} of a file with very many lines\n`).join(''),
  );
  const use = toolsOn(root, base);
  const inFiles = async (work: (index: number) => Promise<unknown>, count = FILES) => {
    for (let index = 0; index < count; index++) await work(index);
  };
  return {
    bareMs: await timed(() => inFiles((index) => bareEdit(join(root, place(index)), edits('value', 'first'), 1))),
    bareFilesMs: await timed(() => inFiles((index) => bareEdit(join(root, place(index)), edits('first', 'second'), EDITS))),
    editMs: await timed(() => inFiles((index) => use('replace_in_file', { path: place(index), edits: edits('second', 'third') }))),
    patchMs: await timed(() => use('apply_patch', { input: patch('third', 'fourth') })),
    bareReadMs: await timed(() => inFiles((index) => readFile(join(root, place(index)), 'utf8'), READ)),
    readMs: await timed(() => inFiles((index) => use('read_file', { path: place(index) }), READ)),
    largeMs: await timed(() => use('replace_in_file', { path: 'large.txt', edits: [{ old_text: 'line 150000 of', new_text: 'here in' }] })),
  };
}

const place = (index: number) => `src/file${index}.ts`;
const spot = (edit: number, name: string) => `  const ${name}${edit} = compute(${edit});`;

function source(index: number): string {
  const lines = Array.from({ length: LINES }, (_, line) =>
    line % (LINES / EDITS) === 10 ? spot(Math.floor(line / (LINES / EDITS)), 'value') : `  statement(${index}, ${line});`,
  );
  return `${lines.join('\n')}\n`;
}

function edits(from: string, to: string): { old_text: string; new_text: string }[] {
  return Array.from({ length: EDITS }, (_, edit) => ({ old_text: spot(edit, from), new_text: spot(edit, to) }));
}

function patch(from: string, to: string): string {
  const hunks = Array.from({ length: EDITS }, (_, edit) => `@@\n-${spot(edit, from)}\n+${spot(edit, to)}\n`).join('');
  return `*** Begin Patch\n${Array.from({ length: FILES }, (_, index) => `*** Update File: ${place(index)}\n${hunks}`).join('')}*** End Patch`;
}

/** Makes the replacements without any checks. The file is read and written once for every `atOnce` replacements. */
async function bareEdit(file: string, wanted: ReturnType<typeof edits>, atOnce: number): Promise<void> {
  for (let from = 0; from < wanted.length; from += atOnce) {
    let text = await readFile(file, 'utf8');
    for (const { old_text, new_text } of wanted.slice(from, from + atOnce)) text = text.replace(old_text, () => new_text);
    await writeFile(file, text);
  }
}

function toolsOn(root: string, base: string): (name: string, input: unknown) => Promise<unknown> {
  const fs = new NodeFileSystem([root]);
  const workspace = new Workspace(fs);
  const gate = new WriteGate(workspace, new NodeWriter(fs, { journal: join(base, 'journal') }), new DiskBlobs(join(base, 'blobs')));
  const tools = new Map<string, Tool>();
  for (const model of ['gpt-x', 'other'])
    for (const tool of toolsFor(workspace, { mode: 'agent', gate, model: { provider: 'any', model } })) tools.set(tool.name, tool);
  const { signal } = new AbortController();
  return async (name, input) => {
    const prepared = await (tools.get(name) as Tool).prepare(input, signal);
    return prepared.execute(executeContext(signal));
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
