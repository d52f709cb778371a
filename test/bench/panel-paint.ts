/**
 * Measures the first paint of the panel in a real editor. VS Code creates a webview anew whenever it is shown, so the panel is hidden and shown
 * again several times.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Frame, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.ts';
import { freshDirectory, installVsix, startEditor } from '../../scripts/editor.ts';
import { packageExtension } from '../../scripts/package.ts';
import { deliver, openGallery } from '../support/panel-gallery.ts';
import { host, Script, session } from '../support/panel-states.ts';
import { until } from '../support/until.ts';
import { median } from './loop.ts';

/**
 * Medians in milliseconds: from the key that shows the panel to the first paint with content, and the part of it that is the panel's own, from
 * the start of its document.
 */
export type PaintTimes = { paintMs: number; ownMs: number };

export async function measurePanelPaint(runs = 9): Promise<PaintTimes> {
  const place = await freshDirectory('bench-panel');
  const profile = { data: join(place, 'data'), extensions: join(place, 'extensions') };
  await installVsix(await packageExtension(), profile);
  await mkdir(join(place, 'workspace'));
  await writeFile(join(place, 'workspace', 'README.md'), '# Bench\n');
  const settings = { 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'workbench.tips.enabled': false };
  const editor = await startEditor({ profile, open: join(place, 'workspace'), settings });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumFlags });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(editor.url);
    // On the first start in a profile, the panel is shown without being asked for.
    await until('the panel', () => panelIn(page));
    await page.evaluate(() => {
      const note = () => Object.assign(globalThis, { pressedAt: performance.timeOrigin + performance.now() });
      addEventListener('keydown', note, { capture: true });
    });
    const times: PaintTimes[] = [];
    for (let run = 0; run < runs; run++) {
      await page.keyboard.press('Control+Alt+B');
      await until('the panel to be gone', async () => !(await panelIn(page)));
      await page.keyboard.press('Control+Alt+K');
      times.push(await timesOf(page));
    }
    return { paintMs: median(times.map(({ paintMs }) => paintMs)), ownMs: median(times.map(({ ownMs }) => ownMs)) };
  } finally {
    await browser.close();
    await editor.stop();
  }
}

async function timesOf(page: Page): Promise<PaintTimes> {
  const { startedAt, ownMs } = await until('the first paint', async () => {
    const panel = await panelIn(page);
    return panel?.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return paint && { startedAt: performance.timeOrigin, ownMs: paint.startTime };
    });
  });
  const pressedAt = await page.evaluate(() => (globalThis as unknown as { pressedAt: number }).pressedAt);
  return { paintMs: startedAt + ownMs - pressedAt, ownMs };
}

/**
 * Measures the processor time of the panel's main thread until an empty session is painted, in a browser without an editor. Other programs on the
 * machine do not change it.
 */
export async function measurePanelCpu(runs = 9): Promise<number> {
  await using gallery = await openGallery();
  const [context] = gallery.browser.contexts();
  const url = context?.pages()[0]?.url();
  if (!context || url === undefined) throw new Error('The gallery has no page.');
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const taskMs = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
    };
    const before = await taskMs();
    await page.goto(url);
    await deliver(page, [host('ask'), session(new Script(), false)]);
    times.push((await taskMs()) - before);
    await page.close();
  }
  return median(times);
}

/** Returns the frame of the panel if its content is there. */
async function panelIn(page: Page): Promise<Frame | undefined> {
  for (const frame of page.frames()) {
    const count = await Promise.race([
      frame
        .locator('#kedge-panel .composer')
        .count()
        .catch(() => 0),
      new Promise<number>((late) => setTimeout(late, 1000, 0)),
    ]);
    if (count > 0) return frame;
  }
  return undefined;
}
