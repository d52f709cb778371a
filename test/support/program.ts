import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the built terminal program. Tests start it instead of its sources, because that takes half the processor time. */
export const PROGRAM = join(import.meta.dirname, '../../dist/kedge.js');

/** Fails the calling test suite with advice if the program is not built. */
export function needsProgram(): void {
  before(() => assert.ok(existsSync(PROGRAM), 'The program is not built: run "npm run build" first.'));
}
