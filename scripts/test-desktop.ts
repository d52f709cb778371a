// Runs the editor tests in a desktop VS Code, which @vscode/test-electron downloads from the vendor.
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { cache, freshDirectory, root } from './editor.ts';
import { packageExtension } from './package.ts';
import { bundleEditorSuite } from './suite.ts';

await packageExtension();
const extensionTestsPath = await bundleEditorSuite();
const place = await freshDirectory('desktop');
const workspace = join(place, 'workspace');
await cp(join(root, 'test', 'sample'), workspace, { recursive: true });
try {
  process.exitCode = await runTests({
    version: process.env.KEDGE_VSCODE_VERSION ?? 'stable',
    cachePath: cache,
    extensionDevelopmentPath: root,
    extensionTestsPath,
    extensionTestsEnv: { KEDGE_HOME: join(place, 'kedge') },
    launchArgs: [workspace, '--user-data-dir', join(place, 'data'), '--disable-extensions', '--disable-workspace-trust', '--skip-welcome'],
  });
} catch (error) {
  console.error(
    `The tests in a desktop VS Code could not be run. They need a network connection to download it. ${(error as Error).message}`,
  );
  process.exitCode = 1;
} finally {
  await rm(place, { recursive: true, force: true });
}
