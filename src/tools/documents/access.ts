/** What a run may see of the collections of documents. */
import { ToolError } from '../../core/run/tool.ts';
import type { CollectionSummary, DocumentCollections } from '../../documents/collections.ts';

export type DocumentScope = {
  collections: DocumentCollections;
  /** The collections that the user has chosen for the run. Without it, the run uses all collections. */
  names?: readonly string[] | undefined;
  /** Returns true for a document that may be read only with the user's approval, by the current rules. */
  isWithheld(collection: string, document: string): boolean;
};

export async function collectionsIn({ collections, names }: DocumentScope): Promise<CollectionSummary[]> {
  const all = await collections.listCollections();
  return names ? all.filter(({ name }) => names.includes(name)) : all;
}

/** Returns the requested collections. @throws ToolError if one does not exist */
export async function requestedCollections(scope: DocumentScope, requested?: readonly string[]): Promise<string[]> {
  const all = await collectionsIn(scope);
  const names = all.map(({ name }) => name);
  const missing = requested?.find((name) => !names.includes(name));
  if (missing !== undefined) throw new ToolError(`There is no collection ${missing}. ${namesText(names)}`);
  // A damaged collection does not stop the search in the others.
  return requested?.length ? [...requested] : all.filter(({ problem }) => problem === undefined).map(({ name }) => name);
}

/** Finds a document by `collection/document`, as in the results of the tools. @throws ToolError */
export async function requestedDocument(scope: DocumentScope, input: string): Promise<{ collection: string; document: string }> {
  const written = input.trim().replace(/^\[(.*)\]$/, '$1');
  const names = (await collectionsIn(scope)).map(({ name }) => name);
  const collection = names.find((name) => written.startsWith(`${name}/`));
  if (collection === undefined)
    throw new ToolError(
      `${input} names no collection. Write collection/document, as in the results of documents_search. ${namesText(names)}`,
    );
  const document = written.slice(collection.length + 1);
  if (scope.isWithheld(collection, document)) throw new ToolError(`${input} may not be read here, by a rule of the user or the workspace.`);
  return { collection, document };
}

function namesText(names: readonly string[]): string {
  return names.length > 0 ? `The collections are: ${names.join(', ')}.` : 'There are no collections.';
}
