import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** A small workspace, in which a rename changes two of three files. */
export const HARBOUR: Record<string, string> = {
  'README.md': '# Harbour\n\nA small harbour that follows the tide.\n',
  'src/tide.ts': 'export function tideLevel(hour: number): number {\n  return Math.sin(hour / 6);\n}\n',
  'src/boat.ts': "import { tideLevel } from './tide.ts';\n\nexport const afloat = (hour: number) => tideLevel(hour) > 0.5;\n",
  'src/light.ts': 'export const lit = (hour: number) => hour > 18;\n',
};

export async function contents(folder: string, paths: readonly string[] = Object.keys(HARBOUR)): Promise<Record<string, string>> {
  const entries = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8').catch(() => '(no file)')] as const),
  );
  return Object.fromEntries(entries);
}

/** Waits until the files of the workspace have the expected contents. */
export async function filesAre(folder: string, expected: Record<string, string>, what: string): Promise<void> {
  await until(what, async () => JSON.stringify(await contents(folder)) === JSON.stringify(expected));
}

export function renamed(files: Record<string, string>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll(from, to)]));
}
