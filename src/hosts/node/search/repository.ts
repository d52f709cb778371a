import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Returns the root of the git repository that contains the folder, because ignore files apply from that root down. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await stat(join(at, '.git')).then(Boolean, () => false)) return at;
    if (dirname(at) === at) return undefined;
  }
}
