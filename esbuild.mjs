// Builds all bundles into dist/: the extension and the terminal program with their shared chunks, and the panel. With --watch it builds
// again after each change. --watch and --debug keep the code readable and write source maps.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { notices } from './scripts/notices.mjs';
import { panelBundles } from './scripts/panel-build.mjs';
import { readmeForExtension } from './scripts/readme.mjs';

const watch = process.argv.includes('--watch');
const debug = watch || process.argv.includes('--debug');

const wasm = [
  'web-tree-sitter/web-tree-sitter.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
];

/** The licenses of the packages in the bundles. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/**
 * Code behind an `import()` shares files with the code that is loaded at the start. esbuild creates a chunk for each set of entries that share
 * a file, so dozens of chunks would be read, which takes longer than reading their bytes. With this plug-in, the lazy parts of a group import
 * all of the code that the group shares, which then becomes one chunk.
 */
const lazyParts = {
  name: 'lazy-parts',
  setup(build) {
    build.onResolve({ filter: /^\.{0,2}\/?.*\.ts$/ }, ({ kind, path, resolveDir }) =>
      ['dynamic-import', 'entry-point'].includes(kind) ? { path: resolve(resolveDir, path), namespace: 'lazy' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'lazy' }, ({ path }) => {
      const file = path.slice(import.meta.dirname.length + 1).replaceAll('\\', '/');
      const lines = [...sharedBy(file).map((shared) => `import './${shared}';`), `export * from './${file}';`];
      return { contents: lines.join('\n'), resolveDir: import.meta.dirname };
    });
  },
};

/** The code that the extension loads at activation, and the terminal program at its start. */
const ALWAYS = [
  'src/app/assistant.ts',
  'src/app/context/surroundings-parts.ts',
  'src/app/limits.ts',
  'src/app/models/models.ts',
  'src/core/bytes.ts',
  'src/core/context/window.ts',
  'src/core/growing-text.ts',
  'src/core/model/images.ts',
  'src/core/modes.ts',
  'src/core/plan/plan.ts',
  'src/core/plan/progress.ts',
  'src/core/run/hunk-revision.ts',
  'src/core/session/events.ts',
  'src/core/view/run-view.ts',
  'src/core/words/call-text.ts',
  'src/core/words/visible-text.ts',
  'src/hosts/node/commands/process-group.ts',
  'src/hosts/node/files/file-system.ts',
  'src/hosts/node/storage.ts',
  'src/hosts/node/telemetry/run-traces.ts',
  'src/providers/headers.ts',
  'src/providers/tool-calls.ts',
  'src/sessions/blobs.ts',
  'src/sessions/ledger.ts',
  'src/sessions/store.ts',
  'src/sessions/windows.ts',
];
/** The code of sessions, which the panel, the Chat and runs share. */
const FOR_SESSIONS = [...ALWAYS, 'src/app/session/session.ts'];
/** The code that runs share with the adapters, the views of the editor and the terminal program. */
const FOR_WORK = [
  ...FOR_SESSIONS,
  'src/app/run/cost.ts',
  'src/core/plan/schema.ts',
  'src/core/view/approval-details.ts',
  'src/core/view/plan-details.ts',
  'src/core/words/budget-text.ts',
  'src/core/words/plan-text.ts',
  'src/policy/rules.ts',
  'src/providers/event-stream.ts',
  'src/providers/exchange.ts',
  'src/providers/listing.ts',
  'src/providers/server.ts',
  'src/workspace/apply-revision.ts',
  'src/workspace/changes.ts',
  'src/workspace/text-edits.ts',
  'src/workspace/types.ts',
  'src/workspace/workspace.ts',
];
const FOR_RUNS = [...FOR_WORK, 'src/app/run/build-run.ts'];
/** The code that a group of files shares. For each file, the longest matching prefix of its path applies. */
const SHARED = {
  'src/': ALWAYS,
  'src/app/facts/': FOR_RUNS,
  'src/app/mentions/': FOR_RUNS,
  'src/app/run/': FOR_WORK,
  'src/hosts/cli/': [...FOR_WORK, 'src/hosts/cli/program.ts'],
  'src/hosts/cli/servers/mcp.ts': [...FOR_RUNS, 'src/hosts/cli/program.ts'],
  'src/hosts/cli/program.ts': FOR_WORK,
  'src/hosts/mcp-server/': [...FOR_RUNS, 'src/hosts/cli/program.ts'],
  'src/hosts/vscode/': [...ALWAYS, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/extension.ts': ALWAYS,
  'src/hosts/vscode/attention/': [...FOR_SESSIONS, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/chat/': [...FOR_WORK, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/models/': [...FOR_WORK, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/offers/reading-tools.ts': [...FOR_RUNS, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/panel/': [...FOR_WORK, 'src/hosts/vscode/extension.ts'],
  'src/hosts/vscode/work-ports.ts': [...FOR_WORK, 'src/hosts/vscode/extension.ts'],
  'src/mcp/': FOR_WORK,
  'src/offline/': FOR_WORK,
  'src/policy/': FOR_RUNS,
  'src/providers/': FOR_WORK,
  'src/text-tools/': FOR_WORK,
  'src/workspace/': FOR_WORK,
};
function sharedBy(file) {
  const names = Object.keys(SHARED).filter((name) => file.startsWith(name));
  return SHARED[names.sort((a, b) => b.length - a.length)[0]];
}

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
      return isOwn ? { path, namespace: 'node', sideEffects: false } : undefined;
    });
    build.onLoad({ filter: /^/, namespace: 'node' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => name !== 'default' && /^[A-Za-z_]\w*$/.test(name));
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      return { contents: [`const builtin = require('${path}');`, 'export default builtin;', ...exported].join('\n') };
    });
  },
};

