/** `kedge docs summarize`, `worksheet` and `compare`: the prompts of the Documents page in the editor. */
import { type Template, templateText } from '../../../app/reading/templates.ts';
import { NotInCollection } from '../../../documents/collections.ts';
import type { Collections } from '../../node/documents/collections.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';

type Asked = { template: Exclude<Template, 'ask'>; words: readonly string[] };

/** @throws UsageError if the words do not name what the prompt needs */
export async function templatePrompt({ template, words }: Asked, documents: Collections): Promise<string> {
  const [collection, ...names] = words;
  const needed = template === 'compare' ? 2 : undefined;
  if (collection === undefined || (needed === undefined ? names.length > 1 : names.length !== needed))
    throw new UsageError(
      `Write kedge docs ${template} NAME ${needed === undefined ? '[DOCUMENT]' : 'DOCUMENT DOCUMENT'}. See kedge docs --help.`,
    );
  try {
    await documents.expectNames([collection]);
    return templateText(template, { collection, documents: await documentsOf(collection, names, documents) });
  } catch (error) {
    throw error instanceof NotInCollection ? new UsageError(error.message) : error;
  }
}

/** Returns the names of the documents as `collection/path`. A document can be named by the end of its path. */
async function documentsOf(collection: string, names: readonly string[], documents: Collections): Promise<string[]> {
  const store = await documents.store();
  const found: string[] = [];
  for (const name of names) {
    const plain = name.startsWith(`${collection}/`) ? name.slice(collection.length + 1) : name;
    const { documents: all } = await store.listDocuments(collection, {}, 100_000);
    const ends = all.filter(({ key }) => key === plain || key.endsWith(`/${plain}`));
    const document = all.find(({ key }) => key === plain) ?? (ends.length === 1 ? ends[0] : undefined);
    if (!document) {
      const why = ends.length === 0 ? 'has no document' : 'has several documents that end in';
      throw new UsageError(`${collection} ${why} ${oneLine(name)}. See kedge docs show ${collection}.`);
    }
    if (document.state === 'failed')
      throw new UsageError(`${oneLine(document.key)} could not be read: ${oneLine(document.message ?? '', 500)}`);
    found.push(`${collection}/${document.key}`);
  }
  return found;
}
