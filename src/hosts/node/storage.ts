/**
 * Returns the directories for Kedge's data that do not belong to an editor: sessions, and file contents for undo. They are never in the
 * user's folders.
 */
import { createHash } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Error when the home directory is unknown. */
export function storageDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform, home?: string): string {
  if (env.KEDGE_HOME) return resolve(env.KEDGE_HOME);
  const below = (...names: string[]) => join(home ?? homeDirectory(), ...names, 'kedge');
  if (platform === 'darwin') return below('Library', 'Application Support');
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'kedge') : below('AppData', 'Local');
  const data = env.XDG_DATA_HOME;
  return data && isAbsolute(data) ? join(data, 'kedge') : below('.local', 'share');
}

/** Returns the directory of the user's configuration file and agents. @throws Error when the home directory is unknown. */
export function configDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform, home?: string): string {
  const config = env.XDG_CONFIG_HOME;
  const isXdg = !env.KEDGE_HOME && platform !== 'darwin' && platform !== 'win32';
  if (!isXdg) return storageDirectory(env, platform, home);
  return join(config && isAbsolute(config) ? config : join(home ?? homeDirectory(), '.config'), 'kedge');
}

/**
 * Returns HOME, or else the home directory of the account. An empty or relative path is skipped, because it would be inside the workspace.
 * In a container, both may be missing.
 */
export function homeDirectory(): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const directory = look();
      if (isAbsolute(directory)) return directory;
    } catch {
      // Node throws an error if the account does not exist.
    }
  }
  throw new Error('Your home folder is unknown, so sessions cannot be stored. Set KEDGE_HOME to a folder for them.');
}

/** Returns the storage directory of a workspace. A session belongs to the exact set of folders it works in, given as real paths. */
export function workspaceStorage(directory: string, roots: readonly string[]): string {
  const hash = createHash('sha256').update(roots.join('\0')).digest('hex').slice(0, 12);
  const name = basename(roots[0] ?? '').replace(/[^\w.-]+/g, '_') || 'root';
  return join(directory, 'workspaces', `${name}-${hash}`);
}
