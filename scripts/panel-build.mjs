/** Bundles the panel: its script, and the parts that it loads on demand. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usedCodicons } from './codicons.mjs';
import { sdkParts } from './sdk-parts.mjs';

/** Diagrams whose parsers or layouts would double the size of the package. Their source text is shown instead. */
const LEFT_OUT =
  /^(?:katex|bpmnIcons|abnf|architecture|block|c4|cose-bilkent|cynefin|diagram|ebnf|elk|gitGraph|info|ishikawa|kanban|mindmap|peg|pie|quadrant|railroad|requirement|sankey|swimlanes|usecase|venn|wardley)/;

/** The panel imports a lazily loaded part by its source file, and the browser loads the bundle of that part. */
const lazyParts = {
  name: 'lazy-parts',
  setup(build) {
    build.onResolve({ filter: /\/lazy\/\w+\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./panel-${path.split('/').at(-1).replace('.ts', '.js')}`, external: true } : undefined,
    );
  },
};

/**
 * Lets each page import the complete panel, which is already loaded. The panel then stays in one file, because esbuild creates a chunk for
 * each set of entries that share a module.
 */
const pagesWithPanel = {
  name: 'pages-with-panel',
  setup(build) {
    build.onResolve({ filter: /\/pages\/[\w/]+\.tsx$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: 'page' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'page' }, ({ path }) => ({
      contents: `import './webview-ui/components/app.tsx'; export * from ${JSON.stringify(path)};`,
      resolveDir: resolve(import.meta.dirname, '..'),
    }));
  },
};

const withoutRareDiagrams = {
  name: 'without-rare-diagrams',
  setup(build) {
    build.onResolve({ filter: /^(?:katex|\.\/.*\.mjs)$/ }, ({ kind, path, importer }) =>
      kind === 'dynamic-import' && /node_modules.mermaid\b/.test(importer) && LEFT_OUT.test(path.split('/').at(-1))
        ? { path, namespace: 'left-out' }
        : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'left-out' }, () => ({ contents: "throw new Error('This kind of diagram is not drawn.');" }));
  },
};

/**
 * A module behind an `import()` is bundled with everything that it imports, whether it is used or not, because all diagrams are in one file. The
 * diagrams that are drawn are therefore imported statically, and those that are left out keep their `import()`, which rejects.
 */
const drawnDiagrams = {
  name: 'drawn-diagrams',
  setup(build) {
    build.onLoad({ filter: /node_modules.mermaid.dist.*\.mjs$/ }, async ({ path }) => {
      const statics = [];
      const code = (await readFile(path, 'utf8')).replace(/\bimport\(("\.\/[^"]+\.mjs")\)/g, (whole, file) => {
        if (LEFT_OUT.test(file.slice(1, -1).split('/').at(-1))) return whole;
        statics.push(`import * as drawn${statics.length} from ${file};`);
        return `Promise.resolve(drawn${statics.length - 1})`;
      });
      return { contents: [...statics, code].join('\n') };
    });
  },
};

const common = { bundle: true, platform: 'browser', target: 'es2022', legalComments: 'none' };

/** @type {import('esbuild').BuildOptions[]} */
export const panelBundles = [
  {
    ...common,
    format: 'esm',
    // The pages of the panel share the panel's code.
    splitting: true,
    chunkNames: 'panel-[name]-[hash]',
    entryPoints: { panel: 'webview-ui/main.tsx' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    assetNames: '[name]',
    plugins: [lazyParts, pagesWithPanel, usedCodicons, sdkParts],
  },
  {
    ...common,
    format: 'esm',
    entryPoints: Object.fromEntries(
      ['highlight', 'math', 'diagram', 'plot'].map((name) => [`panel-${name}`, `webview-ui/lazy/${name}.ts`]),
    ),
    plugins: [withoutRareDiagrams, drawnDiagrams],
  },
];
