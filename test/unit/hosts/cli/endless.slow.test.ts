import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type Served, served } from '../../../support/served.ts';
import { remove } from '../node/folder.ts';

/**
 * Prints the peak of the memory. On Linux, `maxRSS` would include the memory of the process that started the program, which may run other tests;
 * `VmHWM` does not.
 */
const PEAK = `(() => { try { return /VmHWM:\\s+(\\d+)/.exec(process.getBuiltinModule('fs').readFileSync('/proc/self/status', 'utf8'))[1] } catch { return process.resourceUsage().maxRSS } })()`;
const TELL_PEAK = `data:text/javascript,process.on('exit', () => process.stderr.write('[peak ' + ${PEAK} + ' KB]'))`;
const MB = 1_000_000;

describe('the kedge program and an answer of 50 MB', () => {
  needsProgram();
  let home: string;
  let server: Served | undefined;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await server?.close();
    await remove(home);
  });

  /** Answers in the format of Chat Completions until the client stops reading, with at most 50 MB of text. */
  async function kedge(delta: object, textBytes: number, args: string[] = []) {
    const event = `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
    const count = Math.ceil(65_536 / event.length);
    const block = Buffer.from(event.repeat(count));
    const end = JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    server = await served(
      createServer((request, response) => {
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          let sent = 0;
          const more = () => {
            while (sent < 50 * MB && !response.destroyed) {
              sent += count * textBytes;
              if (!response.write(block)) return void response.once('drain', more);
            }
            response.end(`data: ${end}\n\ndata: [DONE]\n\n`);
          };
          more();
        });
      }),
    );
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|NODE)_/.test(name)));
    const address = ['--base-url', `${server.url}/v1`, '--model', 'groq/test'];
    const child = spawn(process.execPath, ['--import', TELL_PEAK, PROGRAM, 'ask', ...address, ...args, 'Hello.'], {
      cwd: home,
      env: { ...clean, KEDGE_HOME: home, KEDGE_API_KEY: 'none-0123456789' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = 0;
    let err = '';
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.length;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [code] = await once(child, 'close');
    return { code, out, err, peakMb: Number(/\[peak (\d+) KB\]/.exec(err)?.[1]) / 1024 };
  }

  const word = 'word ';
  const deltas: [string, object, number][] = [
    ['text in words', { content: word }, word.length],
    ['text in pages', { content: word.repeat(500) }, 500 * word.length],
    ['thoughts', { reasoning_content: word.repeat(20) }, 20 * word.length],
    [
      'arguments of a call',
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: word.repeat(20) } }] },
      20 * word.length,
    ],
  ];
  for (const [what, delta, textBytes] of deltas) {
    it(`cuts it off, and uses less than 200 MB: ${what}`, async () => {
      const { code, out, err, peakMb } = await kedge(delta, textBytes);
      assert.equal(code, 1, err);
      assert.match(err, /kedge: The model’s answer is longer than 2 million characters, so it was cut off\./);
      assert.ok(out < MB, `${out} bytes were printed`);
      assert.ok(peakMb < 200, `${peakMb} MB`);
    }).timeout(120_000);
  }

  it('pauses at the limits of the command line, and keeps the received part', async () => {
    const { code, out, err, peakMb } = await kedge({ content: word }, word.length, ['--max-minutes', '0.1', '--max-tokens', '5000']);
    assert.equal(code, 3, err);
    assert.match(err, /This run has reached its limit of 5\.0k tokens\./);
    assert.match(err, /To continue: kedge --continue/);
    assert.ok(out > 1_000 && out < 100_000, `${out} bytes were printed`);
    assert.ok(peakMb < 200, `${peakMb} MB`);
  }).timeout(120_000);
});
