import { join } from 'node:path';
import { configDirectory } from './storage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the user's configuration file. @throws Error when the home directory is unknown. */
export function configFile(env?: Environment, platform?: NodeJS.Platform, home?: string): string {
  return join(configDirectory(env, platform, home), 'config.json');
}
