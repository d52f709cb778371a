/** Finds the passages of a collection that match a query by BM25, and ranks the best of them again. */
import type { Database } from 'node-sqlite3-wasm';
import { areSimilar } from '../chunks/similarity.ts';
import type { Passage, SearchOptions } from '../collections.ts';
import type { Place } from '../document.ts';
import { languagesIn } from './content.ts';
import { filterConditions } from './filter.ts';
import { isFrequent, isLanguage, type Language, languageOf } from './languages.ts';
import { scoresOf } from './ranking.ts';
import { editDistance, type QueryWord, queryWords } from './terms.ts';

/** The weights of the title and the path of a document, of headings, and of text. */
const WEIGHTS = 'bm25(1.0, 4.0, 1.0)';
/**
 * The number of chunks that are ranked, which limits the time of a query. Of words that are in more chunks, the rarest are used, because
 * frequent words hardly change the order. If all are frequent, only this many of the chunks that have all of them are ranked.
 */
const MAX_RANKED = 15_000;
const MAX_WORDS = 40;
const MAX_QUERY = 2_000;
/** The number of index terms that are compared to a misspelled word. */
const MAX_COMPARED = 20_000;

/** The number of passages that are ranked again. */
const CANDIDATES = 60;

type Word = QueryWord & { count: number };
export type Candidate = Omit<Passage, 'collection' | 'repeated'> & { print: string };

/** Returns more than `limit` candidates, because repeated passages are left out later. */
export function candidatesIn(db: Database, query: string, { filter, limit = 10, tolerant = false }: SearchOptions): Candidate[] {
  const words = wordsOf(db, query.slice(0, MAX_QUERY), tolerant);
  if (words.length === 0) return [];
  const { where, values } = filterClause(filter);
  const most = Math.max(CANDIDATES, limit * 3 + 10);
  let rows = rowsOf(db, matchOf(words), { where, values, most });
  // All words are frequent, and no chunk has all of them.
  if (rows.length < limit && isAllFrequent(words)) rows = rowsOf(db, anyOf(words.slice(0, 1)), { where, values, most });
  return ranked(db, rows, words);
}

function ranked(db: Database, rows: ReturnType<typeof rowsOf>, words: readonly Word[]): Candidate[] {
  const found = rows.map((row) => ({
    document: String(row.key),
    title: String(row.title),
    titlePath: JSON.parse(String(row.path)) as string[],
    place: JSON.parse(String(row.place)) as Place,
    text: String(row.lead) + String(row.text),
    start: Number(row.start),
    print: String(row.print),
  }));
  const chunks = Number(db.get('select max(id) as count from chunks')?.count ?? 0);
  const scores = scoresOf(
    found.map(({ document, title, titlePath, text }, index) => {
      const language = String(rows[index]?.language);
      const headings = [...new Set([...titlePath, ...headingsIn(text)])];
      return {
        ...{ document, title: `${title} ${document}`, headings, text },
        language: isLanguage(language) ? language : 'en',
        isCode: rows[index]?.format === 'code',
        score: -Number(rows[index]?.score),
      };
    }),
    words.map(({ terms, isPrefix, count }) => ({
      terms,
      isPrefix,
      rarity: Math.log(1 + (Math.max(0, chunks - count) + 0.5) / (count + 0.5)),
    })),
  );
  return found.map((candidate, index) => ({ ...candidate, score: scores[index] ?? 0 })).sort((a, b) => b.score - a.score);
}

/** Headings in a chunk are lines of Markdown. */
function headingsIn(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => title);
}

type Limits = { where: string; values: string[]; most: number };

function rowsOf(db: Database, match: string, { where, values, most }: Limits) {
  return db.all(
    `select d.key, d.title, d.language, d.format, c.path, c.place, c.lead, c.text, c.start, c.print, f.score from
       (select * from (select rowid, rank as score from terms where terms match ? and rank match '${WEIGHTS}' ${where} limit ${MAX_RANKED})
       order by score limit ${most}) f join chunks c on c.id = f.rowid join documents d on d.id = c.document order by f.score, c.id`,
    [match, ...values],
  );
}

function filterClause(filter: SearchOptions['filter']): Pick<Limits, 'where' | 'values'> {
  const { conditions, values } = filterConditions(filter);
  if (conditions.length === 0) return { where: '', values };
  const documents = `select id from documents where ${conditions.join(' and ')}`;
  return { where: `and +rowid in (select id from chunks where document in (${documents}))`, values };
}

const languagesOf = new WeakMap<Database, Language[]>();

