// Installs the packages into new folders, checks that they contain only what runs, and starts the terminal program of each.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { installVsix, root } from './editor.ts';
import { npm } from './npm.mjs';

type Contents = { name: string; files: RegExp; maxBytes: number };

export const PROGRAM: Contents = {
  name: 'The npm package',
  files: /^(package\.json|README\.md|LICENSE|dist\/([\w-]+\.(js|wasm\.br)|THIRD-PARTY-NOTICES\.txt))$/,
  // The readers of document formats take 550,000 bytes of this and of the extension, and the index of documents 410,000.
  maxBytes: 2_060_000,
};
const EXTENSION: Contents = {
  name: 'The extension',
  // VS Code adds its own manifest when it installs the package.
  files:
    /^(package\.json|readme\.md|changelog\.md|LICENSE\.txt|\.vsixmanifest|dist\/([\w-]+\.(js|wasm\.br|css|woff2)|THIRD-PARTY-NOTICES\.txt)|media\/([\w/-]+\.(png|svg|webp)|hooks\.schema\.json))$/,
  maxBytes: 2_970_000,
};

const SECRETS: readonly [what: string, pattern: RegExp][] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[\w+/=]{40}/],
  [
    'a key of a service',
    /\b(?:sk-(?:ant-|proj-)?[\w-]{32,}|gh[pousr]_\w{36}|github_pat_\w{60}|npm_\w{36}|AIza[\w-]{35}|AKIA[A-Z\d]{16})\b/,
  ],
  ['a source map', /\/\/# sourceMappingURL=/],
];

/** Resolves to a sentence about the package. @throws Error that lists the problems of the package */
export async function checkExtension(vsix: string): Promise<string> {
  return inNewFolder(async (folder) => {
    const extensions = join(folder, 'extensions');
    await installVsix(vsix, { data: join(folder, 'data'), extensions });
    const [installed] = (await readdir(extensions)).filter((name) => /^kedge\.kedge-/.test(name));
    const place = join(extensions, installed ?? '');
    const size = await checkContents(EXTENSION, place, vsix);
    const readme = await readFile(join(place, 'readme.md'), 'utf8');
    // VS Code shows only pictures that have a web address (see readme.mjs).
    if (/!\[|<img|<picture/.test(readme)) throw new Error('The README of the extension contains a picture, which VS Code would not show.');
    await tryProgram(process.execPath, [join(place, 'dist', 'kedge.js')], folder);
    return `${vsix}: ${size}, installs in VS Code, and its kedge runs.`;
  });
}

/** Resolves to a sentence about the package. @throws Error that lists the problems of the package */
export async function checkProgram(archive: string): Promise<string> {
  return inNewFolder(async (folder) => {
    // The keychain library is the only dependency. It is optional, so it may be missing from the cache of npm.
    await npm(['install', '--global', '--prefix', folder, '--offline', archive], folder);
    const isWindows = process.platform === 'win32';
    const size = await checkContents(PROGRAM, join(folder, isWindows ? '' : 'lib', 'node_modules', 'kedge'), archive);
    await tryProgram(join(folder, isWindows ? 'kedge.cmd' : 'bin/kedge'), [], folder);
    return `${archive}: ${size}, installs with npm, and its kedge runs.`;
  });
}

async function checkContents(contents: Contents, place: string, archive: string): Promise<string> {
  const { name, maxBytes } = contents;
  const problems = await problemsOf(contents, place);
  const { size } = await stat(archive);
  if (size > maxBytes) problems.push(`It has ${size.toLocaleString('en')} bytes, and ${maxBytes.toLocaleString('en')} are allowed.`);
  if (problems.length > 0) throw new Error(`${name} has problems:\n${problems.join('\n')}`);
  return `${(await filesIn(place)).length} files, ${size.toLocaleString('en')} bytes`;
}

/** Returns one sentence for each file that must not be in a package, or that contains what must not be in it. */
export async function problemsOf({ files }: Pick<Contents, 'files'>, place: string): Promise<string[]> {
  const problems: string[] = [];
  for (const path of await filesIn(place)) {
    const file = relative(place, path).replaceAll('\\', '/');
    if (!files.test(file)) problems.push(`${file} does not belong into the package.`);
    const text = await readFile(path, 'latin1');
    for (const [what, pattern] of SECRETS) if (pattern.test(text)) problems.push(`${file} contains ${what}.`);
    // A path of the computer that built the package names its user.
    if ([root, homedir()].some((folder) => folder.length > 5 && text.includes(folder))) problems.push(`${file} contains a local path.`);
  }
  return problems;
}

async function filesIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // npm adds the keychain library, if it can be installed.
  return paths.filter((path) => !relative(place, path).startsWith(join('node_modules', '@napi-rs')));
}

/** Runs the program with the offline model in a folder with one file. @throws Error if its output is wrong */
async function tryProgram(command: string, before: readonly string[], folder: string): Promise<void> {
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'tide.ts'), 'export const draught = 3;\n');
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^KEDGE_/.test(name)));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  for (const [args, expected] of [
    [['--version'], version],
    [['--help'], 'kedge ask'],
    [['ask', 'Where is draught defined?'], 'tide.ts:1'],
  ] as const) {
    const { stdout } = await promisify(execFile)(command, [...before, ...args], {
      cwd: workspace,
      env: { ...clean, KEDGE_HOME: join(folder, 'home') },
      // A .cmd file, which npm creates on Windows, needs a shell.
      shell: command.endsWith('.cmd'),
    });
    if (!stdout.includes(expected)) throw new Error(`kedge ${args[0]} printed:\n${stdout}`);
  }
}

async function inNewFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-package-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
