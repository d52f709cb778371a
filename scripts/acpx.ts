// Sets up acpx, a client of the Agent Client Protocol by others, for the tests. It is not among the packages of the project, because the
// registries lack some of its optional packages, without which `npm ci` refuses to install anything.
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, exists, freshDirectory } from './editor.ts';
import { npm } from './npm.mjs';

const version = '0.19.1';
const folder = join(cache, `acpx-${version}`);

/** Installs acpx once and returns the path of its program. An interrupted set-up is never used. */
export async function ensureAcpx(log: (line: string) => void = console.log): Promise<string> {
  const program = join(folder, 'node_modules', 'acpx', 'dist', 'cli.js');
  if (await exists(program)) return program;
  log(`Setting up acpx ${version} for the first time ...`);
  const work = await freshDirectory('set-up');
  try {
    await writeFile(join(work, 'package.json'), '{ "private": true }\n');
    await npm(['install', `acpx@${version}`, '--ignore-scripts', '--no-package-lock'], work);
    await rename(work, folder).catch(async (error: unknown) => {
      // Another process may have finished first. Its result is the same.
      if (!(await exists(program))) throw error;
    });
    return program;
  } catch (error) {
    throw new Error(`acpx could not be set up. Check the network and try again. ${(error as Error).message}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
