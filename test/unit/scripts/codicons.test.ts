import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/editor.ts';
import { ICONS } from '../../../webview-ui/components/icons.ts';

describe('the icon font of the panel', () => {
  const sources = globSync('webview-ui/**/*.{ts,tsx,css}', { cwd: root }).map((file) => ({
    file: file.replaceAll('\\', '/'),
    text: readFileSync(join(root, file), 'utf8'),
  }));

  it('contains every icon, because only one component names them, and its type allows only those of the list', () => {
    const naming = sources.filter(({ text }) => /codicon-(?!modifier-spin)[$\w]/.test(text)).map(({ file }) => file);
    assert.deepEqual(naming, ['webview-ui/components/icon.tsx']);
    const component = sources.find(({ file }) => file === naming[0])?.text;
    assert.match(component ?? '', /name: IconName/);
  });

  it('contains no icon that is not used', () => {
    const text = sources
      .filter(({ file }) => !file.endsWith('/icons.ts'))
      .map((source) => source.text)
      .join('\n');
    // A filled icon is named by the icon that it replaces.
    const unused = ICONS.filter((name) => !new RegExp(`['"]${name.replace(/^(thumbs\w+)-filled$/, '$1')}['"]`).test(text));
    assert.deepEqual(unused, []);
  });
});
