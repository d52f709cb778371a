// Runs test/editor inside the extension host of a real VS Code, with this repository as the extension under test.
// --extension DIR tests another extension, and --grep WORD runs only some of the tests.

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { format, parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from './chromium.ts';
import { type Editor, freshDirectory, root, startEditor } from './editor.ts';
import { packageExtension } from './package.ts';
import { bundleEditorSuite } from './suite.ts';

/** The limit is far longer than the tests take, so only tests that hang reach it. */
const timeLimit = 40 * 60_000;
const mark = 'kedge-test:';
const { values } = parseArgs({ options: { extension: { type: 'string' }, grep: { type: 'string', short: 'g' } } });

async function main(): Promise<number> {
  const executablePath = await ensureChromium();
  if (!values.extension) await packageExtension();
  const extensionTestsPath = await bundleEditorSuite();
  const place = await freshDirectory('editor');
  await cp(join(root, 'test', 'sample'), join(place, 'workspace'), { recursive: true });
  // Installs another extension, which provides models.
  await cp(join(root, 'test', 'editor', 'models'), join(place, 'extensions', 'kedge.test-models-1.0.0'), { recursive: true });
  const editor = await startEditor({
    profile: { data: join(place, 'data'), extensions: join(place, 'extensions') },
    open: join(place, 'workspace'),
    extensionDevelopmentPath: values.extension ?? root,
    extensionTestsPath,
    smokeTest: true,
    // Auto save is off, so that the unsaved changes of a test stay unsaved.
    // Titles are off, because the models of the tests do not expect requests for titles.
    // On a fast machine, the tests start more runs within a minute than the usual limit allows.
    settings: { 'files.autoSave': 'off', 'kedge.sessions.titles': false, 'kedge.budget.runsPerMinute': 1_000 },
    env: { KEDGE_RESULTS: process.env.KEDGE_RESULTS ?? '', KEDGE_GREP: values.grep ?? '', KEDGE_MARK: mark },
  });
  try {
    return await runIn(editor, executablePath);
  } finally {
    await editor.stop();
    await rm(place, { recursive: true, force: true });
  }
}

async function runIn(editor: Editor, executablePath: string): Promise<number> {
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const code = exitCode(page, editor);
    await page.goto(editor.url);
    return await code;
  } finally {
    await browser.close();
  }
}

/**
 * Resolves to the exit code. The page calls `codeAutomationLog` with its output, and `codeAutomationExit` with the exit code at the end.
 */
function exitCode(page: Page, editor: Editor): Promise<number> {
  const output = new TestOutput();
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}\n${output.rest()}`));
    const limit = setTimeout(() => fail('The tests in the editor did not finish.'), timeLimit);
    limit.unref();
    page.on('crash', () => fail('The page of the editor crashed.'));
    void editor.ended.then(() => fail('The editor ended before the tests did.'));
    const ended = (code: number) => (code === 0 || output.begun ? resolve(code) : fail('The tests in the editor did not start.'));
    Promise.all([
      page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) => output.add(format(...args))),
      page.exposeFunction('codeAutomationExit', ended),
    ]).catch(reject);
  });
}

/** Prints the lines of the reporter, and keeps the last log lines of the editor, which are shown only if the tests do not finish. */
class TestOutput {
  begun = false;
  #rest: string[] = [];

  add(text: string): void {
    if (text.startsWith(mark)) {
      this.begun = true;
      console.log(text.slice(mark.length));
    } else {
      this.#rest = [...this.#rest, text].slice(-60);
    }
  }

  rest(): string {
    return `The last lines of the editor:\n${this.#rest.join('\n')}`;
  }
}

process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