/** A reader opens the database again after each change, so its languages stay the same. Counting them takes 10 ms in 20,000 documents. */
function knownLanguages(db: Database): Language[] {
  const known = languagesOf.get(db) ?? languagesIn(db);
  languagesOf.set(db, known);
  return known;
}

/** Returns the words of the query with the number of chunks that contain them, the rarest first. */
function wordsOf(db: Database, query: string, tolerant: boolean): Word[] {
  const language = languageOf(query);
  const languages = [...new Set([...knownLanguages(db), language])];
  const all = queryWords(query, languages);
  const meaningful = all.filter(({ whole, isPrefix }) => isPrefix || !isFrequent(whole, [language]));
  const counted = (meaningful.length > 0 ? meaningful : all).slice(0, MAX_WORDS).map((word) => countedWord(db, word, tolerant));
  // A text may write two words as one, such as "rollback".
  const absent = new Set(counted.filter(({ count }) => count === 0).map(({ whole }) => whole));
  for (const word of queryWords(joinedPairs(query, absent), languages)) counted.push(countedWord(db, word, false));
  return counted.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);
}

/** Returns each two neighboring words, of which one is absent from all texts, as one word. */
function joinedPairs(query: string, absent: ReadonlySet<string>): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const pairs = words.slice(1).map((word, index) => [words[index] as string, word] as const);
  return pairs.flatMap((pair) => (pair.some((word) => absent.has(word)) ? [pair.join('')] : [])).join(' ');
}

function countedWord(db: Database, word: QueryWord, tolerant: boolean): Word {
  const count = word.terms.reduce((sum, term) => sum + countOf(db, term, word.isPrefix), 0);
  if (count === 0 && word.parts) {
    const { parts, ...rest } = word;
    return countedWord(db, { ...rest, terms: parts }, tolerant);
  }
  if (count > 0 || !tolerant || word.isPrefix) return { ...word, count };
  const terms = word.terms.flatMap((term) => similarTerms(db, term));
  return { ...word, terms, count: terms.reduce((sum, term) => sum + countOf(db, term, false), 0) };
}

function countOf(db: Database, term: string, isPrefix: boolean): number {
  if (!isPrefix) return Number(db.get('select doc from vocabulary where term = ?', [term])?.doc ?? 0);
  const row = db.get('select sum(doc) as count from (select doc from vocabulary where term >= ? and term < ? limit 1000)', [
    term,
    `${term}\u{10ffff}`,
  ]);
  return Number(row?.count ?? 0);
}

/** Returns the terms that differ from a misspelled word in one letter, or two of a long word. The first letter must be right. */
function similarTerms(db: Database, term: string): string[] {
  if (term.length < 4) return [];
  const most = term.length < 8 ? 1 : 2;
  const [first = ''] = term;
  const found: { term: string; distance: number; count: number }[] = [];
  const rows = db.all(`select term, doc from vocabulary where term >= ? and term < ? limit ${MAX_COMPARED}`, [first, `${first}\u{10ffff}`]);
  for (const row of rows) {
    const other = String(row.term);
    const distance = editDistance(term, other, most);
    if (distance <= most) found.push({ term: other, distance, count: Number(row.doc) });
  }
  found.sort((a, b) => a.distance - b.distance || b.count - a.count);
  return found.slice(0, 3).map((each) => each.term);
}

function isAllFrequent([rarest]: readonly Word[]): boolean {
  return rarest !== undefined && rarest.count > MAX_RANKED;
}

function matchOf(words: readonly Word[]): string {
  if (isAllFrequent(words)) return words.map((word) => `(${anyOf([word])})`).join(' AND ');
  const used: Word[] = [];
  let total = 0;
  for (const word of words) {
    total += word.count;
    if (total <= MAX_RANKED) used.push(word);
  }
  return anyOf(used);
}

function anyOf(words: readonly Word[]): string {
  return words.flatMap(({ terms, isPrefix }) => terms.map((term) => `"${term.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`)).join(' OR ');
}

/** Merges the candidates of several collections, and leaves out the passages that repeat a better one. */
export function rankedPassages(candidates: readonly (Candidate & { collection: string })[], limit: number): Passage[] {
  const passages: Passage[] = [];
  const prints: string[] = [];
  for (const { print, ...candidate } of candidates.toSorted((a, b) => b.score - a.score)) {
    const same = prints.findIndex((each) => areSimilar(each, print));
    if (same >= 0) (passages[same] as Passage).repeated++;
    else {
      if (passages.length === limit) continue;
      passages.push({ ...candidate, repeated: 0 });
      prints.push(print);
    }
  }
  return passages;
}
