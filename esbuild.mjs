// Builds every bundle into dist/: the extension, the terminal host, one file a provider, the panel.
import { copyFile, glob, mkdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as esbuild from 'esbuild';

const watch = process.argv.includes('--watch');

/** The scripted model serves the tests and is in no bundle. */
const providers = (await Array.fromAsync(glob('src/providers/*/index.ts')))
  .map((file) => basename(dirname(file)))
  .filter((name) => name !== 'scripted');

/** Each provider is a file of its own, loaded when it is first used: `import('./openai/index.ts')` becomes `import('./provider-openai.cjs')`. */
const lazyProviders = {
  name: 'lazy-providers',
  setup(build) {
    build.onResolve({ filter: /^\.\/[\w-]+\/index\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./provider-${path.split('/')[1]}.cjs`, external: true } : undefined,
    );
  },
};

/** The client of MCP servers, SDK and all, is loaded with the first server. */
const lazyMcpClient = {
  name: 'lazy-mcp-client',
  setup(build) {
    build.onResolve({ filter: /\/mcp\/client\/index\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './mcp-client.cjs', external: true } : undefined,
    );
  },
};

/** What makes text of web pages is loaded with the first page. */
const lazyPages = {
  name: 'lazy-pages',
  setup(build) {
    build.onResolve({ filter: /^\.\/fetch-html\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './fetch-html.cjs', external: true } : undefined,
    );
  },
};

/** The terminal program is a file of its own behind a tiny entry, which first turns on the cache of compiled code. */
const lazyProgram = {
  name: 'lazy-program',
  setup(build) {
    build.onResolve({ filter: /^\.\/program\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './kedge-program.cjs', external: true } : undefined,
    );
  },
};

/** The shell grammars are a file of their own beside their WebAssembly, loaded with the first command. */
const lazyGrammar = {
  name: 'lazy-grammar',
  setup(build) {
    build.onResolve({ filter: /^\.\/shell-grammar\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './shell-grammar.cjs', external: true } : undefined,
    );
  },
};
/** What judges commands knows hundreds of programs: it is loaded with the first command. */
const lazyCommands = {
  name: 'lazy-commands',
  setup(build) {
    build.onResolve({ filter: /\/policy\/command\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './command-judge.cjs', external: true } : undefined,
    );
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
  plugins: [lazyProviders, lazyPages, lazyGrammar, lazyCommands, lazyMcpClient],
  // `import()` of a file beside the bundle becomes `require`, which starts sooner.
  supported: { 'dynamic-import': false },
};

const bundles = [
  // `vscode` exists inside the editor only, so only the editor's bundle may name it.
  { ...node, entryPoints: { extension: 'src/hosts/vscode/extension.ts' }, external: ['vscode'] },
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
