/**
 * Ranks paths by how well they match the text that a user has typed. A path must contain the letters in this order, but other letters may
 * occur between them. Fuzzy search libraries were measured with 200,000 paths: they either blocked the extension host for a quarter of a
 * second per letter, or their results had to be ranked again.
 */

/** A list of paths that is prepared for many searches. The path of a folder ends with a slash. */
export class PathRanking {
  readonly #paths: readonly string[];
  /** The lowercase characters of all paths, in one array, because reading 200,000 strings one by one takes several times as long. */
  readonly #codes: Uint16Array;
  /** The index in `#codes` at which each path begins, followed by the index at which the last path ends. */
  readonly #starts: Uint32Array;
  /** For each path, the set of its characters, so that most paths are rejected without being read. */
  readonly #characters: Int32Array;
  /** The paths that match the last query. A longer query is searched only in them. */
  #last: { query: string; indices: Uint32Array } | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.#codes = new Uint16Array(paths.reduce((total, path) => total + path.length, 0));
    this.#starts = new Uint32Array(paths.length + 1);
    this.#characters = new Int32Array(paths.length);
    let at = 0;
    for (const [index, path] of paths.entries()) {
      const lower = lowerCase(path);
      let set = 0;
      for (let each = 0; each < path.length; each++) {
        const code = lower.charCodeAt(each);
        this.#codes[at++] = code;
        set |= bitOf(code);
      }
      this.#characters[index] = set;
      this.#starts[index + 1] = at;
    }
  }

  get size(): number {
    return this.#paths.length;
  }

  /** Returns the best `limit` paths, best first. A path for which `isPreferred` returns true ranks as if the user had typed more of it. */
  search(input: string, limit: number, isPreferred: (path: string) => boolean = () => false): string[] {
    const query = lowerCase(input.replaceAll('\\', '/'));
    const codes = Uint16Array.from({ length: query.length }, (_, index) => query.charCodeAt(index));
    const wanted = codes.reduce((set, code) => set | bitOf(code), 0);
    const narrowed = this.#last && query.startsWith(this.#last.query) ? this.#last.indices : undefined;
    const count = narrowed?.length ?? this.#paths.length;
    const matching = new Uint32Array(count);
    let matches = 0;
    const best: { path: string; score: number }[] = [];
    for (let each = 0; each < count; each++) {
      const index = narrowed ? (narrowed[each] as number) : each;
      if (((this.#characters[index] as number) & wanted) !== wanted) continue;
      const score = scoreOf(this.#codes, this.#starts[index] as number, this.#starts[index + 1] as number, codes);
      if (score === NO_MATCH) continue;
      matching[matches++] = index;
      insert(best, this.#paths[index] as string, score, limit, isPreferred);
    }
    this.#last = { query, indices: matching.slice(0, matches) };
    return best.map(({ path }) => path);
  }
}

/** Converts to lowercase, except for characters whose lowercase form has another length, because the positions must not change. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

const PREFERRED = 60;

/** Inserts a path into the sorted list of the best paths if it is good enough. */
function insert(
  best: { path: string; score: number }[],
  path: string,
  plain: number,
  limit: number,
  isPreferred: (path: string) => boolean,
) {
  const last = best.length >= limit ? best[best.length - 1] : undefined;
  if (last && plain + PREFERRED < last.score) return;
  const score = isPreferred(path) ? plain + PREFERRED : plain;
  if (last && (score < last.score || (score === last.score && path >= last.path))) return;
  let at = best.length;
  while (at > 0) {
    const before = best[at - 1] as { path: string; score: number };
    if (before.score > score || (before.score === score && before.path < path)) break;
    at--;
  }
  best.splice(at, 0, { path, score });
  if (best.length > limit) best.pop();
}

/** Returns a set of bits: one for each letter, one for all digits, and one for each of some separators. */
function bitOf(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  if (code >= 48 && code <= 57) return 1 << 26;
  if (code === 47) return 1 << 27;
  if (code === 46) return 1 << 28;
  if (code === 45) return 1 << 29;
  return code === 95 ? 1 << 30 : 0;
}

const NO_MATCH = Number.NEGATIVE_INFINITY;
const SLASH = 47;

/** Returns the score of the path from `start` to `end` in `codes`. A match in the file name counts more than a match in a folder. */
function scoreOf(codes: Uint16Array, start: number, end: number, query: Uint16Array): number {
  // A short path ranks before a long one, but a worse match never ranks before a better one.
  const length = Math.min(end - start, 200) / 10;
  if (query.length === 0) return -length;
  let at = end;
  let score = 0;
  // Each letter is searched backwards, so that the file name is searched first. Adjacent letters, and letters at the start of a
  // word, count more.
  for (let index = query.length - 1; index >= 0; index--) {
    const code = query[index] as number;
    let next = at - 1;
    while (next >= start && codes[next] !== code) next--;
    if (next < start) return NO_MATCH;
    if (next === at - 1 && index < query.length - 1) score += 12;
    if (isWordStart(codes, start, next)) score += 10;
    at = next;
  }
  const first = query[0];
  const last = codes[end - 1] === SLASH ? end - 1 : end;
  let name = last;
  while (name > start && codes[name - 1] !== SLASH) name--;
  if (at >= name) score += 40;
  for (let place = name; place + query.length <= last; place++) {
    if (codes[place] !== first || !isAt(codes, place, query)) continue;
    if (place === name) return 1_000 + (place + query.length === last ? 200 : 0) - length;
    return (isWordStart(codes, start, place) ? 800 : 600) - length;
  }
  for (let place = name - 1; place >= start; place--)
    if (codes[place] === first && isAt(codes, place, query)) return (isWordStart(codes, start, place) ? 550 : 450) - length;
  return Math.min(400, score) - length;
}

/** Returns true if the rest of the query follows its first letter here. */
function isAt(codes: Uint16Array, place: number, query: Uint16Array): boolean {
  for (let index = 1; index < query.length; index++) if (codes[place + index] !== query[index]) return false;
  return true;
}

/** Returns true if a word begins here: at the beginning, or after a separator. */
function isWordStart(codes: Uint16Array, start: number, at: number): boolean {
  if (at === start) return true;
  const before = codes[at - 1];
  return before === SLASH || before === 45 || before === 95 || before === 46 || before === 32;
}
