import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRipgrep } from '../../../../src/hosts/node/search/ripgrep.ts';

/** Creates a temporary folder with these files, which is removed after the test. */
export async function folderOf(files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kedge-node-')));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

export const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/** Returns the ripgrep of the test editor or of the system. Without either, its tests are skipped. */
export function anyRipgrep(): Promise<string | undefined> {
  const editor = join(import.meta.dirname, '../../../../.vscode-test/code-server-4.139.1/node_modules/@vscode/ripgrep-universal/bin');
  return findRipgrep([process.env.KEDGE_RIPGREP ?? '', join(editor, `${process.platform}-${process.arch}`, 'rg')]);
}
