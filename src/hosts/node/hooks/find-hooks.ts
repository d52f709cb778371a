import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HooksPort } from '../../../app/ports.ts';
import { userFolder } from '../user-files.ts';
import type { HookPlaces } from './index.ts';

/** Returns the hooks, or undefined if no file defines any. */
export async function findHooks(places: HookPlaces): Promise<HooksPort | undefined> {
  const { folders, env } = places;
  const files = [join(userFolder(env), 'hooks.json'), ...folders.map((folder) => join(folder, '.kedge', 'hooks.json'))];
  return files.some((file) => existsSync(file)) ? (await import('./index.ts')).nodeHooks(places) : undefined;
}
