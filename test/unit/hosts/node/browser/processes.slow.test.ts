import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureChromium } from '../../../../../scripts/chromium.ts';
import { type BrowserSession, browserSession, type PageServer, servePages } from '../../../../support/browser-pages.ts';

const holder = join(import.meta.dirname, '../../../../support/browser-holder.ts');

/** The command lines of all processes that contain a text. */
function processesWith(text: string): string[] {
  const all = execFileSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
  return all.filter((line) => line.includes(text));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(50);
}

describe('the processes of the browser tool', function () {
  this.timeout(120_000);
  let server: PageServer;

  before(async () => {
    server = await servePages({ '/': '<p>here</p>', '/hang': () => undefined });
  });
  after(() => server.close());

  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const)
    it(`are gone, with the profile, after ${signal}`, async () => {
      const temporary = mkdtempSync(join(tmpdir(), 'kt-'));
      // The profile of a process that was killed together with the one that controls the browser.
      const stale = join(temporary, 'kedge-browser-999999999-abc');
      mkdirSync(stale);
      const child = spawn(process.execPath, [holder, server.at('/'), await ensureChromium(() => undefined)], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      assert.equal(existsSync(stale), false);
      assert.ok(readdirSync(temporary).some((name) => name.startsWith('kedge-browser-')));
      assert.ok(processesWith(join(temporary, 'kedge-browser-')).length > 1);
      child.kill(signal);
      await once(child, 'exit');
      await until(() => processesWith(join(temporary, 'kedge-browser-')).length === 0);
      await until(() => !readdirSync(temporary).some((name) => name.startsWith('kedge-browser-')));
      rmSync(temporary, { recursive: true, force: true });
    });

  describe('in this process', () => {
    let session: BrowserSession;
    beforeEach(async () => {
      session = await browserSession();
    });
    afterEach(() => session.close());

    it('do not exist before the first page', async () => {
      await assert.rejects(session.use({ action: 'read' }), /No page is open/);
      await session.prepare({ action: 'open', url: server.at('/') });
      assert.equal(session.browser.isGone, true);
    });

    it('end when the run is stopped, while a page loads', async () => {
      await session.use({ action: 'open', url: server.at('/') });
      const controller = new AbortController();
      const hanging = session.execute(await session.prepare({ action: 'open', url: server.at('/hang') }), controller.signal);
      await until(() => server.asked.some((each) => each.endsWith('/hang')));
      controller.abort();
      await assert.rejects(hanging, { name: 'AbortError' });
      assert.equal(session.browser.isGone, true);
      await assert.rejects(session.prepare({ action: 'read' }), /No page is open/);
      // Another run of the same program can go on.
      assert.match((await session.use({ action: 'open', url: server.at('/') })).text, /here/);
    });
  });
});
