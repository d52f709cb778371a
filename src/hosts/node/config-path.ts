import { isAbsolute, join } from 'node:path';
import { homeDirectory, storageDirectory } from './storage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the user's configuration file. @throws Error when the home directory is unknown. */
export function configFile(env: Environment = process.env, platform: NodeJS.Platform = process.platform, home?: string): string {
  const config = env.XDG_CONFIG_HOME;
  const isXdg = !env.KEDGE_HOME && platform !== 'darwin' && platform !== 'win32';
  if (!isXdg) return join(storageDirectory(env, platform, home), 'config.json');
  return join(config && isAbsolute(config) ? config : join(home ?? homeDirectory(), '.config'), 'kedge', 'config.json');
}
