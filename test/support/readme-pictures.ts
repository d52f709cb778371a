/** Draws the pictures of the panel's pages for the README into media/screenshots: `node test/support/readme-pictures.ts`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openGallery, show } from './panel-gallery.ts';
import { type NamedState, STATES } from './panel-states.ts';
import { webp } from './webp.ts';

const OUT = join(import.meta.dirname, '..', '..', 'media', 'screenshots');
const PICTURES = { control: ['permissions', 'servers', 'models'], history: ['sessions', 'insights', 'memory'] };
const SIZE = { width: 380, height: 620 };

await using gallery = await openGallery();
for (const [name, states] of Object.entries(PICTURES)) {
  for (const theme of ['light', 'dark'] as const) {
    const images: string[] = [];
    for (const state of states) {
      const page = await show(gallery, STATES[state] as NamedState, { ...SIZE, theme });
      // No element has the focus, and no button is under the mouse pointer.
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.mouse.move(SIZE.width - 1, SIZE.height - 1);
      images.push((await page.screenshot()).toString('base64'));
      await page.close();
    }
    const joined = await gallery.browser.newPage({ viewport: { width: states.length * (SIZE.width + 12) - 12, height: SIZE.height } });
    const style = 'margin:0;display:flex;gap:12px;background:transparent';
    await joined.setContent(
      `<body style="${style}">${images.map((image) => `<img style="border-radius:6px" src="data:image/png;base64,${image}">`).join('')}`,
    );
    writeFileSync(join(OUT, `${name}-${theme}.webp`), await webp(gallery.browser, await joined.screenshot({ omitBackground: true }), 800));
    await joined.close();
  }
}
