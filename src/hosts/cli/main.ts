#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { makeDirectory } from '../../sessions/directory.ts';
import { storageDirectory } from '../node/storage.ts';

try {
  const cache = join(storageDirectory(), 'compile-cache');
  // Node would make it too, but where no directory can be made it tries for ever.
  makeDirectory(cache);
  // Node 20 has no such cache.
  module.enableCompileCache?.(cache);
} catch {
  // Where there is no place for it, whatever needs one says so.
}

void import('./program.ts')
  .then(({ program }) => program(process.argv.slice(2)))
  .then(async (code) => {
    // Not by itself: an open stdin or a connection that is kept for the next request would have the program wait.
    await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
    process.exit(code);
  });
