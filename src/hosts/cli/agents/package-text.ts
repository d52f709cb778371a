/** A package as the terminal shows it before it is stored. */
import type { ShownFile } from '../../../app/sharing/preview.ts';
import type { PackageSource } from '../../../app/sharing/shared-package.ts';
import type { InstalledPackage } from '../../node/sharing/package-store.ts';
import type { Offer } from '../../node/sharing/sharing.ts';
import { wrap } from '../chat/output/styled.ts';
import { harmless, oneLine } from '../output/terminal.ts';

/** Every line of the package begins with a bar, so that it does not look like one of Kedge. */
const BAR = '  │ ';

/** Breaks a line of the package before the terminal does, which would continue it without a bar. */
const barred = (line: string, columns: number) => wrap(line, columns - BAR.length).map((part) => `${BAR}${part}`.trimEnd());

/** @param columns the width of the terminal */
export function offerText({ source, preview, installed }: Offer, columns: number): string {
  const { name, version, description, digest, asks, newAsks, leftOut, files, overwritten } = preview;
  const bars = (lines: readonly string[]) => lines.flatMap((line) => barred(oneLine(line, 1_000), columns));
  const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? [title, ...bars(lines)] : []);
  return `${[
    '',
    `Package ${oneLine(name, 100)} from ${sourceLine(source)}`,
    ...bars([`version: ${version || 'none'}`, `description: ${description || 'none'}`]),
    `Digest: ${digest}${installed ? `, installed: ${installed.digest.slice(0, 16)}` : ''}`,
    '',
    ...files.flatMap((file) => fileLines(file, columns)),
    '',
    ...(installed ? section('It now also asks for:', newAsks) : []),
    ...section('All that it asks for. Storing it allows nothing of it:', asks),
    ...section('Left out:', leftOut),
    ...section('You have changed these files, and your changes would be lost:', overwritten),
  ].join('\n')}\n`;
}

export function sourceLine({ address, commit }: PackageSource): string {
  return `${oneLine(address, 500)}${commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`}`;
}

const CHANGE: Record<ShownFile['change'], string> = { added: '', changed: ', changed', removed: ', removed', same: ', not changed' };

function fileLines({ path, change, lines }: ShownFile, columns: number): string[] {
  return [`${path}${CHANGE[change]}`, ...lines.flatMap((line) => barred(harmless(line), columns))];
}

/** Returns the lines of the list of packages. */
export function packageLines(packages: readonly InstalledPackage[]): string[] {
  return packages.flatMap(({ name, version, source, digest, updatedAt, paths, changedByHand }) => [
    `  ${name} ${oneLine(version, 40)}, ${digest.slice(0, 16)}, ${new Date(updatedAt).toISOString().slice(0, 10)}${changedByHand.length > 0 ? ', changed' : ''}`,
    `      from ${sourceLine(source)}`,
    `      ${paths.map((path) => (changedByHand.includes(path) ? `${path} (changed by you)` : path)).join(', ')}`,
  ]);
}
