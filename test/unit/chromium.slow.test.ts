import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from '../../scripts/chromium.ts';

/** Replaces apt-get. It records how it is called, and fails with this message for the given number of calls. */
const aptGet = (message: string, failures: number) => `#!/bin/sh
echo "$@" >> "$CALLS"
[ "$(wc -l < "$CALLS")" -gt ${failures} ] || { echo '${message}' >&2; exit 100; }
`;

describe('the installation of Chromium', () => {
  let folder: string;
  let calls: string;
  const install = async (message: string, failures: number, timeoutMs?: number) => {
    await writeFile(join(folder, 'apt-get'), aptGet(message, failures), { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, CALLS: calls };
    await aptInstall('chromium', { pauseMs: 1, env, ...(timeoutMs !== undefined && { timeoutMs }) });
  };
  const commands = async () =>
    (await readFile(calls, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(2).join(' '));

  beforeEach(async function () {
    if (process.platform === 'win32') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'kedge-apt-'));
    calls = join(folder, 'calls');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('waits while another program has the lock of the package manager', async () => {
    await install('E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)', 2);
    assert.deepEqual(await commands(), ['update', 'update', 'update', 'install -y chromium']);
  });

  it('does not wait longer than its limit', async () => {
    await assert.rejects(install('E: Could not get lock /var/lib/apt/lists/lock.', 1000, 0), /Could not get lock/);
  });

  it('fails immediately with the message of the package manager if it is not busy', async () => {
    await assert.rejects(install('E: Unable to locate package chromium', 1000), /Unable to locate package/);
    assert.deepEqual(await commands(), ['update']);
  });
});
