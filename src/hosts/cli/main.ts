#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { makeDirectory } from '../../sessions/directory.ts';
import { storageDirectory } from '../node/storage.ts';

/** The build replaces this by the version. */
declare const KEDGE_VERSION: string;

const [first = '', ...others] = process.argv.slice(2);
if (/^(--version|-v)$/.test(first) && others.length === 0) {
  // The program is not loaded for this, so it takes hardly longer than starting Node.
  process.stdout.write(`${KEDGE_VERSION}\n`);
  process.exit();
}

try {
  const cache = join(storageDirectory(), 'compile-cache');
  // Node would also create the directory, but would retry forever if that fails.
  makeDirectory(cache);
  // Node 20 has no `enableCompileCache`.
  module.enableCompileCache?.(cache);
} catch {
  // The cache is optional. If the storage directory cannot be written, the code that needs it reports that.
}

void import('./program.ts')
  .then(({ program }) => program(process.argv.slice(2)))
  .then(async (code) => {
    // The program does not wait for the event loop to empty: an open stdin or a keep-alive connection would keep it running.
    await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
    process.exit(code);
  });
