import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { TEXT_BODIES } from '../../../support/wire-bodies.ts';
import { startWireServer, type WireAnswer, type WireServer } from '../../../support/wire-server.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('a failing service, in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: WireServer;
  beforeEach(async () => {
    folder = await folderOf({});
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await server.close();
    await Promise.all([folder, home].map(remove));
  });

  const serve = async (...answers: WireAnswer[]) => {
    server = await startWireServer(answers, 'text/event-stream');
  };
  async function kedge(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = { ...process.env, KEDGE_HOME: home, KEDGE_API_KEY: 'sk-0123456789', KEDGE_BASE_URL: `${server.url}/v1` };
    const child = spawn(process.execPath, [PROGRAM, ...args, '--model', 'openai-chat/m'], { cwd: folder, env });
    child.stdin.end();
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text.out += more;
    });
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text.err += more;
    });
    const [code] = await once(child, 'close');
    return { code, ...text };
  }
  const answer = (...pieces: string[]) => TEXT_BODIES['openai-chat']?.(pieces) ?? '';
  const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{"error":{"message":"Slow down."}}' };

  it('is waited for, with a message on stderr', async () => {
    await serve(limited, { body: answer('Here.') });
    const { code, out, err } = await kedge('ask', 'go');
    assert.match(err, /^Rate limited\. Trying again in 1 s \(2 of 5\)\. Press Ctrl\+C to stop\.\n/);
    assert.deepEqual([code, out], [0, 'Here.\n']);
  });

  it('is called again immediately when the user presses Enter', async () => {
    await serve({ ...limited, headers: { 'retry-after': '60' } }, { body: answer('Here.') });
    const tty = 'data:text/javascript,process.stdin.isTTY = process.stderr.isTTY = true';
    const env = { ...process.env, KEDGE_HOME: home, KEDGE_API_KEY: 'sk-0123456789', KEDGE_BASE_URL: `${server.url}/v1`, TERM: 'xterm' };
    const child = spawn(process.execPath, ['--import', tty, PROGRAM, 'ask', 'go', '--model', 'openai-chat/m'], { cwd: folder, env });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      err += more;
      // The countdown has continued without a key press.
      if (/in 5\d s/.test(err)) child.stdin.end('\n');
    });
    assert.deepEqual(await once(child, 'close'), [0, null], err);
    assert.match(err, /\r\u001b\[KRate limited\. Trying again in 60 s \(2 of 5\)\. Enter to try now, Ctrl\+C to stop\.\r/);
    assert.match(err, /in 5\d s .*Trying again now\.\n/);
  });

  it('leaves an incomplete answer, which is kept and continued; the program says how', async () => {
    const whole = answer('It is ', 'here.');
    await serve({ body: whole.slice(0, whole.indexOf('data:', 10)), after: 'drop' }, { body: answer('here.') });
    const first = await kedge('ask', 'go');
    assert.equal(first.code, 1);
    assert.equal(first.out, 'It is \n');
    const [, command = ''] = /The first part of the answer was kept\. To continue: kedge (--continue \S+)/.exec(first.err) ?? [];
    const second = await kedge(...command.split(' '));
    assert.deepEqual([second.code, second.out], [0, 'here.\n'], second.err);
    assert.match(server.requests.at(-1)?.raw.toString() ?? '', /"It is ".*cut off before.*Continue where it ends/);
  });

  it('is reported in one sentence with a remedy', async () => {
    await serve({ status: 401, body: '{"error":{"message":"No such key."}}' });
    const { code, err } = await kedge('ask', 'go');
    assert.equal(code, 1);
    assert.match(
      err,
      /^kedge: .+ refused the API key \(No such key\): check the key.*\.\nTo set a new key: set .+ kedge keys set .+\.\nTo try again: kedge --continue \S+\n$/,
    );
  });
});
