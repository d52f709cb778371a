// Builds all bundles into dist/: the extension and the terminal program with their shared chunks, and the panel. With --watch it builds
// again after each change. --watch and --debug keep the code readable and write source maps.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import * as esbuild from 'esbuild';

const watch = process.argv.includes('--watch');
const debug = watch || process.argv.includes('--debug');

const wasm = [
  'web-tree-sitter/web-tree-sitter.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
];

/**
 * Code behind an `import()` shares files with the code that is loaded at the start. esbuild creates a chunk for each set of entries that share
 * a file, so dozens of chunks would be read at activation. With this plug-in, each lazy part imports all of the code that is already loaded,
 * which then becomes one chunk.
 */
const EVERYWHERE = [
  'src/app/assistant.ts',
  'src/app/limits.ts',
  'src/app/models/models.ts',
  'src/core/model/images.ts',
  'src/core/words/budget-text.ts',
  'src/core/words/visible-text.ts',
  'src/hosts/node/files/file-system.ts',
  'src/providers/headers.ts',
  'src/providers/tool-calls.ts',
  'src/sessions/blobs.ts',
  'src/sessions/ledger.ts',
  'src/sessions/store.ts',
];
/** The files that the adapters of all providers share. */
const WIRES = ['src/providers/event-stream.ts', 'src/providers/exchange.ts', 'src/providers/listing.ts'];
const ROOTS = {
  'src/hosts/vscode/': ['src/hosts/vscode/extension.ts'],
  'src/hosts/cli/': ['src/hosts/cli/program.ts'],
  'src/providers/': [...EVERYWHERE, ...WIRES],
  // Only runs look up facts and rules about commands.
  'src/app/facts/': [...EVERYWHERE, 'src/app/run/build-run.ts'],
  'src/policy/': [...EVERYWHERE, 'src/app/run/build-run.ts'],
  'src/': EVERYWHERE,
};
const lazyParts = {
  name: 'lazy-parts',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: 'lazy' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'lazy' }, ({ path }) => {
      const file = path.slice(import.meta.dirname.length + 1).replaceAll('\\', '/');
      const room = Object.keys(ROOTS).find((start) => file.startsWith(start));
      const roots = path.endsWith('/program.ts') ? [] : ROOTS[room];
      const lines = [...roots.map((root) => `import './${root}';`), `export * from './${file}';`];
      return { contents: lines.join('\n'), resolveDir: import.meta.dirname };
    });
  },
};

const common = {
  bundle: true,
  minify: !debug,
  sourcemap: debug,
  legalComments: 'none',
  logLevel: 'warning',
  outdir: 'dist',
};

const bundles = [
  {
    ...common,
    platform: 'node',
    format: 'esm',
    // Code behind an `import()` becomes a separate chunk, and so does code that several chunks share.
    splitting: true,
    target: 'node20',
    entryPoints: { extension: 'src/hosts/vscode/extension.ts', kedge: 'src/hosts/cli/main.ts' },
    chunkNames: '[name]-[hash]',
    // VS Code provides `vscode`. The keychain library is native and optional; without it, keys cannot be stored in the keychain.
    external: ['vscode', '@napi-rs/keyring'],
    plugins: [lazyParts],
    // CommonJS packages load Node's modules with `require`, which ES modules do not have.
    banner: { js: "import{createRequire as kedgeCreateRequire}from'node:module';const require=kedgeCreateRequire(import.meta.url);" },
  },
  {
    ...common,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    entryPoints: { panel: 'webview-ui/main.tsx' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
  },
];

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await Promise.all(wasm.map((file) => copyFile(`node_modules/${file}`, `dist/${basename(file)}`)));
if (watch) {
  const contexts = await Promise.all(bundles.map((bundle) => esbuild.context(bundle)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
}
