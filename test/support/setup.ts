/** Loaded before all tests (test/.mocharc.json), in each process that runs some. */
import { join } from 'node:path';
import fc from 'fast-check';

// Properties try the same cases in each run, so that a run of the tests means the same each time; `npm run fuzz` tries others.
const seed = Number(process.env.KEDGE_SEED ?? 1);
if (!Number.isInteger(seed)) throw new Error(`KEDGE_SEED is a whole number, not "${process.env.KEDGE_SEED}".`);
fc.configureGlobal({ seed });

// What programs that tests start have compiled is kept for the next ones, which have another home.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../out/compile-cache');
