/** Reads documents, outlines, sections and content from the database of a collection. */
import type { Database } from 'node-sqlite3-wasm';
import {
  type ContentRange,
  type DocumentContent,
  type DocumentFilter,
  type DocumentSummary,
  NotInCollection,
  type OutlineEntry,
} from '../collections.ts';
import type { Place } from '../document.ts';
import { filterConditions } from './filter.ts';

const STATE = "case when todo = 1 then 'todo' when problem is not null then 'failed' else 'ready' end";

export type Counts = { documents: number; failed: number; todo: number; chunks: number };

export function countsIn(db: Database): Counts {
  const row = db.get(
    `select count(*) as documents, coalesce(sum(problem is not null and todo = 0), 0) as failed, coalesce(sum(todo), 0) as todo,
     coalesce(sum(chunks), 0) as chunks from documents`,
  );
  return { documents: Number(row?.documents), failed: Number(row?.failed), todo: Number(row?.todo), chunks: Number(row?.chunks) };
}

export function documentsIn(db: Database, collection: string, filter: DocumentFilter, limit: number) {
  const { conditions, values } = filterConditions(filter);
  if (filter.state) {
    conditions.push(`${STATE} = ?`);
    values.push(filter.state);
  }
  const where = ['1', ...conditions].join(' and ');
  const rows = db.all(`select *, ${STATE} as state from documents where ${where} order by source, key limit ?`, [...values, limit]);
  const documents = rows.map(
    (row): DocumentSummary => ({
      ...{ collection, key: String(row.key), title: String(row.title), language: String(row.language), length: Number(row.length) },
      format: row.format as DocumentSummary['format'],
      state: row.state as DocumentSummary['state'],
      ...(row.problem !== null && { problem: row.problem as NonNullable<DocumentSummary['problem']>, message: String(row.message) }),
      notes: JSON.parse(String(row.notes)) as string[],
    }),
  );
  return { documents, total: Number(db.get(`select count(*) as total from documents where ${where}`, values)?.total) };
}

type Row = { id: number; title: string; length: number };

/** @throws NotInCollection */
function documentRow(db: Database, collection: string, key: string): Row {
  const row = db.get('select id, title, length, message, problem from documents where key = ?', [key]);
  if (!row) throw new NotInCollection(`The collection ${collection} has no document “${key}”. List its documents to see their names.`);
  if (Number(row.length) === 0)
    throw new NotInCollection(`The document “${key}” in ${collection} has no text. ${row.problem === null ? '' : row.message}`.trim());
  return { id: Number(row.id), title: String(row.title), length: Number(row.length) };
}

export function outlineIn(db: Database, collection: string, key: string): OutlineEntry[] {
  const { id } = documentRow(db, collection, key);
  return db.all('select * from sections where document = ? order by number', [id]).map((row) => ({
    ...{ level: Number(row.level), title: String(row.title), titlePath: JSON.parse(String(row.path)) as string[] },
    ...{ place: JSON.parse(String(row.place)) as Place, start: Number(row.start), length: Number(row.stop) - Number(row.start) },
  }));
}

export function sectionIn(db: Database, collection: string, key: string, heading: string): DocumentContent {
  const wanted = heading.split('>').map(plain);
  const outline = outlineIn(db, collection, key);
  const matches = ({ titlePath }: OutlineEntry) =>
    wanted.every((title, index) => plain(titlePath.at(index - wanted.length) ?? '') === title);
  const section = outline.find(matches) ?? outline.find(({ title }) => plain(title) === plain(heading));
  if (!section) throw new NotInCollection(`The document “${key}” has no heading “${heading}”. Get its outline to see its headings.`);
  const content = contentIn(db, collection, key, { start: section.start, end: section.start + section.length });
  return { ...content, place: section.place };
}

function plain(title: string): string {
  return title
    .trim()
    .replace(/^#+\s*/, '')
    .toLowerCase();
}

export function contentIn(db: Database, collection: string, key: string, { start, end, pages }: ContentRange): DocumentContent {
  const { id, title, length } = documentRow(db, collection, key);
  const isPaged = pages !== undefined;
  const [from, to] = [Math.max(0, start ?? 0), Math.min(length, end ?? length)];
  const rows = isPaged
    ? db.all('select start, text, place from chunks where document = ? and page between ? and ? order by start', [id, pages.from, pages.to])
    : db.all('select start, text, place from chunks where document = ? and start < ? and stop > ? order by start', [id, to, from]);
  const [first] = rows;
  if (!first && isPaged) throw new NotInCollection(`The document “${key}” has no page ${pages.from}.`);
  const begin = Number(first?.start ?? 0);
  const text = rows.map((row) => String(row.text)).join('');
  const bounds = isPaged ? { start: begin, end: begin + text.length } : { start: Math.max(from, begin), end: Math.max(from, to) };
  return {
    ...{ title, text: text.slice(bounds.start - begin, bounds.end - begin), ...bounds, length },
    ...(first && { place: JSON.parse(String(first.place)) as Place }),
    passages: rows.map((row) => ({ start: Number(row.start), place: JSON.parse(String(row.place)) as Place })),
  };
}
