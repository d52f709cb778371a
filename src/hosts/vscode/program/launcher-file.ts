/** Writes and deletes the script that starts the terminal program of the extension. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** `node` is the program that runs the extension host, and `copy` is where the code of the launcher is kept outside the extension. */
export type LauncherParts = { extension: string; node: string; copy: string };

/** Only a file with these words is replaced or deleted. */
const MARK = "created by Kedge for VS Code; the command Kedge: Uninstall 'kedge' Command deletes it";

export function launcherIn(folder: string, platform: NodeJS.Platform = process.platform): string {
  return join(folder, platform === 'win32' ? 'kedge.cmd' : 'kedge');
}

/** Returns whose file is at a path: `none` if there is no file. */
export function ownerOf(file: string): 'kedge' | 'other' | 'none' {
  try {
    return readFileSync(file, 'utf8').includes(MARK) ? 'kedge' : 'other';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'other';
  }
}

/** Writes the launcher and the code that it runs. @throws Error if the file belongs to another program, or cannot be written */
export function writeLauncher(file: string, parts: LauncherParts, platform: NodeJS.Platform = process.platform): void {
  if (ownerOf(file) === 'other') throw new Error(`${file} was not created by Kedge, so it was not replaced.`);
  mkdirSync(resolve(parts.copy, '..'), { recursive: true });
  copyFileSync(join(parts.extension, 'dist', 'launcher.js'), parts.copy);
  mkdirSync(resolve(file, '..'), { recursive: true });
  const incomplete = `${file}.${process.pid}.new`;
  try {
    writeFileSync(incomplete, platform === 'win32' ? windowsScript(parts) : shellScript(parts), { mode: 0o755, flag: 'wx' });
    renameSync(incomplete, file);
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw error;
  }
}

/** Returns false if there is no file. @throws Error if the file belongs to another program, or cannot be deleted */
export function deleteLauncher(file: string, copy: string): boolean {
  const owner = ownerOf(file);
  if (owner === 'other') throw new Error(`${file} was not created by Kedge, so it was not deleted.`);
  rmSync(file, { force: true });
  rmSync(copy, { force: true });
  return owner === 'kedge';
}

/** Returns true if the shell finds programs in the folder. */
export function isOnPath(folder: string, path: string | undefined = process.env.PATH): boolean {
  return (path ?? '').split(delimiter).some((entry) => entry !== '' && resolve(entry) === resolve(folder));
}

function shellScript({ extension, node, copy }: LauncherParts): string {
  // The path of a remote server contains the version of VS Code, so each version matches. The last match is used.
  const nodes = node
    .split(/(?<=[/-])[\da-f]{40}(?=\/)/)
    .map(shellWord)
    .join('*');
  return `#!/bin/sh
# ${MARK}
node=
for each in ${nodes}; do
  if [ -x "$each" ]; then node=$each; fi
done
if [ -z "$node" ]; then node=$(command -v node); fi
if [ -z "$node" ]; then
  echo "kedge: VS Code was moved or removed, and there is no node on the PATH. Run the command Kedge: Install 'kedge' Command again." >&2
  exit 1
fi
ELECTRON_RUN_AS_NODE=1 exec "$node" ${shellWord(copy)} ${shellWord(extension)} "$@"
`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The lines of a .cmd file end with CRLF. `%` begins a variable, so it is doubled. */
function windowsScript({ extension, node, copy }: LauncherParts): string {
  const word = (text: string) => `"${text.replaceAll('%', '%%')}"`;
  const isAscii = /^[\x20-\x7e]*$/.test(extension + node + copy);
  return [
    '@echo off',
    `rem ${MARK}`,
    'setlocal',
    ...(isAscii ? [] : ['chcp 65001 >nul']),
    `set "KEDGE_NODE=${node.replaceAll('%', '%%')}"`,
    'if not exist "%KEDGE_NODE%" set "KEDGE_NODE=node"',
    'set "ELECTRON_RUN_AS_NODE=1"',
    `"%KEDGE_NODE%" ${word(copy)} ${word(extension)} %*`,
    'exit /b %ERRORLEVEL%',
    '',
  ].join('\r\n');
}
