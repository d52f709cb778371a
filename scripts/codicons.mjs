/** Leaves the icons that the panel does not use out of the icon font and of its style sheet. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import subsetFont from 'subset-font';
import { ICONS } from '../webview-ui/components/icons.ts';

const CODICONS = join(import.meta.dirname, '..', 'node_modules', '@vscode', 'codicons', 'dist');
const RULE = /^\.codicon-([\w-]+):before \{ content: "\\([\da-f]+)" \}\n/gm;
const FONT_FACE = /"\.\/codicon\.ttf[^"]*"\) format\("truetype"\)/;

/** @type {import('esbuild').Plugin} */
export const usedCodicons = {
  name: 'used-codicons',
  setup(build) {
    build.onLoad({ filter: /codicons.dist.codicon\.css$/ }, async () => ({ contents: (await usedStyles()).css, loader: 'css' }));
    build.onResolve({ filter: /^\.\/codicon\.woff2$/ }, ({ path }) => ({ path, namespace: 'codicons' }));
    build.onLoad({ filter: /^/, namespace: 'codicons' }, async () => ({ contents: await usedFont(), loader: 'file' }));
  },
};

/**
 * Returns the style sheet with the rules of the icons in use, and the characters of those icons in the font.
 * @throws Error if codicons have no such icon, or if their style sheet has another form
 */
async function usedStyles() {
  const css = await readFile(join(CODICONS, 'codicon.css'), 'utf8');
  const codes = new Map([...css.matchAll(RULE)].map(([, name, code]) => [name, code]));
  const unknown = ICONS.filter((name) => !codes.has(name));
  if (unknown.length > 0) throw new Error(`Codicons have no icon ${unknown.join(', ')}.`);
  if (!FONT_FACE.test(css)) throw new Error('The style sheet of codicons does not name its font as expected.');
  return {
    css: css.replace(RULE, (rule, name) => (ICONS.includes(name) ? rule : '')).replace(FONT_FACE, '"./codicon.woff2") format("woff2")'),
    characters: ICONS.map((name) => String.fromCodePoint(Number.parseInt(codes.get(name), 16))).join(''),
  };
}

async function usedFont() {
  const { characters } = await usedStyles();
  return subsetFont(await readFile(join(CODICONS, 'codicon.ttf')), characters, { targetFormat: 'woff2' });
}
