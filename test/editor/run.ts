// Runs mocha inside the extension host; the editor calls it through the bundle that scripts/suite.ts makes.
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** The editor prints all sorts of things to the same place: this tells the reporter's lines from the rest. */
const mark = process.env.KEDGE_MARK ?? '';
Mocha.reporters.Base.consoleLog = (...args: unknown[]) => {
  for (const line of format(...args).split('\n')) console.log(mark + line);
};

/** Rejects when a test failed, which is how the editor learns of it. */
export async function runSuite(loadTests: () => void): Promise<void> {
  process.setSourceMapsEnabled(true);
  // This runs from out/editor/.
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
