/** Measures the time that VS Code reports for the activation of the extension, including loading, in a fresh profile of a real editor. */
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
  const settings = {
    'workbench.startupEditor': 'none',
    'telemetry.telemetryLevel': 'off',
    'workbench.welcomePage.walkthroughs.openOnInstall': false,
  };
  const editor = await startEditor({ profile, open: join(place, 'workspace'), settings });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumFlags });
  try {
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(editor.url);
      const input = page.locator('.quick-input-widget:visible .quick-input-box input');
      // The extension is active when its status bar item is shown.
      await page.locator('.statusbar-item').filter({ hasText: 'Kedge' }).waitFor({ timeout: 180_000 });
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
