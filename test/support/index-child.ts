/**
 * A process that updates a collection of documents in memory. Each document has a number of sections, all of which contain the version of
 * the document. The process reports its progress, and is usually killed.
 */
import { DocumentStore } from '../../src/documents/store/store.ts';
import { portsOf } from './collections.ts';

const [root = '', count = '', version = ''] = process.argv.slice(2);

export const KEY = (index: number) => `d${index}.md`;

/** The text of a document in one version. Some documents are long, so that they are interrupted too. */
export function versionOf(index: number, version: number): string {
  const words = Array.from({ length: 60 }, (_, word) => `word${(index * 31 + word * 7) % 500}`).join(' ');
  const section = (number: number) => `## Section ${number}\n\nversion${version} document${index} ${words}\n\n`;
  return `# Document ${index}\n\n${Array.from({ length: index % 10 === 0 ? 60 : 4 }, (_, number) => section(number)).join('')}`;
}

if (process.argv[1]?.endsWith('index-child.ts')) {
  const store = new DocumentStore({ workspace: root, global: `${root}-global` });
  const files = new Map(
    Array.from(
      { length: Number(count) },
      (_, index) => [KEY(index), { text: versionOf(index, Number(version)), mtimeMs: Number(version) }] as const,
    ),
  );
  process.send?.({ started: true });
  await store.update('docs', portsOf(files), { notify: (event) => process.send?.(event) });
  process.send?.({ finished: true });
  process.disconnect?.();
}
