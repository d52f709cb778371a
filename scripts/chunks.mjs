/**
 * Decides which code is in one chunk. esbuild creates a chunk for each set of entry points that share a file, so a run of the terminal program
 * would load about 60 files, and finding and linking a file takes longer than reading its bytes.
 */
import { resolve } from 'node:path';
import * as esbuild from 'esbuild';

const EXTENSION = 'src/hosts/vscode/extension.ts';
const PANEL = 'src/hosts/vscode/panel/panel-view.ts';
const PROGRAM = 'src/hosts/cli/program.ts';
const RUN = 'src/app/run/build-run.ts';
const ROOT = resolve(import.meta.dirname, '..');

/** Whether both hosts can load a file. */
const isShared = (file) => !/^src.hosts.(cli|vscode)/.test(file);

/**
 * The groups of code, each of which becomes one chunk. A file belongs to the first group that selects it. `reached` returns the files that an
 * entry point loads with itself.
 */
const GROUPS = [
  (reached) => reached(EXTENSION).filter((file) => !file.startsWith('src/hosts/vscode/')),
  (reached) => reached(EXTENSION),
  (reached) => reached('src/app/session/session.ts'),
  (reached) => [...reached(PROGRAM), ...intersection(reached(PANEL), reached(RUN))].filter(isShared),
  (reached) => reached(PROGRAM),
  (reached) => reached(PANEL).filter(isShared),
  (reached) => reached(PANEL),
  (reached) => reached(RUN),
  (reached) => intersection(reached('src/providers/openai/index.ts'), reached('src/providers/anthropic/index.ts')),
];

/**
 * Returns a plug-in by which each entry point, also one behind an `import()`, that loads a file of a group loads the complete group.
 * @param options of the build, with its entry points and plug-ins
 */
export async function chunkGroups(options) {
  const { metafile } = await esbuild.build({ ...options, write: false, metafile: true, minify: false, sourcemap: false });
  const { inputs } = metafile;
  const reached = (file) => [...filesFrom(file, inputs)];
  const groupOf = new Map();
  for (const select of GROUPS)
    for (const file of select(reached)) if (/^(src.|node:)/.test(file) && !groupOf.has(file)) groupOf.set(file, select);
  return {
    name: 'chunk-groups',
    setup(build) {
      build.onResolve({ filter: /^\.{0,2}\/?.*\.ts$/ }, ({ kind, path, resolveDir }) =>
        ['dynamic-import', 'entry-point'].includes(kind) ? { path: resolve(resolveDir, path), namespace: 'entry' } : undefined,
      );
      build.onLoad({ filter: /^/, namespace: 'entry' }, ({ path }) => {
        const file = path.slice(ROOT.length + 1).replaceAll('\\', '/');
        const loaded = new Set();
        // A group may load files of further groups.
        for (let size = -1; size < loaded.size; ) {
          size = loaded.size;
          const needed = new Set([file, ...loaded].flatMap(reached).map((each) => groupOf.get(each)));
          for (const [each, group] of groupOf) if (needed.has(group)) loaded.add(each);
        }
        const lines = [
          ...[...loaded].map((each) => `import '${each.startsWith('node:') ? each.slice(5) : `./${each}`}';`),
          `export * from './${file}';`,
        ];
        return { contents: lines.join('\n'), resolveDir: ROOT };
      });
    },
  };
}

/** Returns a file and everything that it imports, except with `import()`. */
function filesFrom(file, inputs, files = new Set()) {
  if (files.has(file) || !inputs[file]) return files;
  files.add(file);
  for (const { path, kind } of inputs[file].imports) if (kind !== 'dynamic-import') filesFrom(path, inputs, files);
  return files;
}

function intersection(first, second) {
  return first.filter((file) => second.includes(file));
}
