// `npm run package`: builds Kedge, packs the extension (dist/kedge.vsix) and the npm package of the terminal program (dist/kedge-VERSION.tgz)
// from the same build, and checks both. Other scripts only build and pack the extension, unless it was already built from the same sources.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkExtension, checkProgram } from './check-packages.ts';
import { root } from './editor.ts';
import { npm } from './npm.mjs';

const inputs = [
  'src',
  'webview-ui',
  'media',
  'package.json',
  'package-lock.json',
  'esbuild.mjs',
  'scripts/codicons.mjs',
  'scripts/notices.mjs',
  'scripts/panel-build.mjs',
  'scripts/readme.mjs',
  'scripts/sdk-parts.mjs',
  '.vscodeignore',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];
/** Contains the fingerprint of the packed sources. Every build empties dist/, so the extension is packed again after any other build. */
const stampFile = join(root, 'dist', 'packed-from');
export const vsix = join(root, 'dist', 'kedge.vsix');

/** Resolves to the path of the package, or rejects with the output of the tool that failed. */
export async function packageExtension(log: (line: string) => void = console.log): Promise<string> {
  const stamp = await fingerprint();
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return vsix;
  log('Building and packing the extension ...');
  await run('esbuild.mjs');
  await packExtension(vsix);
  await writeFile(stampFile, stamp);
  return vsix;
}

/** Packs the extension from dist/ into a file. */
export function packExtension(to: string): Promise<void> {
  const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--readme-path', 'dist/README.md'];
  return run('node_modules/@vscode/vsce/vsce', 'package', ...options, '--out', to);
}

/** Packs the terminal program from dist/ into a folder, and resolves to the path of the npm package. */
export async function packProgram(folder: string): Promise<string> {
  const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root);
  const [, name] = /"filename":\s*"([^"]+)"/.exec(packed) ?? [];
  if (!name) throw new Error(`npm pack did not name its file:\n${packed}`);
  return join(folder, name);
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of (await Promise.all(inputs.map(filesOf))).flat()) {
    hash.update(path).update(await readFile(join(root, path)));
  }
  return hash.digest('hex');
}

/** Lists the files of an input, which may be a file, a folder or missing, in a fixed order. */
async function filesOf(input: string): Promise<string[]> {
  const entries = await readdir(join(root, input), { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (entries === 'ENOENT') return [];
  if (!Array.isArray(entries)) return [input];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** Runs a Node script. Its output is shown only if it fails. */
function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${args.slice(0, 2).join(' ')} failed:\n${output.trim().split('\n').slice(0, 30).join('\n')}`)),
    );
  });
}

if (import.meta.main) {
  const extension = await packageExtension();
  console.log(await checkExtension(extension));
  console.log(await checkProgram(await packProgram(join(root, 'dist'))));
}
