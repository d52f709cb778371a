// The built program as an agent for acpx, a client by others. It keeps a session in a process of its own, which starts the agent again.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureAcpx } from '../../../../scripts/acpx.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { startResponsesServer } from '../../../support/responses-server.ts';
import { until } from '../../../support/until.ts';
import { folderOf, remove } from '../node/folder.ts';

const TIDE = 'export function tideLevel() {}\n';
const RENAME = 'rename tideLevel to waterLevel in tide.ts';

describe('kedge acp with acpx', () => {
  needsProgram();
  let program: string;
  before(async function () {
    this.timeout(300_000);
    program = await ensureAcpx();
  });
  let folder: string;
  let home: string;
  let agent: string;
  let children: ChildProcess[];
  beforeEach(async () => {
    folder = await folderOf({ 'tide.ts': TIDE });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    // The agent writes down its process id, so that it can be killed.
    const script = join(home, 'agent.mjs');
    await writeFile(
      script,
      `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(home, 'pid'))}, String(process.pid));
process.argv[2] = 'acp';
await import(${JSON.stringify(PROGRAM)});
`,
    );
    agent = `${process.execPath} ${script} acp`;
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await acpx('sessions', 'close');
    await Promise.all([remove(folder), remove(home)]);
  });

  let env: Record<string, string> = {};

  /** Returns what acpx prints. Its process for the session lives until the session is closed, so that none meets a prompt while it ends. */
  async function acpx(...args: string[]): Promise<string> {
    const options = ['--agent', agent, '--cwd', folder, '--ttl', '600'];
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    const child = spawn(process.execPath, [program, ...options, ...args], {
      env: { ...clean, HOME: home, KEDGE_HOME: join(home, 'kedge'), ...env },
    });
    children.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
    child.stdin.end();
    await once(child, 'close');
    return text;
  }

  const tide = () => readFile(join(folder, 'tide.ts'), 'utf8');

  it('answers a question', async () => {
    assert.match(await acpx('exec', 'where is tideLevel defined?'), /tideLevel is defined at:[\s\S]*tide\.ts:1[\s\S]*\[done\] end_turn/);
  });

  it('changes a file in Agent mode when it is approved, and nothing when it is refused', async () => {
    const refused = await acpx('--deny-all', 'exec', '--config-option', 'mode=agent', RENAME);
    assert.match(refused, /Nothing was changed[\s\S]*The user rejected this[\s\S]*\[done\] end_turn/);
    assert.equal(await tide(), TIDE);
    assert.match(await acpx('--approve-all', 'exec', '--config-option', 'mode=agent', RENAME), /\[done\] end_turn/);
    assert.equal(await tide(), TIDE.replace('tide', 'water'));
  });

  it('proposes a plan, and runs it when it is confirmed', async () => {
    await acpx('--deny-all', 'exec', '--config-option', 'mode=plan', RENAME);
    assert.equal(await tide(), TIDE);
    assert.match(await acpx('--approve-all', 'exec', '--config-option', 'mode=plan', RENAME), /1 step done|steps done|carried out/);
    assert.equal(await tide(), TIDE.replace('tide', 'water'));
  });

  it('continues the same session after the agent was killed', async () => {
    await acpx('sessions', 'new');
    await acpx('where is tideLevel defined?');
    process.kill(Number(await readFile(join(home, 'pid'), 'utf8')), 'SIGKILL');
    assert.match(await acpx('where is waterLevel defined?'), /\[done\] end_turn/);
    const listed = await acpx('sessions', 'list');
    assert.equal(listed.match(/where is tideLevel defined\?/g)?.length, 1, listed);
    assert.doesNotMatch(listed, /where is waterLevel defined\?/);
  });

  it('stops a run when it is cancelled', async () => {
    const server = await startResponsesServer({ turns: [], hang: 'before' });
    env = { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
    try {
      await acpx('sessions', 'new');
      const answered = acpx('Anything');
      await until('the request to the model', () => server.requests.length > 0);
      await acpx('cancel');
      // The model never answers, so the end of the prompt comes from the cancellation.
      assert.match(await answered, /cancelled/);
      await server.requests[0]?.closed;
    } finally {
      env = {};
      await server.close();
    }
  });
});
