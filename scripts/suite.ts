// The editor suite as one CommonJS file: what an extension host can load and call `run()` of.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from './editor.ts';

export async function bundleEditorSuite(): Promise<string> {
  const tests = globSync('**/*.test.ts', { cwd: join(root, 'test', 'editor') });
  const requires = tests.sort().map((file) => `require(${JSON.stringify(`./${file.replaceAll('\\', '/')}`)});`);
  const outfile = join(root, 'out', 'editor', 'suite.cjs');
  await esbuild.build({
    // The tests are required late, when mocha has put `describe` and `it` in place.
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
    // The grammars of shells are looked for from where their reader is.
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'src', 'hosts', 'node', 'shell')) },
    logLevel: 'warning',
  });
  return outfile;
}
