/**
 * Starts the terminal program of the newest installed version of the extension. The launcher script runs a copy of this file outside the
 * extension, because VS Code deletes the folder of a version when the extension is updated. The first argument is the folder of the version
 * that created the launcher.
 */
import { pathToFileURL } from 'node:url';
import { newestProgram } from './newest-program.ts';

// The script sets the variable to use VS Code as Node. The commands that Kedge runs must not inherit it, because VS Code would not start.
delete process.env.ELECTRON_RUN_AS_NODE;
const program = newestProgram(process.argv[2] ?? '');
if (program) {
  process.argv.splice(1, 2, program);
  await import(pathToFileURL(program).href);
} else {
  console.error(
    "kedge: The VS Code extension that contains this program is not installed any more. Install it again, and run the command Kedge: Install 'kedge' Command.",
  );
  process.exitCode = 1;
}
