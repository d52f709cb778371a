import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';

describe("the commands Install and Uninstall 'kedge' Command", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-launcher-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('create a kedge that runs with the Node of VS Code, and delete it', async () => {
    const { version } = vscode.extensions.getExtension('kedge.kedge')?.packageJSON ?? {};
    const file = await vscode.commands.executeCommand<string>('kedge.installCommand', folder);
    assert.equal(file, join(folder, process.platform === 'win32' ? 'kedge.cmd' : 'kedge'));
    // Without a PATH, no other Node is found.
    const { stdout } = await promisify(execFile)(file, ['--version'], { env: { ...process.env, PATH: '' } });
    assert.equal(stdout.trim(), version);
    assert.equal(await vscode.commands.executeCommand('kedge.uninstallCommand'), file);
    assert.deepEqual(await readdir(folder), []);
  });

  it('leave the file of another program as it is', async () => {
    const file = join(folder, process.platform === 'win32' ? 'kedge.cmd' : 'kedge');
    await writeFile(file, 'echo mine');
    assert.equal(await vscode.commands.executeCommand('kedge.installCommand', folder), undefined);
    assert.equal(await readFile(file, 'utf8'), 'echo mine');
  });

  it('do not delete a file that another program has put in the place of the launcher', async () => {
    const file = await vscode.commands.executeCommand<string>('kedge.installCommand', folder);
    await writeFile(file, 'echo mine');
    assert.equal(await vscode.commands.executeCommand('kedge.uninstallCommand'), undefined);
    assert.equal(await readFile(file, 'utf8'), 'echo mine');
    await rm(file);
    assert.equal(await vscode.commands.executeCommand('kedge.uninstallCommand'), undefined);
  });
});
