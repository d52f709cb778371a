/** What VS Code itself counts for the extension's activation, loading included, in a fresh profile of the real editor. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.ts';
import { freshDirectory, installVsix, startEditor } from '../../scripts/editor.ts';
import { packageExtension } from '../../scripts/package.ts';
import { median } from './loop.ts';

export async function measureActivation(runs = 5): Promise<number> {
  const place = await freshDirectory('bench-activation');
  const profile = { data: join(place, 'data'), extensions: join(place, 'extensions') };
  await installVsix(await packageExtension(), profile);
  await mkdir(join(place, 'workspace'));
  await writeFile(join(place, 'workspace', 'README.md'), '# Bench\n');
  const settings = { 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off' };
  const editor = await startEditor({ profile, open: join(place, 'workspace'), settings });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumFlags });
  try {
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(editor.url);
      const input = page.locator('.quick-input-widget:visible .quick-input-box input');
      // The model in the Chat's picker is the extension's: it is active.
      await page.locator('.model-picker-name .codicon-chat-model-provider-generic-compact').waitFor({ timeout: 60_000 });
      await page.keyboard.press('F1');
      await input.fill('>Developer: Show Running Extensions');
      await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Show Running Extensions' }).first().click();
      const row = page.locator('.runtime-extensions-editor .monaco-list-row').filter({ hasText: 'Kedge' }).first();
      const counted = row.locator('.activation-time');
      await counted.waitFor();
      times.push(Number(/(\d+)\s*ms/.exec(await counted.innerText())?.[1]));
      await page.close();
    }
    return median(times);
  } finally {
    await browser.close();
    await editor.stop();
  }
}
