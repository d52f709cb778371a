// Reads the log files of an editor, because they are deleted after a failure.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LINES = 15;
const CHARACTERS = 3000;

/** Returns the last lines of each log file in a folder. */
export async function endsOfLogs(folder: string): Promise<string> {
  const logs = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.log'));
  const ends = logs.map(async (path) => {
    const lines = (await readFile(join(folder, path), 'utf8')).trimEnd().split('\n').slice(-LINES);
    return `${path}:\n${lines.join('\n').slice(-CHARACTERS)}`;
  });
  return (await Promise.all(ends)).join('\n\n');
}
