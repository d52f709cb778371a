// Builds every bundle into dist/: the extension, the terminal host, one file a provider, the panel.
import { copyFile, glob, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as esbuild from 'esbuild';

const watch = process.argv.includes('--watch');

/** The scripted model serves the tests and is in no bundle. */
const providers = (await Array.fromAsync(glob('src/providers/*/index.ts')))
  .map((file) => basename(dirname(file)))
  .filter((name) => name !== 'scripted');

/** Code that is not always needed is a file of its own, loaded when it first is: `import()` of what matches becomes that of the file. */
const lazy = (filter, fileOf) => ({
  name: 'lazy',
  setup(build) {
    build.onResolve({ filter }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./${fileOf(path)}.cjs`, external: true } : undefined,
    );
  },
});

const lazyParts = [
  lazy(/^\.\/[\w-]+\/index\.ts$/, (path) => `provider-${path.split('/')[1]}`),
  lazy(/\/mcp\/client\/index\.ts$/, () => 'mcp-client'),
  lazy(/^\.\/fetch-html\.ts$/, () => 'fetch-html'),
  // The grammars of shells lie beside their WebAssembly.
  lazy(/^\.\/shell-grammar\.ts$/, () => 'shell-grammar'),
  // What judges commands knows hundreds of programs.
  lazy(/\/policy\/command\.ts$/, () => 'command-judge'),
];
/** What the editor's part needs only when something is done with it. */
const editorParts = ['chat', 'connect', 'finding', 'lm-adapter', 'panel-view', 'work-ports'];
const lazyEditorParts = lazy(new RegExp(`^\\./(${editorParts.join('|')})\\.ts$`), (path) => `editor-${basename(path, '.ts')}`);
/** What only runs need: the editor starts without it, the terminal program always runs something. */
const lazyEngine = lazy(/^\.\/engine\.ts$/, () => 'engine');
/** The terminal program lies behind a tiny entry, which first turns on the cache of compiled code. */
const lazyProgram = lazy(/^\.\/program\.ts$/, () => 'kedge-program');

/** The editor's API as constants: esbuild would copy all of it anew for each file that imports it, at every activation. */
const editorApi = {
  name: 'editor-api',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'editor-api' ? { path: 'vscode', external: true } : { path: 'vscode', namespace: 'editor-api' },
    );
    build.onLoad({ filter: /^/, namespace: 'editor-api' }, async () => {
      const types = await readFile('node_modules/@types/vscode/index.d.ts', 'utf8');
      const names = new Set([...types.matchAll(/^\texport (?:class|enum|namespace|const|function) (\w+)/gm)].map(([, name]) => name));
      const values = [...names].map((name) => `export const ${name} = /* @__PURE__ */ (() => api.${name})();`);
      return { contents: `const api = require('vscode');\n${values.join('\n')}` };
    });
  },
};

const wasm = [
  'web-tree-sitter/web-tree-sitter.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
];

const common = {
  bundle: true,
  minify: !watch,
  sourcemap: watch,
  legalComments: 'none',
  logLevel: 'warning',
  outdir: 'dist',
};
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  outExtension: { '.js': '.cjs' },
  plugins: lazyParts,
  // `import()` of a file beside the bundle becomes `require`, which starts sooner.
  supported: { 'dynamic-import': false },
};

const bundles = [
  // `vscode` exists inside the editor only, so only the editor's bundles may name it.
  {
    ...node,
    entryPoints: {
      extension: 'src/hosts/vscode/extension.ts',
      ...Object.fromEntries(editorParts.map((name) => [`editor-${name}`, `src/hosts/vscode/${name}.ts`])),
    },
    plugins: [...lazyParts, lazyEditorParts, lazyEngine, editorApi],
  },
  { ...node, entryPoints: { engine: 'src/app/engine.ts' } },
  { ...node, entryPoints: { kedge: 'src/hosts/cli/main.ts' }, plugins: [lazyProgram] },
  // The keychain's library is native: where it is not installed, there is no keychain.
  { ...node, entryPoints: { 'kedge-program': 'src/hosts/cli/program.ts' }, external: ['@napi-rs/keyring'] },
  { ...node, entryPoints: { 'fetch-html': 'src/hosts/node/fetch-html.ts' } },
  { ...node, entryPoints: { 'mcp-client': 'src/mcp/client/index.ts' } },
  { ...node, entryPoints: { 'command-judge': 'src/policy/command.ts' } },
  {
    ...node,
    entryPoints: { 'shell-grammar': 'src/hosts/node/shell-grammar.ts' },
    alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs' },
    define: { 'import.meta.dirname': '__dirname' },
  },
  { ...node, entryPoints: Object.fromEntries(providers.map((name) => [`provider-${name}`, `src/providers/${name}/index.ts`])) },
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
