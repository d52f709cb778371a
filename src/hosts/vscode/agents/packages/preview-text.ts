/** The words in which the editor shows a package before it is stored. */
import type { PackagePreview, ShownFile } from '../../../../app/sharing/preview.ts';
import type { PackageSource } from '../../../../app/sharing/shared-package.ts';
import { visibleLine } from '../../../../core/words/visible-text.ts';

const CHANGE: Record<ShownFile['change'], string> = {
  added: 'new file',
  changed: 'changed file: the differences',
  removed: 'file that the update removes',
  same: 'unchanged file',
};

/** The question is shown above the first lines of the editor, and would cover them. */
const COVERED = 4;
/** A longer line continues in the next one, so that no text is out of sight on the right. */
const MAX_LINE = 110;

/** Returns everything in a package as plain text. The lines of its files begin with a bar, so that they do not look like words of Kedge. */
export function previewText(preview: PackagePreview, source: PackageSource, isUpdate: boolean): string {
  const { name, version, description, digest, items, asks, newAsks, leftOut, refusals, overwritten, files } = preview;
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [title, ...lines.flatMap((line) => wrapped(line, '  - ', '    ')), ''] : [];
  const known = isUpdate ? asks.filter((ask) => !newAsks.includes(ask)) : [];
  return [
    ...Array(COVERED).fill(''),
    `The package ${visibleLine(name)} ${visibleLine(version)}. Nothing of it is stored yet.`,
    ...(description ? wrapped(visibleLine(description), 'Description: ', '  ') : []),
    `From: ${sourceWords(source)}`,
    `Digest: ${digest}`,
    '',
    ...section('It cannot be stored:', refusals),
    ...section(
      'It contains:',
      items.map((item) => `${item.kind} ${item.name} (${item.path})`),
    ),
    ...section(
      isUpdate ? 'It newly asks for this. Storing it allows nothing of it:' : 'It asks for this. Storing it allows nothing of it:',
      newAsks,
    ),
    ...section('It asked for this before, too:', known),
    ...section('Left out, because packages never get it:', leftOut),
    ...section('You have changed these files by hand. Your changes are lost:', overwritten),
    ...files.flatMap(({ path, change, lines }) => [
      `${path} (${CHANGE[change]})`,
      ...lines.flatMap((line) => wrapped(line, '  │ ', '  ┆ ')),
      '',
    ]),
  ].join('\n');
}

/** Splits a line at its words, or else anywhere. */
function wrapped(line: string, first: string, next: string): string[] {
  const parts = line.match(new RegExp(`.{1,${MAX_LINE}}(?:(?<= )|$)|.{1,${MAX_LINE}}`, 'gsu')) ?? [''];
  return parts.map((part, index) => (index === 0 ? first : next) + part);
}

/** Returns where a package comes from, such as an address and a short commit. */
export function sourceWords({ address, commit }: PackageSource): string {
  return `${visibleLine(address)}${commit ? `, commit ${commit.slice(0, 12)}` : ''}`;
}
