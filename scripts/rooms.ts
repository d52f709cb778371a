/**
 * The rooms of the source tree, and the imports that each of them may have. `npm run check` runs this file as a program: it reads every
 * source file and fails if a room imports something that is not listed for it, if files import each other in a circle, or if a file or
 * folder is too large.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const BELOW_APP = [
  ...[
    'src/agents',
    'src/core',
    'src/documents',
    'src/hooks',
    'src/mcp',
    'src/policy',
    'src/providers',
    'src/sessions',
    'src/tools',
    'src/workspace',
  ],
];

/**
 * A room may import its own files and the entries listed here: other rooms, single files of other rooms, npm packages, `node:*` (Node's own
 * modules) and `vscode`.
 * `src/core/*` stands for the files directly in that folder. A file belongs to the innermost room around it.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/core': [],
  'src/core/model': ['src/core/*'],
  'src/core/context': ['src/core/*', 'src/core/model'],
  'src/core/plan': ['src/core/*', 'src/core/model', 'src/core/session', 'zod'],
  'src/core/session': ['src/core/*', 'src/core/model', 'src/core/context', 'src/core/plan'],
  'src/core/words': ['src/core/*', 'src/core/model', 'src/core/context', 'src/core/plan', 'src/core/session'],
  'src/core/view': ['src/core/*', 'src/core/model', 'src/core/context', 'src/core/plan', 'src/core/session', 'src/core/words'],
  'src/core/insights': ['src/core/*', 'src/core/model', 'src/core/context', 'src/core/session', 'src/core/words'],
  'src/core/compaction': ['src/core/*', 'src/core/model', 'src/core/context', 'src/core/plan', 'src/core/session', 'src/core/words'],
  'src/core/run': ['src/core', 'zod'],
  'src/protocol': ['src/core', 'zod'],
  'src/policy': ['src/core', 'zod'],
  'src/workspace': ['src/core', 'node:crypto', 'diff', 'ignore'],
  'src/providers': [
    ...['src/core', 'node:http', 'node:https', 'node:stream', 'node:zlib', 'src/offline/index.ts', 'src/text-tools/index.ts'],
    ...['@anthropic-ai/sdk', '@google/genai', 'ollama', 'openai'],
  ],
  'src/agents': ['src/core', 'src/policy', 'src/workspace', 'js-yaml'],
  'src/hooks': ['src/core', 'src/policy', 'zod'],
  'src/text-tools': ['src/core', 'src/providers/errors.ts', 'src/providers/tool-calls.ts', 'js-yaml'],
  'src/offline': ['src/core', 'src/documents/*', 'src/providers/types.ts'],
  'src/tools': ['src/core', 'src/documents/*', 'src/policy', 'src/workspace', 'diff', 'zod'],
  'src/mcp': ['src/core', 'src/policy', 'src/workspace', '@modelcontextprotocol/sdk', 'zod'],
  'src/sessions': ['src/core', 'src/workspace', 'node:*'],
  'src/documents': ['src/core', 'src/workspace'],
  'src/documents/chunks': ['src/core', 'src/documents'],
  'src/documents/index': ['src/core', 'src/documents', 'src/sessions', 'node:*', '@orama/stemmers', 'node-sqlite3-wasm'],
  'src/documents/embeddings': ['src/core', 'src/documents', 'src/sessions', 'node:*', 'node-sqlite3-wasm'],
  'src/documents/store': ['src/core', 'src/documents', 'src/sessions', 'node:*'],
  'src/documents/formats': ['src/documents/*', 'node:v8', 'node:zlib', 'htmlparser2', 'unpdf'],
  'src/app': BELOW_APP,
  'src/hosts/node': [
    ...[...BELOW_APP, 'src/app', 'src/documents'],
    ...['node:*', '@napi-rs/keyring', 'cross-spawn', 'ignore', 'web-tree-sitter', 'zod'],
  ],
  // The library is not in the packages, so only its types are imported.
  'src/hosts/node/browser': ['src/core', 'src/sessions', 'src/tools', 'src/hosts/node', 'node:*', 'cross-spawn', 'playwright-core'],
  'src/hosts/node/telemetry': [
    ...['src/app', 'src/core', '@opentelemetry/api', '@opentelemetry/otlp-exporter-base', '@opentelemetry/otlp-transformer'],
    ...['@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  ],
  'src/hosts/acp': [...BELOW_APP, 'src/app', 'src/hosts/node', 'node:*', '@agentclientprotocol/sdk'],
  'src/hosts/mcp-server': [...BELOW_APP, 'src/app', 'node:crypto', 'node:http', 'node:stream', '@modelcontextprotocol/sdk', 'zod'],
  'src/hosts/cli': [
    ...[...BELOW_APP, 'src/app', 'src/hosts/acp', 'src/hosts/mcp-server', 'src/hosts/node', 'node:*'],
    ...['@cfworker/json-schema', 'get-east-asian-width', 'marked', 'zod'],
  ],
  'src/hosts/vscode': [...BELOW_APP, 'src/app', 'src/hosts/node', 'src/protocol', 'node:*', 'vscode'],
  'webview-ui': ['src/core', 'src/protocol', 'webview-ui/lazy', '@vscode/codicons', 'marked', 'preact'],
  'webview-ui/lazy': ['highlight.js', 'katex', 'mermaid', 'uplot'],
};

const MAX_FILES = 20;
const MAX_LINES = 300;

export type SourceFile = { path: string; text: string };

/** Returns one sentence for each violation. */
export function problemsIn(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  return [...forbiddenImports(imports), ...circles(imports), ...tooLarge(files)];
}

