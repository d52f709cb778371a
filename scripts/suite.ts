// Bundles the editor tests into one CommonJS file, which the extension host loads to call its `run()`.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from './editor.ts';

export async function bundleEditorSuite(): Promise<string> {
  const tests = globSync('**/*.test.ts', { cwd: join(root, 'test', 'editor') });
  const requires = tests.sort().map((file) => `require(${JSON.stringify(`./${file.replaceAll('\\', '/')}`)});`);
  const outfile = join(root, 'out', 'editor', 'suite.cjs');
  await esbuild.build({
    // The tests are required only after mocha has defined `describe` and `it`.
    stdin: {
      contents: `import { runSuite } from './run.ts';\nexport const run = () => runSuite(() => {\n${requires.join('\n')}\n});\n`,
      resolveDir: join(root, 'test', 'editor'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    // The shell grammars are found relative to the folder of the code that loads them.
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'src', 'hosts', 'node', 'shell')) },
    logLevel: 'warning',
  });
  return outfile;
}
