// Runs mocha inside the extension host. The editor loads this file as part of the bundle that scripts/suite.ts creates.
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** The mark distinguishes the reporter's lines from the other output of the editor. */
const mark = process.env.KEDGE_MARK ?? '';
Mocha.reporters.Base.consoleLog = (...args: unknown[]) => {
  for (const line of format(...args).split('\n')) console.log(mark + line);
};

/** Rejects when a test failed, because the editor then exits with an error code. */
export async function runSuite(loadTests: () => void): Promise<void> {
  process.setSourceMapsEnabled(true);
  // At run time, this file is in out/editor/.
  const reporter = join(__dirname, '..', '..', 'test', 'support', 'reporter.cjs');
  const options = { ui: 'bdd', timeout: 300_000, reporter, color: false } as const;
  const mocha = new Mocha({ ...options, grep: process.env.KEDGE_GREP || undefined });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  try {
    loadTests();
  } catch (error) {
    Mocha.reporters.Base.consoleLog('The tests could not be loaded: %s', (error as Error).stack);
    throw error;
  }
  const failures = await new Promise<number>((done) => mocha.run(done));
  if (failures > 0) throw new Error(`${failures} of the tests in the editor failed.`);
}
