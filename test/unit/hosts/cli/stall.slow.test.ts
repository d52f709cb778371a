import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { remove } from '../node/folder.ts';

/**
 * Some versions of Node behave like this when a stream cannot be decompressed: an answer begins, and then neither data nor an error
 * follows.
 */
const LOST = `
import { EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
http.request = https.request = () => {
  const rawHeaders = ['content-type', 'text/event-stream'];
  const answer = Object.assign(new Readable({ read() {} }), { statusCode: 200, headers: {}, rawHeaders, complete: false });
  const request = Object.assign(new EventEmitter(), { destroy() {}, end: () => queueMicrotask(() => request.emit('response', answer)) });
  return request;
};
`;
/** Aborting has no effect, so the code that waits is never told. */
const DEAF = 'AbortController.prototype.abort = () => {};';

describe('the kedge program with nothing left to wait for', () => {
  needsProgram();
  const homes: string[] = [];
  after(() => Promise.all(homes.map(remove)));

  async function kedge(preload: string, provider: string) {
    const home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    homes.push(home);
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|NODE)_/.test(name)));
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(preload)}`,
      PROGRAM,
      'ask',
      '--model',
      `${provider}/test`,
      'Hello.',
    ];
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
    return { code, said, run: foldSession(await logged(home)).lastRun };
  }

  async function logged(home: string): Promise<AgentEvent[]> {
    const file = (await readdir(home, { recursive: true })).find((path) => path.endsWith('.jsonl') && path.includes('sessions'));
    const text = await readFile(join(home, file ?? ''), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AgentEvent);
  }

  // Each run waits for several seconds before it is ended, so all of them wait at once.
  it('reports that the run failed, and exits with an error, or leaves it interrupted if it cannot be ended', async () => {
    const failed = ['openai', 'groq', 'anthropic', 'gemini'].map(async (provider) => {
      const { code, said, run } = await kedge(LOST, provider);
      assert.equal(code, 1, said);
      assert.match(said, /kedge: The run stopped responding: .*\. Try again/);
      assert.match(said, /To try again: kedge --continue/);
      assert.deepEqual([run?.status, run?.outcome], ['finished', 'failed'], provider);
    });
    const interrupted = async () => {
      const { code, said, run } = await kedge(LOST + DEAF, 'openai');
      assert.equal(code, 1, said);
      assert.match(said, /kedge: The program stopped responding/);
      assert.equal(run?.status, 'live');
    };
    await Promise.all([...failed, interrupted()]);
  });
});
