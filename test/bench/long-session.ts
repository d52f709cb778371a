/** A session of 20,000 events and 40 MB: opening it, adding to it, its memory, and the panel that shows its newest runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../../src/core/session/events.ts';
import { newestRuns } from '../../src/hosts/vscode/panel/newest-runs.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { assistantOn } from '../support/harness.ts';
import { eventsOf, heapNow } from '../support/long-log.ts';
import { longestCpu, openGallery } from '../support/panel-gallery.ts';
import { host } from '../support/panel-states.ts';

const EVENTS = 20_000;
const BYTES = 40_000_000;
const APPENDED = 200;
const SCROLLS = 60;

export type LongSession = {
  megabytes: number;
  /** CPU milliseconds of the host. */
  openMs: number;
  /** CPU milliseconds for one event at the end of the long session and of a session with ten events. */
  appendMs: number;
  appendShortMs: number;
  heapMegabytes: number;
  /** Milliseconds from the message of the host until the panel is painted. */
  paintMs: number;
  longestTaskMs: number;
};

const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** @param runs the number of runs that the events belong to */
export async function measureLongSession(runs: number): Promise<LongSession> {
  const short = await opened(eventsOf(1, 10, 10_000));
  const { appendMs: appendShortMs } = short;
  const events = eventsOf(runs, EVENTS, BYTES);
  const { posted, ...long } = await opened(events);
  return { ...long, appendShortMs, ...(await shown(posted)) };
}

type Opened = Pick<LongSession, 'megabytes' | 'openMs' | 'appendMs' | 'heapMegabytes'> & { posted: ToPanel };

async function opened(events: AgentEvent[]): Promise<Opened> {
  const log = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  await using kedge = await assistantOn({});
  const { assistant, storage } = kedge;
  mkdirSync(join(storage, 'sessions'), { recursive: true });
  writeFileSync(join(storage, 'sessions', 'long.jsonl'), log);
  const before = await heapNow();
  const begun = cpuNow();
  const session = await assistant.session('long');
  if (session?.events.length !== events.length) throw new Error('Events were lost.');
  const runIds = [...session.state.runs.keys()];
  const newest = newestRuns(runIds, session.events.facts(), 1);
  const openMs = cpuNow() - begun;
  const heapMegabytes = (await heapNow()) - before;
  const appending = cpuNow();
  for (let count = 0; count < APPENDED; count++) session.note({ type: 'session_pinned', pinned: count % 2 === 0 });
  const appendMs = (cpuNow() - appending) / APPENDED;
  const posted: ToPanel = {
    type: 'session',
    sessionId: session.id,
    title: session.state.title,
    events: session.events.select(({ runId }) => newest.has(runId)),
    earlierRuns: runIds.length - newest.size,
    running: false,
  };
  return { megabytes: log.length / 1e6, openMs, heapMegabytes, appendMs, posted };
}

/** Delivers the session to the panel, and scrolls from its end to its beginning. */
async function shown(message: ToPanel): Promise<Pick<LongSession, 'paintMs' | 'longestTaskMs'>> {
  await using gallery = await openGallery();
  const page = await gallery.open([host('ask')], { width: 400, height: 800 });
  const paintMs = await page.evaluate(async (posted) => {
    const begun = performance.now();
    window.postMessage(posted, '*');
    const transcript = () => document.querySelector('.transcript');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    while (!transcript()?.textContent?.includes(' deep')) await frame();
    await frame();
    return performance.now() - begun;
  }, message);
  await gallery.browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.mouse.move(200, 300);
  for (let count = 0; count < SCROLLS; count++) {
    await page.mouse.wheel(0, -1_000);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  return { paintMs, longestTaskMs: longestCpu(await gallery.browser.stopTracing()) };
}
