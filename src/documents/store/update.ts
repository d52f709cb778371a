/** Brings the index of a collection up to date: reads only what changed, and changes each document in one transaction. */
import { createHash } from 'node:crypto';
import { chunksInTurns } from '../chunks/chunks.ts';
import type { Source } from '../collections.ts';
import { DocumentError } from '../document.ts';
import { type DocumentText, deleteContent, type FileState, writeContent } from '../index/content.ts';
import type { IndexWriter } from '../index/database.ts';
import { formatOfName } from '../names.ts';
import { SourceDenied, type SourceDocument, type UpdateEvent, type UpdateLimits, type UpdatePorts, type UpdateReport } from './sources.ts';

type Known = { id: number; source: number; size: number | null; mtime: number | null; digest: string | null; todo: number; failed: number };
type Listed = Map<string, { source: number; document: SourceDocument }>;

export class Update {
  readonly #writer: IndexWriter;
  readonly #ports: UpdatePorts;
  readonly #limits: UpdateLimits;
  readonly #notify: (event: UpdateEvent) => void;
  readonly #report: UpdateReport = { indexed: 0, unchanged: 0, failed: 0, removed: 0, read: 0, problems: [] };
  #done = 0;
  #todo = 0;

  constructor(writer: IndexWriter, ports: UpdatePorts, limits: UpdateLimits, notify: (event: UpdateEvent) => void) {
    this.#writer = writer;
    this.#ports = ports;
    this.#limits = limits;
    this.#notify = notify;
  }

