import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'webview-ui', 'styles');

describe('the stylesheets of the panel', () => {
  it('style each class in one file, because a second file could change an element that it does not know', async () => {
    const files = new Map<string, Set<string>>();
    for (const name of await readdir(FOLDER)) {
      const css = (await readFile(join(FOLDER, name), 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
      for (const [, selectors = ''] of css.matchAll(/([^{}]+)\{/g))
        for (const selector of selectors.split(',').map((each) => each.trim()))
          if (/^\.[\w-]+$/.test(selector)) files.set(selector, (files.get(selector) ?? new Set()).add(name));
    }
    const shared = [...files].filter(([, names]) => names.size > 1).map(([selector, names]) => `${selector}: ${[...names].join(', ')}`);
    assert.ok(files.size > 100);
    assert.deepEqual(shared, []);
  });
});
