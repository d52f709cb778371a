import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deleteLauncher, isOnPath, launcherIn, ownerOf, writeLauncher } from '../../../../src/hosts/vscode/program/launcher-file.ts';
import { newestProgram } from '../../../../src/hosts/vscode/program/newest-program.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

/** Prints its version, its arguments, and whether VS Code would start as Node. */
const program = (version: string) =>
  `console.log(JSON.stringify(['${version}', process.argv.slice(2), process.env.ELECTRON_RUN_AS_NODE ?? 'unset']));`;

describe('the launcher of the terminal program', () => {
  needsProgram();
  let folder: string;
  const extension = (version: string) => join(folder, "it's", `kedge.kedge-${version}`);
  const parts = (version: string) => ({
    extension: extension(version),
    node: process.execPath,
    copy: join(folder, 'data', 'launcher.mjs'),
  });
  const bin = () => join(folder, 'bin');
  beforeEach(async () => {
    folder = await folderOf({});
    await addVersion('0.9.0');
  });
  afterEach(() => remove(folder));

  async function addVersion(version: string): Promise<void> {
    await mkdir(join(extension(version), 'dist'), { recursive: true });
    await writeFile(join(extension(version), 'dist', 'kedge.js'), program(version));
    await writeFile(join(extension(version), 'package.json'), '{"type": "module"}');
    await cp(join(dirname(PROGRAM), 'launcher.js'), join(extension(version), 'dist', 'launcher.js'));
  }

  async function launch(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<unknown> {
    const { stdout } = await promisify(execFile)(launcherIn(bin()), args, { env, shell: process.platform === 'win32' });
    return JSON.parse(stdout);
  }

  it('starts the program with all of its arguments, and does not pass on that VS Code runs as Node', async () => {
    writeLauncher(launcherIn(bin()), parts('0.9.0'));
    assert.deepEqual(await launch(['ask', "what's here?", '', '$HOME *']), ['0.9.0', ['ask', "what's here?", '', '$HOME *'], 'unset']);
    assert.deepEqual(await readdir(bin()), ['kedge']);
  });

  it('starts the newest version, even if the one that created it is gone', async () => {
    writeLauncher(launcherIn(bin()), parts('0.9.0'));
    await addVersion('0.10.0');
    await rename(extension('0.9.0'), join(folder, 'deleted'));
    // The folder of another extension, and a version that is not complete.
    await mkdir(join(folder, "it's", 'kedge.kedge-tides-9.0.0', 'dist'), { recursive: true });
    await writeFile(join(folder, "it's", 'kedge.kedge-tides-9.0.0', 'dist', 'kedge.js'), program('other'));
    await mkdir(extension('0.11.0'));
    assert.deepEqual(await launch(['--version']), ['0.10.0', ['--version'], 'unset']);
    assert.equal(newestProgram(extension('0.9.0')), join(extension('0.10.0'), 'dist', 'kedge.js'));
  });

  it('says what to do when the extension was uninstalled', async () => {
    writeLauncher(launcherIn(bin()), parts('0.9.0'));
    await rename(extension('0.9.0'), join(folder, 'deleted'));
    await assert.rejects(launch([]), /Install it again, and run the command Kedge: Install 'kedge' Command/);
  });

  it('uses the Node of a newer remote server, or the node on the PATH', async function () {
    if (process.platform === 'win32') return this.skip();
    const server = (commit: string) => join(folder, 'server', 'bin', commit.repeat(40), 'node');
    const node = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`;
    writeLauncher(launcherIn(bin()), { ...parts('0.9.0'), node: server('a') });
    await mkdir(join(folder, 'tools'));
    await writeFile(join(folder, 'tools', 'node'), node, { mode: 0o755 });
    assert.deepEqual(await launch([], { PATH: join(folder, 'tools') }), ['0.9.0', [], 'unset']);
    await assert.rejects(launch([], { PATH: '' }), /VS Code was moved or removed/);
    await mkdir(dirname(server('b')), { recursive: true });
    await writeFile(server('b'), node, { mode: 0o755 });
    assert.deepEqual(await launch([], { PATH: '' }), ['0.9.0', [], 'unset']);
  });

  it('replaces and deletes only its own file', async () => {
    const file = launcherIn(bin());
    assert.equal(ownerOf(file), 'none');
    assert.equal(deleteLauncher(file, parts('0.9.0').copy), false);
    await mkdir(bin());
    await writeFile(file, '#!/bin/sh\necho mine\n');
    assert.equal(ownerOf(file), 'other');
    assert.throws(() => writeLauncher(file, parts('0.9.0')), /was not created by Kedge, so it was not replaced/);
    assert.throws(() => deleteLauncher(file, parts('0.9.0').copy), /was not created by Kedge, so it was not deleted/);
    assert.equal(await readFile(file, 'utf8'), '#!/bin/sh\necho mine\n');
    await rename(file, join(folder, 'mine'));
    writeLauncher(file, parts('0.9.0'));
    writeLauncher(file, parts('0.9.0'));
    assert.equal(deleteLauncher(file, parts('0.9.0').copy), true);
    assert.deepEqual([await readdir(bin()), await readdir(join(folder, 'data'))], [[], []]);
  });

  it('is a batch file on Windows, with percent signs kept and the code page set only for other characters', async () => {
    const file = launcherIn(bin(), 'win32');
    writeLauncher(file, { ...parts('0.9.0'), node: 'C:\\100%\\Code.exe' }, 'win32');
    const script = await readFile(file, 'utf8');
    assert.ok(file.endsWith('kedge.cmd'));
    assert.ok(script.split('\n').every((line) => line === '' || line.endsWith('\r')));
    assert.match(script, /KEDGE_NODE=C:\\100%%\\Code\.exe"/);
    assert.ok(!script.includes('chcp'));
    writeLauncher(file, { ...parts('0.9.0'), node: 'C:\\Müller\\Code.exe' }, 'win32');
    assert.match(await readFile(file, 'utf8'), /chcp 65001/);
    assert.ok((await stat(file)).isFile());
  });

  it('knows whether its folder is on the PATH', () => {
    assert.ok(isOnPath(bin(), ['/usr/bin', `${bin()}/`].join(delimiter)));
    assert.ok(!isOnPath(bin(), ['/usr/bin', ''].join(delimiter)));
    assert.ok(!isOnPath(bin(), ''));
  });
});
