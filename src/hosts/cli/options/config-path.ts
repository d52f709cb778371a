import { join } from 'node:path';
import { configDirectory } from '../../node/storage.ts';
import type { Environment } from './environment.ts';

/** Returns the path of the user's configuration file. @throws Error when the home directory is unknown. */
export function configFile(env?: Environment, platform?: NodeJS.Platform, home?: string): string {
  return join(configDirectory(env, platform, home), 'config.json');
}
