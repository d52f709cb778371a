/**
 * Compresses screenshots for the README and the walkthrough: `node test/support/webp.ts WIDTH FROM.png TO.webp`. Those of the walkthrough
 * are part of the package.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { openGallery } from './panel-gallery.ts';

/** The text of the panel is legible at this quality. */
const QUALITY = 0.6;

/** Scales a picture down to a width, and returns it as WebP. Playwright itself can save only PNG and JPEG. */
export async function webp(browser: Browser, png: Buffer, width: number): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    const url = await page.evaluate(
      async ({ source, width, quality }) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = Math.min(width, image.naturalWidth);
        canvas.height = Math.round((image.naturalHeight * canvas.width) / image.naturalWidth);
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL('image/webp', quality);
      },
      { source: `data:image/png;base64,${png.toString('base64')}`, width, quality: QUALITY },
    );
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  } finally {
    await page.close();
  }
}

if (import.meta.main) {
  const [width, from, to] = process.argv.slice(2);
  if (!Number(width) || !from || !to) throw new Error('Usage: node test/support/webp.ts WIDTH FROM.png TO.webp');
  await using gallery = await openGallery();
  writeFileSync(to, await webp(gallery.browser, readFileSync(from), Number(width)));
}
