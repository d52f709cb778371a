import { join } from 'node:path';

/** @param directory of the collection */
export function embeddingsDirectory(directory: string): string {
  return join(directory, 'embeddings');
}

/**
 * The database of embeddings, which is a directory of its own in that of a collection, so that it survives if the index is made again.
 *
 * A vector belongs to a text, by its digest. `passages` connects the chunks of the index with vectors. It is a hint and not a fact, because
 * the index changes independently: whoever uses it compares the digest. `documents` has the state in which a document was connected completely.
 * A segment has one bit for each number of its vectors (`codes`), so that all vectors can be compared quickly.
 */
export const EMBEDDINGS_SCHEMA = {
  version: 1,
  sql: `
create table meta (key text primary key, value text not null) strict, without rowid;
create table vectors (id integer primary key, digest blob not null unique, vector blob not null) strict;
create table segments (id integer primary key, ids blob not null, codes blob not null) strict;
create table passages (chunk integer primary key, document integer not null, vector integer not null) strict;
create index passages_document on passages (document);
create index passages_vector on passages (vector);
create table documents (id integer primary key, state text not null) strict;
pragma user_version = 1;
`,
};
