/** Where playwright-core is, which controls the browser. It is large, so it is in no package of Kedge. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The only version that is used, and the digest of its package. */
export const LIBRARY = {
  name: 'playwright-core',
  version: '1.65.1',
  integrity: 'sha512-hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw==',
} as const;

export type Library = { name: string; version: string; integrity: string };

/** Returns the directory into which the set-up puts the library. `data` is the directory of Kedge's data. */
export function libraryPlace(data: string, { name, version }: Library = LIBRARY): string {
  return join(data, 'browser', `${name}-${version}`);
}

/**
 * Returns the directory of the library, or undefined if it was not set up. In a checkout of Kedge, it is among the dependencies. Folders
 * above Kedge are not searched, as `import` would do it, because others may write there. `module` is the address of the code of Kedge.
 */
export function findLibrary(data: string, module = import.meta.url): string | undefined {
  const own = join(libraryPlace(data), 'node_modules', LIBRARY.name);
  if (existsSync(own)) return own;
  try {
    // The bundles are in dist/, but not in tests.
    const root = fileURLToPath(new URL(module.endsWith('.ts') ? '../../../../' : '../', module));
    const directory = join(root, 'node_modules', LIBRARY.name);
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version?: unknown };
    return version === LIBRARY.version ? directory : undefined;
  } catch {
    return undefined;
  }
}
