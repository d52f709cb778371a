/** The stored embeddings of a collection: which texts have one, and which passages they belong to. */
import type { Database } from 'node-sqlite3-wasm';
import type { EmbeddedDocument } from './passages.ts';
import { codeOf, quantized } from './vectors.ts';

/** Unused vectors are deleted if there are more of them than this, and than this share of all. Until then, they serve texts that come back. */
const MAX_UNUSED = 1_000;
const MAX_UNUSED_SHARE = 0.2;
const SEGMENT = 1_000;

export type Link = { chunk: number; digest: Buffer };

/** Returns the model and the length of its vectors. */
export function modelIn(db: Database): { name: string; dimensions: number } | undefined {
  const values = new Map(db.all('select key, value from meta').map(({ key, value }) => [String(key), String(value)]));
  const name = values.get('model');
  return name ? { name, dimensions: Number(values.get('dimensions')) } : undefined;
}

/** Deletes all embeddings, and those that follow are of this model. */
export function beginModel(db: Database, name: string): void {
  db.exec('delete from vectors; delete from segments; delete from passages; delete from documents; delete from meta');
  db.run("insert into meta values ('model', ?)", [name]);
}

export function statesIn(db: Database): Map<number, string> {
  return new Map(db.all('select id, state from documents').map(({ id, state }) => [Number(id), String(state)]));
}

export function vectorOf(db: Database, digest: Buffer): number | undefined {
  const row = db.get('select id from vectors where digest = ?', [digest]);
  return row ? Number(row.id) : undefined;
}

/** Adds the vectors of texts that have none. @throws Error if they are longer or shorter than the others */
export function addVectors(db: Database, digests: readonly Buffer[], vectors: readonly Float32Array[]): void {
  const [first] = vectors;
  if (!first) return;
  const dimensions = modelIn(db)?.dimensions || first.length;
  if (first.length !== dimensions) throw new OtherVectors(dimensions, first.length);
  db.run("insert or replace into meta values ('dimensions', ?)", [String(dimensions)]);
  const insert = db.prepare('insert into vectors (digest, vector) values (?, ?)');
  const rows: { id: number; vector: Int8Array }[] = [];
  try {
    for (const [index, each] of vectors.entries()) {
      const vector = quantized(each);
      const { lastInsertRowid } = insert.run([digests[index] as Buffer, bytesOf(vector)]);
      rows.push({ id: Number(lastInsertRowid), vector });
    }
  } finally {
    insert.finalize();
  }
  addSegment(db, rows);
}

/** A server that has another model than before sends vectors that cannot be compared with the stored ones. */
export class OtherVectors extends Error {
  constructor(before: number, now: number) {
    super(`The model now computes embeddings of ${now} numbers instead of ${before}, so it is another model than before.`);
  }
}

function addSegment(db: Database, rows: readonly { id: number; vector: Int8Array }[]): void {
  const codes = rows.map(({ vector }) => codeOf(vector));
  const length = codes[0]?.length ?? 0;
  const all = new Uint8Array(codes.length * length);
  for (const [index, code] of codes.entries()) all.set(code, index * length);
  const ids = Uint32Array.from(rows, ({ id }) => id);
  db.run('insert into segments (ids, codes) values (?, ?)', [bytesOf(ids), all]);
}

/** Connects the passages of a document with the vectors of their texts. */
export function connectDocument(db: Database, { id, state }: EmbeddedDocument, links: readonly Link[]): void {
  db.run('delete from passages where document = ?', [id]);
  const insert = db.prepare('insert or replace into passages (chunk, document, vector) select ?, ?, id from vectors where digest = ?');
  try {
    for (const { chunk, digest } of links) insert.run([chunk, id, digest]);
  } finally {
    insert.finalize();
  }
  db.run('insert or replace into documents values (?, ?)', [id, state]);
}

export function removeDocument(db: Database, id: number): void {
  db.run('delete from passages where document = ?', [id]);
  db.run('delete from documents where id = ?', [id]);
}

/** Deletes the vectors that belong to no passage any more, if there are many of them. */
export function removeUnused(db: Database): void {
  const all = Number(db.get('select count(*) as count from vectors')?.count);
  const used = Number(db.get('select count(distinct vector) as count from passages')?.count);
  if (all - used <= Math.max(MAX_UNUSED, all * MAX_UNUSED_SHARE)) return;
  db.exec('delete from vectors where id not in (select vector from passages); delete from segments');
  for (let after = 0; ; ) {
    const rows = db.all('select id, vector from vectors where id > ? order by id limit ?', [after, SEGMENT]);
    if (rows.length === 0) return;
    addSegment(
      db,
      rows.map(({ id, vector }) => ({ id: Number(id), vector: int8sOf(vector as Uint8Array) })),
    );
    after = Number(rows.at(-1)?.id);
  }
}

export function passagesWithVector(db: Database): number {
  return Number(db.get('select count(*) as count from passages')?.count);
}

export function int8sOf({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength);
}

function bytesOf({ buffer, byteOffset, byteLength }: Int8Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
