/** The page that shows the panel in a plain browser with a fake host, and the files that it loads. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { panelBundles } from '../../scripts/panel-build.mjs';
import { themeCss } from './panel-themes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** No file is written: the names of the bundles are relative to this folder. */
const OUT = join(ROOT, 'out', 'gallery');

const PAGE = `<!doctype html>
<html lang="en" data-theme="dark">
<head><meta charset="utf-8"><title>Kedge</title><link rel="stylesheet" href="theme.css"><link rel="stylesheet" href="panel.css"></head>
<body>
<div id="kedge-panel"></div>
<script nonce="kedge">
  window.posted = [];
  const key = location.search;
  let state = JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.posted.push(structuredClone(message)),
    getState: () => state,
    setState: (next) => { state = next; sessionStorage.setItem(key, JSON.stringify(next)); },
  });
  // Messages arrive in their order. The last one does not reach the panel, which listens later than this.
  const arrived = new Map();
  addEventListener('message', (event) => {
    const resolve = arrived.get(event.data.arrived);
    if (!resolve) return;
    event.stopImmediatePropagation();
    arrived.delete(event.data.arrived);
    resolve();
  });
  window.deliver = (messages) => new Promise((resolve) => {
    const id = crypto.randomUUID();
    arrived.set(id, resolve);
    for (const message of [...messages, { arrived: id }]) window.postMessage(message, '*');
  });
</script>
<script type="module" nonce="kedge" src="panel.js"></script>
</body></html>`;

export type Files = Record<string, string | Uint8Array>;

let built: Promise<Files> | undefined;

/** Returns the files of the page by name. Bundling them takes longer than most tests, so each process does it once. */
export function panelFiles(): Promise<Files> {
  built ??= build();
  return built;
}

async function build(): Promise<Files> {
  const results = await Promise.all(
    panelBundles.map((bundle) => esbuild.build({ ...bundle, minify: true, write: false, outdir: OUT, absWorkingDir: ROOT })),
  );
  const files = results.flatMap(({ outputFiles = [] }) =>
    outputFiles.map(({ path, contents }) => [path.slice(OUT.length + 1), contents] as const),
  );
  const axe = await readFile(join(ROOT, 'node_modules', 'axe-core', 'axe.min.js'));
  return { ...Object.fromEntries(files), 'axe.js': axe, 'theme.css': themeCss(), 'index.html': PAGE };
}
