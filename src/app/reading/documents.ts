/** The documents that a command names, and which of them is read next. */
import { countOf } from '../../tools/define-tool.ts';
import type { DocumentScope } from '../../tools/documents/access.ts';
import type { Progress } from './progress.ts';

/** `length` is in characters. */
type ListedDocument = { name: string; length: number };
/** `missing` are sentences about what cannot be read. */
export type Listed = { documents: ListedDocument[]; missing: string[] };

const MAX_DOCUMENTS = 10_000;
/** The number of documents that are read with one turn. */
const AT_ONCE = 16;
/** The share by which places, headings and indentation make a text longer. */
const LONGER = 1.2;

/** Returns true if the first name is a collection that can be read, or a document in it. */
export function namesDocuments([first = '']: readonly string[], collections: readonly string[]): boolean {
  return collections.some((name) => first === name || first.startsWith(`${name}/`));
}

/** A document of a collection that may not be read is left out without a trace, as the tools do. */
export async function listed(names: readonly string[], { collections, names: only, isWithheld }: DocumentScope): Promise<Listed> {
  const all = (await collections.listCollections()).filter(({ name, problem }) => problem === undefined && (only?.includes(name) ?? true));
  const documents = new Map<string, ListedDocument>();
  const missing: string[] = [];
  for (const name of names) {
    const collection = all.find((each) => name === each.name || name.startsWith(`${each.name}/`))?.name;
    const key = collection === undefined || name === collection ? undefined : name.slice(collection.length + 1);
    const { documents: found, total } = collection
      ? await collections.listDocuments(collection, key === undefined ? {} : { path: key }, MAX_DOCUMENTS)
      : { documents: [], total: 0 };
    const wanted = found.filter((each) => (key === undefined ? !isWithheld(collection as string, each.key) : each.key === key));
    if (wanted.length === 0) missing.push(`There is no document ${name}.`);
    if (key === undefined && total > found.length) missing.push(`${countOf(total - found.length, 'document')} of ${name} were left out.`);
    for (const { key: path, state, message = '', length } of wanted)
      if (state === 'failed') missing.push(`${collection}/${path} could not be read: ${message}`);
      else documents.set(`${collection}/${path}`, { name: `${collection}/${path}`, length });
  }
  return { documents: [...documents.values()], missing };
}

export type NextCall = { document: string; start?: number };

/**
 * Returns the calls that read on, into `free` characters. A document that was begun is read to its end before another one. Several documents are
 * read at once if they fit.
 */
export function nextCalls({ documents }: Listed, { read }: Progress, free: number): NextCall[] {
  const calls: NextCall[] = [];
  let size = 0;
  for (const { name, length } of documents) {
    const last = read.findLast(({ document }) => document === name);
    if (last && last.next === undefined) continue;
    const start = last?.next ?? 0;
    size += (length - start) * LONGER;
    if (calls.length > 0 && (size > free || calls.length === AT_ONCE)) break;
    calls.push({ document: name, ...(start > 0 && { start }) });
  }
  return calls;
}

/** Returns the part of the documents that has been read, in percent. */
export function percentRead({ documents }: Listed, { read }: Progress): number {
  const all = documents.reduce((sum, { length }) => sum + length, 0);
  const done = documents.reduce((sum, { name, length }) => {
    const last = read.findLast(({ document }) => document === name);
    return sum + (last ? (last.next ?? length) : 0);
  }, 0);
  return all === 0 ? 100 : Math.floor((100 * done) / all);
}