/** The adapters send their requests by path, so the SDK of OpenAI is bundled without its resources, which are half of its code. */
const withoutResources = {
  name: 'without-resources',
  setup(build) {
    build.onResolve({ filter: /^\.\/resources\// }, ({ importer }) =>
      /openai.client\.mjs$/.test(importer) ? { path: importer, namespace: 'resources' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'resources' }, async ({ path }) => {
      const client = await readFile(path, 'utf8');
      const imported = [...client.matchAll(/^import \{(.*?)\} from "\.\/resources\//gm)].flatMap(([, names]) => names.split(','));
      const used = [...client.matchAll(/\bAPI\.(\w+)/g)].map(([, name]) => name);
      const names = new Set([...imported.map((name) => name.trim().split(' ')[0]), ...used]);
      return {
        contents: [...names]
          .filter(Boolean)
          .map((name) => `export class ${name} {}`)
          .join('\n'),
      };
    });
  },
};

// CommonJS packages and the plug-in above load Node's modules with `require`, which ES modules do not have. Node 20.16 has a faster way.
const banner = {
  js: [
    "import{createRequire as kedgeCreateRequire}from'node:module';",
    'const require=(name)=>process.getBuiltinModule?.(name)??kedgeCreateRequire(import.meta.url)(name);',
  ].join(''),
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
    entryPoints: { extension: 'src/hosts/vscode/extension.ts', program: 'src/hosts/cli/program.ts' },
    chunkNames: '[name]-[hash]',
    // VS Code provides `vscode`. The keychain library is native and optional; without it, keys cannot be stored in the keychain.
    external: ['vscode', '@napi-rs/keyring'],
    plugins: [nodeModules, withoutResources, lazyParts],
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
    plugins: [nodeModules, programApart],
  },
  // It is copied out of the extension, so it is one file.
  { ...common, platform: 'node', format: 'esm', target: 'node20', entryPoints: { launcher: 'src/hosts/vscode/program/launcher.ts' } },
  ...panelBundles.map((bundle) => ({ ...common, ...bundle })),
];

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await Promise.all(wasm.map((file) => copyFile(`node_modules/${file}`, `dist/${basename(file)}`)));
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
    ...loadedBy('dist/program.js', metafile.outputs).map((file) => basename(file)),
    ...wasm.map((file) => basename(file)),
    NOTICES,
  ];
  await writeFile('dist/.npmignore', ['*', ...files.map((file) => `!${file}`), ''].join('\n'));
}

/** Returns a built file with everything that it imports, also with `import()`. */
function loadedBy(file, outputs, files = new Set()) {
  if (files.has(file) || !outputs[file]) return [...files];
  files.add(file);
  for (const { path } of outputs[file].imports) loadedBy(path, outputs, files);
  return [...files];
}
