/**
 * A scenario is a folder. `input/` contains the workspace, which is empty if `input/` is missing, and `beside/` contains files beside the
 * workspace. `call.json` is one call `{tool, input}` or a list of calls. If the calls succeed, `expected/` contains the resulting
 * workspace, and `result.txt` may contain patterns that the result matches. If the last call fails, `error.txt` contains patterns that its
 * message matches, and the call must not change any byte. A pattern is a line: a regular expression or plain text. The file `.keep` in
 * `expected/` marks an empty directory.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { executeContext } from './context.ts';
import { layOut, snapshotOf } from './harness.ts';

type Call = { tool: string; input: unknown };

export async function scenariosIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { withFileTypes: true });
  return names
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

export async function runScenario(folder: string): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-scenario-')));
  try {
    const root = join(base, 'place', 'workspace');
    await layOut(root, {});
    await copied(join(folder, 'input'), root);
    await copied(join(folder, 'beside'), join(base, 'place'));
    const calls = [JSON.parse(await readFile(join(folder, 'call.json'), 'utf8'))].flat() as Call[];
    const use = toolsOn(root, base);
    const snapshot = () => snapshotOf(join(base, 'place'));

    const error = await textOf(join(folder, 'error.txt'));
    const results: string[] = [];
    for (const call of error === undefined ? calls : calls.slice(0, -1)) results.push(await use(call));
    if (error !== undefined) {
      const before = await snapshot();
      const failure = await use(calls.at(-1) as Call).then(
        (result) => assert.fail(`It should have failed, but: ${result}`),
        (failure: Error) => failure,
      );
      if (failure.name === 'AssertionError') throw failure;
      assert.deepEqual(await snapshot(), before, `not as it was, after: ${failure.message}`);
      expectPatterns(failure.message, error);
      return;
    }
    assert.deepEqual(filesOf(await snapshotOf(root)), filesOf(await expectedIn(folder)), results.join('\n'));
    for (const directory of await directoriesIn(join(folder, 'expected')))
      assert.ok((await stat(join(root, directory)).catch(() => undefined))?.isDirectory(), `there is no directory ${directory}`);
    expectPatterns(results.join('\n'), (await textOf(join(folder, 'result.txt'))) ?? '');
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Returns a function that calls a tool of Agent mode. Both edit tools are available, and changes go through the gate to the disk. */
function toolsOn(root: string, base: string): (call: Call) => Promise<string> {
  const fs = new NodeFileSystem([root]);
  const workspace = new Workspace(fs);
  const gate = new WriteGate(workspace, new NodeWriter(fs, { journal: join(base, 'journal') }), new DiskBlobs(join(base, 'blobs')));
  const forms = ['gpt-x', 'other'].flatMap((model) => toolsFor(workspace, { mode: 'agent', gate, model: { provider: 'any', model } }));
  const { signal } = new AbortController();
  return async ({ tool: name, input }) => {
    const tool = forms.find((each) => each.name === name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    const prepared = await tool.prepare(input, signal);
    const { content } = await prepared.execute(executeContext(signal));
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
}

function expectPatterns(text: string, patterns: string): void {
  for (const pattern of patterns.split('\n').filter((line) => line.trim() !== '')) {
    if (!text.toLowerCase().includes(pattern.trim().toLowerCase())) assert.match(text, expressionOf(pattern));
  }
}

/** Parses a regular expression. The notations `/…/` and `(?i)…` of other languages are also accepted. */
function expressionOf(pattern: string): RegExp {
  return new RegExp(/^\/(.*)\/[a-z]*$/.exec(pattern)?.[1] ?? pattern.replace(/^\(\?[a-z]+\)/, ''), 'is');
}

async function expectedIn(folder: string): Promise<Record<string, string>> {
  const expected = join(folder, 'expected');
  return (await stat(expected).catch(() => undefined)) ? snapshotOf(expected) : {};
}

const isKeep = (path: string) => /(^|\/)\.(keep|gitkeep)$/.test(path);

/** Removes directories, because Git does not store empty directories. */
function filesOf(snapshot: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(snapshot).filter(([path]) => !path.endsWith('/') && !isKeep(path)));
}

async function directoriesIn(expected: string): Promise<string[]> {
  const names = await readdir(expected, { recursive: true, withFileTypes: true }).catch(() => []);
  return names.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath.slice(expected.length), entry.name));
}

async function copied(from: string, to: string): Promise<void> {
  if (await stat(from).catch(() => undefined)) await cp(from, to, { recursive: true, verbatimSymlinks: true });
}

function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
