/** Moves data into a storage directory that may already contain data from other programs. */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Moves sessions and everything that belongs to them. A session has a unique id, and contents for undo are named by their hash, so both
 * directories can be merged. Other files that exist in both directories with different contents stay where they are. Returns the first
 * problem. Data that could not be moved stays in `from`, so that another call can move it.
 */
export function moveStorage(from: string, to: string): Error | undefined {
  if (!existsSync(join(from, 'sessions'))) return undefined;
  const problems: Error[] = [];
  try {
    if (!existsSync(to)) {
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      renameSync(from, to);
      return undefined;
    }
  } catch {
    // The directories may be on different disks. Between disks, only files can be moved.
  }
  // Sessions are moved last, so that their contents for undo are moved before them.
  const names = readdirSync(from).sort((a, b) => Number(a === 'sessions') - Number(b === 'sessions'));
  for (const name of names) merge(join(from, name), join(to, name), problems);
  return problems[0];
}

function merge(from: string, to: string, problems: Error[]): void {
  try {
    if (lstatSync(from).isDirectory()) {
      mkdirSync(to, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(from)) merge(join(from, name), join(to, name), problems);
      if (readdirSync(from).length === 0) rmdirSync(from);
    } else moveFile(from, to);
  } catch (error) {
    problems.push(error as Error);
  }
}

/** Does not replace a file that already exists. */
function moveFile(from: string, to: string): void {
  if (existsSync(to)) {
    if (readFileSync(from).equals(readFileSync(to))) rmSync(from);
    return;
  }
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const partial = `${to}.moving`;
    copyFileSync(from, partial);
    renameSync(partial, to);
    rmSync(from);
  }
}
