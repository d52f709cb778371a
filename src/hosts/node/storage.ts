/** Where Kedge keeps its own data outside of editors: sessions and before-images, never in the user's folders. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export function storageDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform, home = homedir()): string {
  if (env.KEDGE_HOME) return env.KEDGE_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'kedge');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'kedge');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'kedge');
}

/** Sessions belong to the folders that they work in: the place for exactly these, given as real paths. */
export function workspaceStorage(directory: string, roots: readonly string[]): string {
  const hash = createHash('sha256').update(roots.join('\0')).digest('hex').slice(0, 12);
  const name = basename(roots[0] ?? '').replace(/[^\w.-]+/g, '_') || 'root';
  return join(directory, 'workspaces', `${name}-${hash}`);
}
