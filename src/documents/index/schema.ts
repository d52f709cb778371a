/**
 * The tables of a collection. The full-text index has no copy of the text: its terms are computed by `terms.ts`, and its rows have the ids
 * of the chunks. `documents.todo` is 1 while a document has to be read: it is new, or its file has changed.
 */
export const VERSION = 1;

export const SCHEMA = `
create table documents (
  id integer primary key, key text not null unique, source integer not null, name text not null, title text not null, format text not null,
  language text not null, size integer, mtime real, digest text, problem text, message text, notes text not null,
  length integer not null, chunks integer not null, todo integer not null
) strict;
create index documents_todo on documents (todo) where todo = 1;
create table chunks (
  id integer primary key, document integer not null, start integer not null, stop integer not null, text text not null, lead text not null, path text not null,
  place text not null, page integer, print text not null
) strict;
create index chunks_document on chunks (document, start);
create table sections (
  document integer not null, number integer not null, level integer not null, title text not null, path text not null, start integer not null,
  stop integer not null, place text not null, primary key (document, number)
) strict, without rowid;
create virtual table terms using fts5 (title, headings, body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0");
create virtual table vocabulary using fts5vocab (terms, 'row');
pragma user_version = ${VERSION};
`;
