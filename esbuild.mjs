// Builds all bundles into dist/: the extension and the terminal program with their shared chunks, the thread that reads documents, and
// the panel. With --watch it builds again after each change. --watch and --debug keep the code readable and write source maps.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import * as esbuild from 'esbuild';
import { chunkGroups } from './scripts/chunks.mjs';
import { notices } from './scripts/notices.mjs';
import { panelBundles } from './scripts/panel-build.mjs';
import { readmeForExtension } from './scripts/readme.mjs';
import { sdkParts } from './scripts/sdk-parts.mjs';
import { withoutStubs } from './scripts/stubs.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const watch = process.argv.includes('--watch');
const debug = watch || process.argv.includes('--debug');

const wasm = [
  'web-tree-sitter/web-tree-sitter.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
  'node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm',
];

const CACHE = 'node_modules/.cache/kedge';

/** The licenses of the packages in the bundles. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const programApart = {
  name: 'program-apart',
  setup(build) {
    build.onResolve({ filter: /^\.\/program\.ts$/ }, () => ({ path: './program.js', external: true }));
  },
};

/**
 * An `import` of one of Node's modules reads all of its exports, including those that Node itself loads only when they are read, such as
 * Web Crypto. With this plug-in, our own code reads only what it uses. (Packages may use a module as a whole, so their imports are not
 * changed.)
 */
const nodeModules = {
  name: 'node-modules',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ importer, kind, path }) => {
      const isOwn = kind === 'import-statement' && isBuiltin(path) && !importer.includes('node_modules');
      return isOwn ? { path, namespace: 'node' } : undefined;
    });
    build.onLoad({ filter: /^/, namespace: 'node' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => name !== 'default' && /^[A-Za-z_]\w*$/.test(name));
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      return { contents: [`const builtin = require('${path}');`, 'export default builtin;', ...exported].join('\n') };
    });
  },
};

/** SQLite looks for its WebAssembly beside its own file, which is in a chunk in dist/ then, and the WebAssembly is compressed. */
const sqlite = {
  name: 'sqlite',
  setup(build) {
    build.onLoad({ filter: /node-sqlite3-wasm\.js$/ }, async ({ path }) => {
      const code = (await readFile(path, 'utf8'))
        .replaceAll('__dirname', "require('node:path').dirname(require('node:url').fileURLToPath(kedgeUrl))")
        .replace('ret=fs.readFileSync(filename)', "ret=require('node:zlib').brotliDecompressSync(fs.readFileSync(filename+'.br'))");
      if (!code.includes('brotli')) throw new Error('SQLite does not read its WebAssembly as expected.');
      return { contents: code };
    });
  },
};

/** The manifest is beside dist/ in each package, so the program reads it there. A second copy would be as large as a provider. */
const manifest = {
  name: 'manifest',
  setup(build) {
    build.onResolve({ filter: /^[./]+\/package\.json$/ }, () => ({ path: 'manifest', namespace: 'manifest' }));
    build.onLoad({ filter: /^/, namespace: 'manifest' }, () => ({
      contents: "export default JSON.parse(require('node:fs').readFileSync(new URL('../package.json', kedgeUrl), 'utf8'));",
    }));
  },
};

// CommonJS packages and the plug-ins above load Node's modules with `require`, which ES modules do not have. Node 20.16 has a faster way.
const banner = {
  js: [
    "import{createRequire as kedgeCreateRequire}from'node:module';",
    'const kedgeUrl=import.meta.url,require=(name)=>process.getBuiltinModule?.(name)??kedgeCreateRequire(kedgeUrl)(name);',
  ].join(''),
};

