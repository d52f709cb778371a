import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { remove } from '../node/folder.ts';

const MAIN = join(import.meta.dirname, '../../../../src/hosts/cli/main.ts');
/** As some versions of Node do with a stream that cannot be unpacked: an answer begins, and nothing ever comes of it, not even an error. */
const LOST = `globalThis.fetch = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { headers: { 'content-type': 'text/event-stream' } });`;
/** Whoever waits is not told that it is over. */
const DEAF = 'AbortController.prototype.abort = () => {};';

describe('kedge, the program, with nothing left to wait for', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => remove(home));

  async function kedge(preload: string, provider: string) {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|NODE)_/.test(name)));
    const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, MAIN, 'ask', '--model', `${provider}/test`, 'Hello.'];
    const child = spawn(process.execPath, args, {
      cwd: home,
      env: { ...clean, KEDGE_HOME: home, KEDGE_API_KEY: 'none-0123456789' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code, said };
  }

  async function logged(): Promise<AgentEvent[]> {
    const file = (await readdir(home, { recursive: true })).find((path) => path.endsWith('.jsonl') && path.includes('sessions'));
    const text = await readFile(join(home, file ?? ''), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AgentEvent);
  }

  for (const provider of ['openai', 'groq', 'anthropic', 'gemini']) {
    it(`says that the run failed, and goes with an error: ${provider}`, async () => {
      const { code, said } = await kedge(LOST, provider);
      assert.equal(code, 1, said);
      assert.match(said, /kedge: The run stopped responding: .*\. Try again/);
      assert.match(said, /To try again: kedge --continue/);
      const run = foldSession(await logged()).lastRun;
      assert.deepEqual([run?.status, run?.outcome], ['finished', 'failed']);
    });
  }

  it('goes with an error also where the run cannot be ended, which is then interrupted', async () => {
    const { code, said } = await kedge(LOST + DEAF, 'openai');
    assert.equal(code, 1, said);
    assert.match(said, /kedge: The program stopped responding/);
    assert.equal(foldSession(await logged()).lastRun?.status, 'live');
  });
});
