/** Writes and deletes the content of single documents. The caller runs a transaction. */
import type { Database } from 'node-sqlite3-wasm';
import type { ChunkedDocument } from '../chunks/chunks.ts';
import { fingerprintOf } from '../chunks/similarity.ts';
import type { DocumentFormat, Place } from '../document.ts';
import { isLanguage, languageOf } from './languages.ts';
import { indexText } from './terms.ts';

/** How long this work may keep other work of the process waiting. */
const PAUSE_MS = 20;

/** The content that was read from a document. */
export type DocumentText = ChunkedDocument & { title: string; format: DocumentFormat | ''; notes: readonly string[] };

export type FileState = { size?: number | undefined; mtimeMs?: number | undefined; digest?: string | undefined };

/** Replaces the content of a document. */
export async function writeContent(db: Database, id: number, key: string, document: DocumentText, state: FileState): Promise<void> {
  deleteContent(db, id);
  const { chunks, sections, title, length, format, notes } = document;
  const sample = chunks
    .slice(0, 4)
    .map(({ text }) => text)
    .join(' ');
  const language = languageOf(sample);
  const titleTerms = indexText(`${title} ${key}`, language);
  const insertChunk = db.prepare(
    'insert into chunks (document, start, stop, text, lead, path, place, page, print) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const insertTerms = db.prepare('insert into terms (rowid, title, headings, body) values (?, ?, ?, ?)');
  let pause = performance.now() + PAUSE_MS;
  try {
    for (const { start, text, lead, titlePath, headings, place } of chunks) {
      const values = [
        id,
        start,
        start + text.length,
        text,
        lead,
        JSON.stringify(titlePath),
        JSON.stringify(place),
        pageOf(place),
        fingerprintOf(text),
      ];
      const { lastInsertRowid } = insertChunk.run(values);
      const above = indexText([...new Set([...titlePath, ...headings])].join(' '), language);
      insertTerms.run([lastInsertRowid, titleTerms, above, indexText(lead + text, language)]);
      pause = await paused(pause);
    }
  } finally {
    insertChunk.finalize();
    insertTerms.finalize();
  }
  const insertSection = db.prepare('insert into sections values (?, ?, ?, ?, ?, ?, ?, ?)');
  try {
    for (const [number, { level, title: heading, titlePath, start, end, place }] of sections.entries()) {
      insertSection.run([id, number, level, heading, JSON.stringify(titlePath), start, end, JSON.stringify(place)]);
      pause = await paused(pause);
    }
  } finally {
    insertSection.finalize();
  }
  db.run(
    `update documents set title = ?, format = ?, language = ?, size = ?, mtime = ?, digest = ?, problem = null, message = null, notes = ?,
     length = ?, chunks = ?, todo = 0 where id = ?`,
    [
      title,
      format,
      language,
      state.size ?? null,
      state.mtimeMs ?? null,
      state.digest ?? null,
      JSON.stringify(notes),
      length,
      chunks.length,
      id,
    ],
  );
}

/** Lets other work go on if it has waited long enough, and returns when it may go on again. */
async function paused(at: number): Promise<number> {
  if (performance.now() < at) return at;
  await new Promise((resolve) => setImmediate(resolve));
  return performance.now() + PAUSE_MS;
}

export function deleteContent(db: Database, id: number): void {
  db.run('delete from terms where rowid in (select id from chunks where document = ?)', [id]);
  db.run('delete from chunks where document = ?', [id]);
  db.run('delete from sections where document = ?', [id]);
}

/** The number that `content` selects by: a page or a slide. */
function pageOf({ page, slide }: Place): number | null {
  return page ?? slide ?? null;
}

/** Returns the languages of a collection, the most frequent ones first. */
export function languagesIn(db: Database) {
  const rows = db.all('select language, count(*) as count from documents where chunks > 0 group by language order by count desc limit 4');
  return rows.map(({ language }) => String(language)).filter(isLanguage);
}
