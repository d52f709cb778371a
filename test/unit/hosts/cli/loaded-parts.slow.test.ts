import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, runProgram } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

/** Reports at the end whether Node's `fetch` was loaded. */
const REPORT = `process.on('exit', () => console.error('fetch: ' + process.moduleLoadList.some((name) => name.includes('undici/undici'))));`;

describe('what a run in the terminal loads', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer;
  beforeEach(async () => {
    folder = await folderOf({});
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    server = await startResponsesServer({ turns: [{ text: 'Here.' }] });
  });
  afterEach(async () => {
    await server.close();
    await Promise.all([folder, home].map(remove));
  });

  // Loading it takes as long as starting Node. `Response` and `Headers` are parts of it, so naming them in code that runs is enough.
  it('does not contain the fetch of Node', async () => {
    const env = { KEDGE_HOME: home, KEDGE_API_KEY: 'key-of-the-test', KEDGE_BASE_URL: server.url };
    const report = `data:text/javascript,${encodeURIComponent(REPORT)}`;
    const words = ['ask', 'go', '--model', 'openai/test'];
    const { code, said } = await runProgram(words, { cwd: folder, env, node: ['--import', report] });
    assert.equal(code, 0, said);
    assert.match(said, /Here\./);
    assert.match(said, /fetch: false/);
  });
});
