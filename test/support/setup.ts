/** Prepares each test process. Mocha loads this file before all tests (test/.mocharc.json). */
import { join } from 'node:path';
import fc from 'fast-check';

// Property tests use the same cases in each run, so that results are reproducible. `npm run fuzz` uses other cases.
const seed = Number(process.env.KEDGE_SEED ?? 1);
if (!Number.isInteger(seed)) throw new Error(`KEDGE_SEED is a whole number, not "${process.env.KEDGE_SEED}".`);
fc.configureGlobal({ seed });

// The programs that tests start share a compile cache, although each has its own home directory.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../out/compile-cache');
