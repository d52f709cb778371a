/** The texts of which embeddings are computed. */
import { createHash } from 'node:crypto';
import type { Database, QueryResult } from 'node-sqlite3-wasm';

/** The longest text of which an embedding is computed, in characters. Passages are shorter, except for tables and code. */
const MAX_TEXT = 8_000;
/** How many passages are read at a time. */
const PAGE = 500;

export type EmbeddedPassage = { chunk: number; text: string; digest: Buffer };
/** `state` changes if the content of the document, or the place of its passages in the index, has changed. */
export type EmbeddedDocument = { id: number; state: string };

export function documentsWithPassages(db: Database): EmbeddedDocument[] {
  return db
    .all(
      `select d.id, coalesce(d.digest, '') || ' ' || min(c.id) || ' ' || max(c.id) || ' ' || count(*) as state
       from chunks c join documents d on d.id = c.document group by d.id`,
    )
    .map(({ id, state }) => ({ id: Number(id), state: String(state) }));
}

/** Returns the next passages of a document after the chunk `after`, in the order of their ids. */
export function passagesAfter(db: Database, document: number, after: number): EmbeddedPassage[] {
  return db
    .all(
      `select c.id, c.path, c.lead, c.text, d.title from chunks c join documents d on d.id = c.document
       where c.document = ? and c.id > ? order by c.id limit ${PAGE}`,
      [document, after],
    )
    .map(embeddedPassage);
}

/** A passage is embedded with the headings above it, because many passages do not name their subject. */
export function embeddedPassage({ id, path, lead, text, title }: QueryResult): EmbeddedPassage {
  const headings = JSON.parse(String(path)) as string[];
  const above = headings.length > 0 ? headings.join(' > ') : String(title);
  const whole = `${above}\n\n${lead}${text}`.trim().slice(0, MAX_TEXT).toWellFormed();
  return { chunk: Number(id), text: whole, digest: createHash('sha256').update(whole).digest().subarray(0, 16) };
}
