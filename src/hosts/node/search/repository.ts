import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The top of the git repository that the folder is, or is a part of: ignore files count from there down. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await stat(join(at, '.git')).then(Boolean, () => false)) return at;
    if (dirname(at) === at) return undefined;
  }
}