type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Returns everything that a file imports, including types and `import()`: files are given by their paths from the root, and packages by
 * their names.
 */
function importsOf({ path, text }: SourceFile): string[] {
  if (!/\.tsx?$/.test(path)) return [];
  const specifiers = text.matchAll(/^(?:import|export)\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm);
  const all = [...specifiers].map(([, from, alone, call]) => from ?? alone ?? call ?? '');
  return [...new Set(all)].map((specifier) => {
    if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
    return specifier.startsWith('node:') ? specifier : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  });
}

function* forbiddenImports(imports: Imports): Generator<string> {
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    if (room === undefined) yield `${file} belongs to no room. Add its folder to the table in scripts/rooms.ts.`;
    for (const target of targets) {
      // Files such as package.json are not source files and belong to no room.
      if (room === undefined || /\.(json|css)$/.test(target)) continue;
      if (roomOf(target) === room || (ROOMS[room] ?? []).some((entry) => covers(entry, target))) continue;
      yield `${file} imports ${target}, but ${room} may import only ${ROOMS[room]?.join(', ') || 'itself'}.`;
    }
  }
}

function roomOf(path: string): string | undefined {
  const around = Object.keys(ROOMS).filter((room) => path.startsWith(`${room}/`));
  return around.sort((a, b) => b.length - a.length)[0];
}

function covers(entry: string, target: string): boolean {
  if (entry === 'node:*') return target.startsWith('node:');
  if (entry.endsWith('/*')) return posix.dirname(target) === entry.slice(0, -2);
  return target === entry || target.startsWith(`${entry}/`);
}

/** Follows all imports depth first. A file that is reached again while its own imports are being followed is part of a circle. */
function circles(imports: Imports): string[] {
  const problems: string[] = [];
  const visited = new Set<string>();
  const path: string[] = [];
  const walk = (file: string) => {
    const start = path.indexOf(file);
    if (start >= 0) problems.push(`These files import each other in a circle: ${[...path.slice(start), file].join(' → ')}.`);
    if (start >= 0 || visited.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) if (imports.has(target)) walk(target);
    path.pop();
    visited.add(file);
  };
  for (const file of imports.keys()) walk(file);
  return problems;
}

function* tooLarge(files: readonly SourceFile[]): Generator<string> {
  const counts = new Map<string, number>();
  for (const { path, text } of files) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    const lines = text.split('\n').length - 1;
    if (lines > MAX_LINES) yield `${path} has ${lines} lines, and ${MAX_LINES} are allowed: split it by subject.`;
  }
  for (const [folder, count] of counts)
    if (count > MAX_FILES) yield `${folder} has ${count} source files, and ${MAX_FILES} are allowed: make folders by subject.`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const paths = globSync('{src,webview-ui}/**/*.{ts,tsx,css}', { cwd: root }).sort();
  const problems = problemsIn(paths.map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') })));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
