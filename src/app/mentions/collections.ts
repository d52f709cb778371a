/** Mentions of collections of documents. They decide which collections a run searches. */
import type { MentionChoice } from '../../core/model/mentions.ts';
import type { MentionRef } from '../../core/model/messages.ts';
import { mentionsOf } from '../../core/model/notes.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { mentionText } from '../../core/words/mention-text.ts';
import type { CollectionSummary } from '../../documents/collections.ts';
import type { AssistantPorts, DocumentsPort } from '../ports.ts';

const MAX_COLLECTIONS = 5;

/** Returns the collections that runs may read. */
export async function collectionsFor({ documents }: Pick<AssistantPorts, 'documents'>): Promise<CollectionSummary[]> {
  const port = await documents?.('');
  const all = (await port?.collections.listCollections()) ?? [];
  return all.filter(({ name }) => port?.names?.includes(name) ?? true);
}

/** Returns the collections whose name contains the query. */
export function collectionChoices(query: string, collections: readonly CollectionSummary[]): MentionChoice[] {
  const found = collections.filter(({ name }) => name.includes(query.toLowerCase()));
  return found.slice(0, MAX_COLLECTIONS).map((collection) => ({
    ref: { kind: 'collection', path: collection.name },
    label: collection.name,
    detail: `Collection of ${documentCount(collection)}`,
    insert: mentionText(collection.name),
  }));
}

/** Returns the collection that a text names. To mention a folder with the same name, the user adds a slash. */
export async function collectionIn(target: string, ports: Pick<AssistantPorts, 'documents'>): Promise<MentionRef | undefined> {
  const collections = await collectionsFor(ports);
  return collections.some(({ name }) => name === target) ? { kind: 'collection', path: target } : undefined;
}

/** Returns the text that the model reads for the mention. */
export function collectionText(collection: CollectionSummary): string {
  return `For this message, only the documents of the mentioned collections are searched: ${collection.name} (${documentCount(collection)}).`;
}

function documentCount({ documents }: CollectionSummary): string {
  return `${documents} ${documents === 1 ? 'document' : 'documents'}`;
}

/** Returns what a run may read: the collections that its first messages mention, or all if they mention none. */
export function narrowed(port: DocumentsPort, run: RunRecord, { messages }: Pick<SessionState, 'messages'>): DocumentsPort {
  let end = run.messagesBefore;
  while (messages.roleAt(end) === 'user') end++;
  const mentions = messages.slice(run.messagesBefore, end).flatMap(mentionsOf);
  const mentioned = mentions.flatMap(({ kind, path }) => (kind === 'collection' && path !== undefined ? [path] : []));
  if (mentioned.length === 0) return port;
  return { ...port, names: port.names?.filter((name) => mentioned.includes(name)) ?? mentioned };
}
