// Runs test/e2e against the packed extension in a real workbench. --vsix FILE tests another package. Other arguments are passed to mocha.
import { spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ensureChromium } from './chromium.ts';
import { ensureEditor, freshProfile, installVsix, root } from './editor.ts';
import { packageExtension } from './package.ts';

async function main(args: string[]): Promise<number> {
  const at = args.indexOf('--vsix');
  const [, chosen] = at < 0 ? [] : args.splice(at, 2);
  await ensureEditor();
  const chromium = await ensureChromium();
  const profile = await freshProfile('e2e');
  try {
    // Installs another extension, which provides a test.
    await cp(join(root, 'test', 'e2e', 'failing-test'), join(profile.extensions, 'kedge.failing-test-1.0.0'), { recursive: true });
    await installVsix(chosen ? resolve(chosen) : await packageExtension(), profile);
    return await mocha(args, { KEDGE_EXTENSIONS: profile.extensions, CHROME_PATH: chromium });
  } finally {
    await rm(join(profile.data, '..'), { recursive: true, force: true });
  }
}

function mocha(args: string[], env: Record<string, string>): Promise<number> {
  const named = args.some((arg) => arg.endsWith('.test.ts'));
  const child = spawn(
    process.execPath,
    [
      ...['node_modules/mocha/bin/mocha.js', '--config', 'test/.mocharc.json', '--reporter', 'test/support/reporter.cjs'],
      ...['--timeout', '600000', ...args, ...(named ? [] : ['test/e2e/**/*.test.ts'])],
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  // Ctrl+C also reaches mocha, so this process ignores it and waits for mocha.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done(code ?? 1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
