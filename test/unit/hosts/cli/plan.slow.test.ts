import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const RENAME = 'rename tideLevel to waterLevel in src';

describe('a plan in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf({ 'src/tide.ts': 'export function tideLevel() {}\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  function kedge(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
    const env = { ...process.env, KEDGE_HOME: home, KEDGE_MODEL: 'offline' };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  }

  it('is written to a file on request, with its revision hash, and with the finished steps afterwards', async () => {
    const proposed = await kedge('plan', RENAME, '--output', 'plan.md');
    assert.equal(proposed.code, 4, proposed.err);
    assert.match(
      await readFile(join(folder, 'plan.md'), 'utf8'),
      /^# rename tideLevel to waterLevel in src\n\nRevision 1, [0-9a-f]{7}\n[\s\S]*1\. \*\*Rename/,
    );
    const run = await kedge('--continue', '--run-plan', '-o', 'plan.md');
    assert.equal(run.code, 0, run.err);
    assert.match(run.err, /Check passed: nothing matches \\btideLevel\\b in src\/tide\.ts/);
    assert.match(await readFile(join(folder, 'plan.md'), 'utf8'), /1\. \[x\] \*\*Rename/);
  });

  it('is reported if it cannot be written', async () => {
    const { code, err } = await kedge('plan', RENAME, '-o', 'nowhere/plan.md');
    assert.equal(code, 1);
    assert.match(err, /kedge: The plan could not be written to nowhere\/plan\.md: ENOENT/);
  });

  it('is proposed first in Agent mode on request', async () => {
    const { code, err } = await kedge('agent', '--yes', '--require-plan', RENAME);
    assert.equal(code, 4, err);
    assert.equal(await readFile(join(folder, 'src/tide.ts'), 'utf8'), 'export function tideLevel() {}\n');
    assert.equal((await kedge('agent', '--require-plan', '--run-plan', RENAME)).code, 0);
    assert.equal(await readFile(join(folder, 'src/tide.ts'), 'utf8'), 'export function waterLevel() {}\n');
  });
});