/** Writes the files, without stubs. Few of the many chunks use what the banner declares, and it would be a tenth of a small chunk. */
const smallFiles = {
  name: 'small-files',
  setup(build) {
    // Source maps count the line of the banner.
    if (debug) return;
    build.initialOptions.write = false;
    build.onEnd(async ({ outputFiles = [] }) => {
      const files = new Map(
        outputFiles.map(({ path, text }) => {
          const code = text.replace(`${banner.js}\n`, '');
          return [basename(path), /\b(?:require|kedgeUrl)\b/.test(code) ? text : code];
        }),
      );
      await Promise.all([...withoutStubs(files)].map(([name, code]) => writeFile(`dist/${name}`, code)));
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
    entryPoints: {
      extension: 'src/hosts/vscode/extension.ts',
      program: 'src/hosts/cli/program.ts',
      // It is the entry point of a thread.
      indexes: 'src/hosts/node/documents/thread/index-worker.ts',
    },
    chunkNames: '[name]-[hash]',
    // VS Code provides `vscode`. The keychain library is native and optional; without it, keys cannot be stored in the keychain.
    external: ['vscode', '@napi-rs/keyring'],
    plugins: [nodeModules, sdkParts, sqlite, manifest],
    banner,
  },
  {
    ...common,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner,
    // It loads the program when the compile cache is set up.
    entryPoints: { kedge: 'src/hosts/cli/main.ts' },
    define: { KEDGE_VERSION: JSON.stringify(version) },
    plugins: [nodeModules, programApart],
  },
  {
    ...common,
    platform: 'node',
    format: 'esm',
    // The parser of each format is loaded with the first document of that format.
    splitting: true,
    target: 'node20',
    banner,
    // It is the entry point of a thread.
    entryPoints: { documents: 'src/hosts/node/documents/worker.ts' },
    chunkNames: 'documents-[name]-[hash]',
    plugins: [nodeModules, smallFiles],
  },
  // It is the entry point of a process.
  {
    ...common,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner,
    entryPoints: { browser: 'src/hosts/node/browser/driver.ts' },
    plugins: [nodeModules, smallFiles],
  },
  // It is copied out of the extension, so it is one file.
  { ...common, platform: 'node', format: 'esm', target: 'node20', entryPoints: { launcher: 'src/hosts/vscode/program/launcher.ts' } },
  ...panelBundles.map((bundle) => ({ ...common, ...bundle })),
];

// The build that finds the groups must not write files, as this last plug-in does.
bundles[0].plugins.push(await chunkGroups(bundles[0]), smallFiles);

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await Promise.all(wasm.map((file) => compress(`node_modules/${file}`, `dist/${basename(file)}.br`)));
if (watch) {
  const contexts = await Promise.all(bundles.map((bundle) => esbuild.context(bundle)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const [metafiles] = await Promise.all([
    Promise.all(bundles.map(async (bundle) => (await esbuild.build({ ...bundle, metafile: true })).metafile)),
    readmeForExtension().then((text) => writeFile('dist/README.md', text)),
  ]);
  const [metafile] = metafiles;
  await writeFile(
    `dist/${NOTICES}`,
    await notices(
      metafiles,
      wasm.map((file) => `node_modules/${file}`),
    ),
  );
  // The npm package contains only the terminal program. npm adds extension.js too, because the manifest names it; it is only an entry point.
  const files = [
    'kedge.js',
    'browser.js',
    ...loadedBy('dist/program.js', metafile.outputs)
      .map((file) => basename(file))
      .filter((file) => existsSync(`dist/${file}`)),
    ...(await readdir('dist')).filter((file) => /^documents[.-].*js$/.test(file)),
    ...wasm.map((file) => `${basename(file)}.br`),
    NOTICES,
  ];
  await writeFile('dist/.npmignore', ['*', ...files.map((file) => `!${file}`), ''].join('\n'));
}

/**
 * Writes a file in Brotli, which makes WebAssembly a third smaller than the compression of the packages does. It takes seconds, so the result is
 * kept for the next build.
 */
async function compress(file, to) {
  const bytes = await readFile(file);
  const kept = `${CACHE}/${createHash('sha256').update(bytes).digest('hex')}.br`;
  if (!existsSync(kept)) {
    await mkdir(CACHE, { recursive: true });
    await writeFile(`${kept}.${process.pid}`, await promisify(brotliCompress)(bytes));
    await rename(`${kept}.${process.pid}`, kept);
  }
  await copyFile(kept, to);
}

/** Returns a built file with everything that it imports, also with `import()`. */
function loadedBy(file, outputs, files = new Set()) {
  if (files.has(file) || !outputs[file]) return [...files];
  files.add(file);
  for (const { path } of outputs[file].imports) loadedBy(path, outputs, files);
  return [...files];
}
