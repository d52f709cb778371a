#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { storageDirectory } from '../node/storage.ts';

// Node 20 has no such cache.
module.enableCompileCache?.(join(storageDirectory(), 'compile-cache'));

void import('./program.ts')
  .then(({ program }) => program(process.argv.slice(2)))
  .then((code) => {
    process.exitCode = code;
  });
