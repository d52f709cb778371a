import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the built terminal program. Tests start it instead of its sources, because that takes half the processor time. */
export const PROGRAM = join(import.meta.dirname, '../../dist/kedge.js');

/** Fails the calling test suite with advice if the program is not built. */
export function needsProgram(): void {
  before(() => assert.ok(existsSync(PROGRAM), 'The program is not built: run "npm run build" first.'));
}

/** Runs the program without input, with options of Node before it. `said` is everything that it prints. */
export async function runProgram(
  words: readonly string[],
  { cwd, env, node = [] }: { cwd: string; env: NodeJS.ProcessEnv; node?: readonly string[] },
): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [...node, PROGRAM, ...words], { cwd, env: { ...process.env, ...env } });
  child.stdin.end();
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      said += more;
    });
  const [code] = await once(child, 'close');
  return { code, said };
}
