// Runs the program itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollector } from '../../../support/collector.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('the terminal program and a collector', function () {
  needsProgram();
  this.timeout(120_000);

  it('sends the run before it exits, and only if an address is set', async () => {
    await using collector = await startCollector();
    const folder = await folderOf({ 'src/tide.ts': 'export const tideLevel = 1;\n' });
    const home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    const ask = async (env: NodeJS.ProcessEnv) => {
      const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
      const child = spawn(process.execPath, [PROGRAM, 'ask', 'where is tideLevel defined?'], {
        cwd: folder,
        env: { ...clean, KEDGE_HOME: home, ...env },
        stdio: 'ignore',
      });
      return (await once(child, 'close'))[0] as number;
    };
    try {
      assert.equal(await ask({}), 0);
      assert.equal(collector.bodies.length, 0);
      assert.equal(await ask({ KEDGE_OTLP_ENDPOINT: collector.url }), 0);
      const names = collector.spans().map(({ name }) => name);
      assert.ok(names.includes('invoke_agent Kedge') && names.includes('chat offline'), names.join(', '));
      assert.equal(await ask({ KEDGE_OTLP_ENDPOINT: 'localhost' }), 2);
    } finally {
      await Promise.all([remove(folder), remove(home)]);
    }
  });
});
