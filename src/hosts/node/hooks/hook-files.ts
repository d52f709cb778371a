/** Reads the files that define hooks: the user's own, and those of the folders. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { type HookFile, MAX_FILE, readHooks, wordsOf } from '../../../hooks/config.ts';

const MAX_SCRIPT = 1_000_000;

/** Returns undefined if there is no such file. A file that cannot be read has a text that is not valid. */
export function readHookFile(path: string, shown = path, folder?: string): HookFile | undefined {
  let text: string;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    // Reading a pipe or a device could wait forever.
    text = !stats.isFile() || stats.size > 4 * MAX_FILE ? 'x'.repeat(MAX_FILE + 1) : readFileSync(path, 'utf8');
  } catch {
    text = '';
  }
  const hash = createHash('sha256').update(text);
  if (folder !== undefined) for (const script of scriptsIn(text, folder)) hash.update(`\0${script.path}\0`).update(script.bytes);
  return { path: shown, text, digest: hash.digest('hex') };
}

/** The files of the folder that the commands name. If one of them changes, the hooks are other hooks. */
function* scriptsIn(text: string, folder: string): Generator<{ path: string; bytes: Uint8Array }> {
  const read = readHooks(text, 'workspace');
  const words = 'hooks' in read ? read.hooks.flatMap(({ command }) => wordsOf(command)) : [];
  const real = realpathSync(folder);
  for (const word of new Set(words)) {
    try {
      const path = realpathSync(resolve(folder, word));
      const stats = statSync(path);
      if (!path.startsWith(real + sep) || !stats.isFile()) continue;
      yield { path, bytes: stats.size > MAX_SCRIPT ? new TextEncoder().encode(`${stats.size} ${stats.mtimeMs}`) : readFileSync(path) };
    } catch {
      // Most words name no file.
    }
  }
}

/** Returns the path of the file in which a folder defines hooks. */
export function workspaceHooks(folder: string): string {
  return join(folder, '.kedge', 'hooks.json');
}