  /** If the signal aborts, the documents that were not reached are read by the next update, and an AbortError is thrown. */
  async run(sources: readonly Source[], signal: AbortSignal): Promise<UpdateReport> {
    const known = this.#known();
    const { listed, incomplete } = await this.#list(sources, signal);
    const missing = [...known].filter(([key, { source }]) => !listed.has(key) && !incomplete.has(source));
    const away = await this.#away(missing, sources);
    const gone = missing.filter(([key]) => !away.has(key));
    const todo = await this.#mark(known, listed);
    this.#todo = gone.length + todo.length;
    this.#notify({ type: 'listed', documents: listed.size, todo: this.#todo });
    for (const [key, { id }] of gone) {
      signal.throwIfAborted();
      await this.#writer.transaction(() => {
        deleteContent(this.#writer.db, id);
        this.#writer.db.run('delete from documents where id = ?', [id]);
      });
      this.#finished(key, 'removed');
    }
    for (const document of todo) {
      signal.throwIfAborted();
      await this.#process(document, known.get(document.key), signal);
    }
    return this.#report;
  }

  #known(): Map<string, Known> {
    const rows = this.#writer.db.all(
      'select key, id, source, size, mtime, digest, todo, problem is not null as failed from documents',
    ) as (Known & { key: string })[];
    return new Map(rows.map(({ key, ...known }) => [key, known]));
  }

  /** `incomplete` has the sources that could not be listed completely. Documents of these sources are not removed. */
  async #list(sources: readonly Source[], signal: AbortSignal): Promise<{ listed: Listed; incomplete: Set<number> }> {
    const listed: Listed = new Map();
    const incomplete = new Set<number>();
    for (const [source, given] of sources.entries()) {
      const [unnameable, taken] = [new Set<string>(), new Set<string>()];
      try {
        for await (const document of this.#ports.list(given, signal)) {
          signal.throwIfAborted();
          const { key, file } = document;
          if (UNNAMEABLE.test(key)) unnameable.add(key);
          else if (listed.has(key) && listed.get(key)?.document.file !== file) taken.add(key);
          if (unnameable.has(key) || listed.has(key)) continue;
          if (listed.size >= this.#limits.documents) {
            incomplete.add(source);
            this.#problem(`A collection can have ${this.#limits.documents.toLocaleString('en')} documents. The rest was left out.`);
            break;
          }
          listed.set(key, { source, document });
        }
      } catch (error) {
        if (signal.aborted) throw error;
        if (!(error instanceof SourceDenied)) incomplete.add(source);
        this.#problem((error as Error).message);
      }
      if (unnameable.size > 0) this.#problem(leftOut(unnameable, 'their names contain line breaks or other control characters'));
      if (taken.size > 0)
        this.#problem(leftOut(taken, 'documents of another source have the same names. Add them to a collection of their own'));
    }
    return { listed, incomplete };
  }

  /** Returns the missing documents that may still be there. */
  async #away(missing: readonly (readonly [string, Known])[], sources: readonly Source[]): Promise<Set<string>> {
    const all = new Set<string>();
    for (const [number, source] of sources.entries()) {
      const keys = missing.filter(([, known]) => known.source === number).map(([key]) => key);
      const away = keys.length > 0 ? ((await this.#ports.away?.(source, keys)) ?? []) : [];
      for (const key of away) all.add(key);
      const [first] = away;
      if (first !== undefined)
        this.#problem(
          `${away.length.toLocaleString('en')} of the documents were left as they were, such as ${JSON.stringify(first)}, because their folder cannot be read. Check its permissions, and that its drive is connected.`,
        );
    }
    return all;
  }

  #problem(message: string): void {
    this.#report.problems.push(message);
    this.#notify({ type: 'problem', message });
  }

  /** Marks the documents to read in one transaction, so that they are known if the update is interrupted. */
  async #mark(known: ReadonlyMap<string, Known>, listed: Listed): Promise<SourceDocument[]> {
    const { db } = this.#writer;
    const todo: SourceDocument[] = [];
    await this.#writer.transaction(() => {
      const insert = db.prepare(
        `insert into documents (key, source, name, title, format, language, notes, length, chunks, todo)
         values (?, ?, ?, ?, ?, '', '[]', 0, 0, 1)`,
      );
      try {
        for (const [key, { source, document }] of listed) {
          const before = known.get(key);
          if (before && before.todo === 0 && isSame(before, document)) {
            this.#report.unchanged++;
            continue;
          }
          todo.push(document);
          if (before) db.run('update documents set todo = 1, source = ? where id = ?', [source, before.id]);
          else insert.run([key, source, document.name, document.name, formatOfName(document.name) ?? '']);
        }
      } finally {
        insert.finalize();
      }
    });
    return todo;
  }

  async #process(document: SourceDocument, before: Known | undefined, signal: AbortSignal): Promise<void> {
    const { db } = this.#writer;
    const { key } = document;
    const id = before?.id ?? Number(db.get('select id from documents where key = ?', [key])?.id);
    const state: FileState = { size: document.size, mtimeMs: document.mtimeMs };
    try {
      const bytes = await this.#bytes(document, signal);
      state.digest = createHash('sha256').update(bytes).digest('hex');
      if (before?.digest === state.digest && before.failed === 0) {
        await this.#writer.transaction(() => {
          db.run('update documents set size = ?, mtime = ?, todo = 0 where id = ?', [state.size ?? null, state.mtimeMs ?? null, id]);
        });
        return this.#finished(key, 'unchanged');
      }
      const text = await this.#text(document, bytes, signal);
      await this.#writer.transaction(() => writeContent(db, id, key, text, state));
      this.#finished(key, 'indexed');
    } catch (error) {
      if (signal.aborted) throw error;
      // A failure of the database is not a failure of the document.
      if ((error as Error).name === 'SQLite3Error') throw error;
      const problem = error instanceof DocumentError ? error.problem : 'unreadable';
      // A file that could not be opened, or that took too long, may be readable next time although it has not changed.
      const { size, mtimeMs, digest } = problem === 'unreadable' || problem === 'too-slow' ? ({} as FileState) : state;
      const message = (error as Error).message.slice(0, MAX_MESSAGE);
      await this.#writer.transaction(() => {
        deleteContent(db, id);
        db.run(
          'update documents set problem = ?, message = ?, size = ?, mtime = ?, digest = ?, length = 0, chunks = 0, todo = 0 where id = ?',
          [problem, message, size ?? null, mtimeMs ?? null, digest ?? null, id],
        );
      });
      this.#finished(key, 'failed', message);
    }
  }

  async #bytes(document: SourceDocument, signal: AbortSignal): Promise<Uint8Array> {
    const { bytes: most } = this.#limits;
    if ((document.size ?? 0) > most) throw tooLarge(`The file is ${megabytes(document.size ?? 0)}`, megabytes(most));
    this.#report.read++;
    const bytes = await document.bytes(signal);
    if (bytes.length > most) throw tooLarge(`The file is ${megabytes(bytes.length)}`, megabytes(most));
    return bytes;
  }

  async #text({ name, key }: SourceDocument, bytes: Uint8Array, signal: AbortSignal): Promise<DocumentText> {
    const { read } = this.#ports;
    if (!read) throw new TypeError('There is no reader of documents.');
    const parsed = await read(name, bytes, signal);
    const chunked = await chunksInTurns(parsed, signal);
    const most = this.#limits.characters;
    if (chunked.length > most) throw tooLarge(`Its text has ${millions(chunked.length)} characters`, millions(most));
    if (chunked.chunks.length === 0) throw new DocumentError('empty', 'The document has no text.');
    const title = (parsed.title?.trim() || chunked.sections[0]?.title || key.slice(key.lastIndexOf('/') + 1)).slice(0, MAX_TITLE);
    return { ...chunked, title, format: formatOfName(name) ?? '', notes: parsed.notes.slice(0, MAX_NOTES) };
  }

  #finished(key: string, result: Extract<UpdateEvent, { type: 'document' }>['result'], message?: string): void {
    this.#report[result]++;
    this.#done++;
    this.#notify({ type: 'document', key, result, ...(message && { message }), done: this.#done, todo: this.#todo });
  }
}

/** A name with a line break could look like the place of another document. */
const UNNAMEABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function leftOut(keys: ReadonlySet<string>, reason: string): string {
  const [first] = keys;
  return `${keys.size.toLocaleString('en')} of the documents were left out, such as ${JSON.stringify(first)}, because ${reason}.`;
}

const MAX_TITLE = 300;
const MAX_NOTES = 20;
const MAX_MESSAGE = 1_000;

/** A document without a size and a time, such as a page, is always read and compared. */
function isSame(before: Known, { size, mtimeMs }: SourceDocument): boolean {
  return size !== undefined && mtimeMs !== undefined && before.size === size && before.mtime === mtimeMs;
}

function tooLarge(what: string, limit: string): DocumentError {
  return new DocumentError('too-large', `${what}, and the limit is ${limit}. Split it into smaller files.`);
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
const millions = (characters: number) => `${(characters / 1_000_000).toFixed(1)} million`;
