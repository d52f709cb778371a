/** Where Kedge keeps its own data outside of editors: sessions and before-images, never in the user's folders. */
import { createHash } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws where nobody says where the user's home is. */
export function storageDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform, home?: string): string {
  if (env.KEDGE_HOME) return resolve(env.KEDGE_HOME);
  const below = (...names: string[]) => join(home ?? homeDirectory(), ...names, 'kedge');
  if (platform === 'darwin') return below('Library', 'Application Support');
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'kedge') : below('AppData', 'Local');
  const data = env.XDG_DATA_HOME;
  return data && isAbsolute(data) ? join(data, 'kedge') : below('.local', 'share');
}

/**
 * The environment's, or else that of the user's account: an empty or relative one would be a place in the workspace. In a container there may
 * be neither.
 */
function homeDirectory(): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const found = look();
      if (isAbsolute(found)) return found;
    } catch {
      // There is no such account.
    }
  }
  throw new Error('Your home folder is not known, so there is no place for sessions. Set KEDGE_HOME to a folder for them.');
}

/** Sessions belong to the folders that they work in: the place for exactly these, given as real paths. */
export function workspaceStorage(directory: string, roots: readonly string[]): string {
  const hash = createHash('sha256').update(roots.join('\0')).digest('hex').slice(0, 12);
  const name = basename(roots[0] ?? '').replace(/[^\w.-]+/g, '_') || 'root';
  return join(directory, 'workspaces', `${name}-${hash}`);
}
