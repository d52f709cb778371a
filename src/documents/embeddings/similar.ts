/** Finds the passages whose embeddings are most similar to that of a query. */
import type { Database } from 'node-sqlite3-wasm';
import { int8sOf, modelIn } from './stored.ts';
import { largest, similarity, tableOf, writeScores } from './vectors.ts';

/** The codes of all vectors of a collection are kept in memory up to this size in bytes. Those of a larger one are read each time. */
const MAX_KEPT = 64_000_000;
const SEGMENTS = 64;
/** The number of vectors that are compared exactly. */
const COMPARED = 600;

export type Similar = { chunk: number; digest: Buffer; similarity: number };
type Segment = { ids: Uint32Array; codes: Uint8Array };

/** By database, because a database is opened again when it has changed. */
const kept = new WeakMap<Database, readonly Segment[]>();

/** Returns passages with their similarity, the most similar first. `query` must be of the model of the embeddings. */
export function similarIn(db: Database, query: Float32Array, most: number): Similar[] {
  if (modelIn(db)?.dimensions !== query.length) return [];
  const table = tableOf(query);
  const count = Number(db.get('select count(*) as count from vectors')?.count);
  const scores = new Float32Array(count);
  const ids = new Uint32Array(count);
  let at = 0;
  for (const segment of segmentsOf(db)) {
    if (at + segment.ids.length > count) break;
    writeScores(segment.codes, table, scores, at);
    ids.set(segment.ids, at);
    at += segment.ids.length;
  }
  const vectors = db.prepare('select digest, vector from vectors where id = ?');
  try {
    const compared = largest(scores.subarray(0, at), Math.max(COMPARED, most * 2)).map((position) => {
      const id = ids[position] as number;
      const row = vectors.get([id]);
      const digest = Buffer.from((row?.digest as Uint8Array | undefined) ?? []);
      return { id, digest, similarity: row ? similarity(int8sOf(row.vector as Uint8Array), query) : 0 };
    });
    const best = compared
      .filter((each) => each.similarity > 0)
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, most);
    return best.flatMap(({ id, ...rest }) =>
      db
        .all('select chunk from passages where vector = ? order by chunk limit 20', [id])
        .map(({ chunk }) => ({ chunk: Number(chunk), ...rest })),
    );
  } finally {
    vectors.finalize();
  }
}

function segmentsOf(db: Database): Iterable<Segment> {
  const known = kept.get(db);
  if (known) return known;
  const bytes = Number(db.get('select coalesce(sum(length(ids) + length(codes)), 0) as bytes from segments')?.bytes);
  if (bytes > MAX_KEPT) return readSegments(db);
  const segments = [...readSegments(db)];
  kept.set(db, segments);
  return segments;
}

function* readSegments(db: Database): Generator<Segment> {
  for (let after = 0; ; ) {
    const rows = db.all('select id, ids, codes from segments where id > ? order by id limit ?', [after, SEGMENTS]);
    if (rows.length === 0) return;
    for (const { ids, codes } of rows) yield { ids: wordsOf(ids as Uint8Array), codes: (codes as Uint8Array).slice() };
    after = Number(rows.at(-1)?.id);
  }
}

/** Bytes from the database may begin at any address, and words must not. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}
