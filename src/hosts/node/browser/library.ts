/** Where playwright-core is, which controls the browser. It is large, so it is in no package of Kedge. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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

/** Returns the directory of the library, or undefined if it was not set up. In a checkout of Kedge, it is among the dependencies. */
export function findLibrary(data: string): string | undefined {
  const own = join(libraryPlace(data), 'node_modules', LIBRARY.name);
  if (existsSync(own)) return own;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${LIBRARY.name}/package.json`);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
    return version === LIBRARY.version ? dirname(manifest) : undefined;
  } catch {
    return undefined;
  }
}
