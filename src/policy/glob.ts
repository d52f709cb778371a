/**
 * Matches globs written by a model or a repository, without translating them to regular expressions: matching takes time proportional to
 * the length of the glob times the length of the path, so a malicious glob cannot block the program.
 *
 *   *  any characters within a name     **  any number of names, if it stands alone between slashes     ?  one character
 *   [a-z]  [!a-z]  one character of the set, or outside the set     {a,b}  alternatives
 *
 * All other characters are literal, including brackets and braces that are not closed.
 */

export type GlobOptions = {
  /** Whether `*` also matches names that begin with a dot. */
  dot?: boolean;
  /**
   * Whether brackets around something that looks like a name are literal, as in `app/[id]/[...rest].ts`. Ranges such as `[a-z]` remain
   * sets.
   */
  names?: boolean;
};

/** The maximum length in characters. A longer glob is a literal path. Braces are not expanded if the result would be longer. */
const MAX_GLOB = 4_096;
const MAX_ALTERNATIVES = 200;

const STAR = Symbol('*');
const GLOBSTAR = Symbol('**');
type Token = string | typeof STAR | ((letter: string) => boolean);
type Name = Token[] | typeof GLOBSTAR;

export function globMatcher(glob: string, { dot = false, names = false }: GlobOptions = {}): (path: string) => boolean {
  if (glob.length > MAX_GLOB) return (path) => path === glob;
  const globs = alternatives(glob).map((each) => each.split('/').map((name): Name => (name === '**' ? GLOBSTAR : tokensOf(name, names))));
  const fitsName = (tokens: Name, name: string) => {
    const hidden = name.startsWith('.') && !dot;
    if (tokens === GLOBSTAR) return !hidden;
    return name !== '' && !(hidden && tokens[0] !== '.') && matchesSequence<Token, string>(tokens, name, STAR, fitsLetter);
  };
  return (path) => {
    const parts = path.split('/');
    return globs.some((tokens) => matchesSequence<Name, string>(tokens, parts, GLOBSTAR, fitsName));
  };
}

/** Returns true if the glob matches only itself when `names` is set. */
export function isLiteral(path: string): boolean {
  return !/[*?{}]/.test(path) && path.split('/').every((name) => tokensOf(name, true).every((token) => typeof token === 'string'));
}

function fitsLetter(token: Token, letter: string): boolean {
  return typeof token === 'function' ? token(letter) : token === STAR || token === letter;
}

/** Only the most recent star is ever extended by backtracking: extending an earlier one instead could not match more. */
function matchesSequence<T, I>(tokens: readonly T[], items: ArrayLike<I>, star: T, matches: (token: T, item: I) => boolean): boolean {
  let [at, item, behindStar, takenUpTo] = [0, 0, -1, 0];
  while (item < items.length) {
    const token = tokens[at] as T;
    if (at < tokens.length && token === star) {
      behindStar = ++at;
      takenUpTo = item;
    } else if (at < tokens.length && matches(token, items[item] as I)) {
      at++;
      item++;
    } else if (behindStar >= 0 && matches(star, items[takenUpTo] as I)) {
      at = behindStar;
      item = ++takenUpTo;
    } else return false;
  }
  while (at < tokens.length && tokens[at] === star) at++;
  return at === tokens.length;
}

/** Expands braces. Returns the glob unchanged if a brace is not closed or the expansion exceeds the limits. */
function alternatives(glob: string): string[] {
  type Group = { done: string[]; open: string[] };
  const outer: Group[] = [];
  let group: Group = { done: [], open: [''] };
  for (const piece of glob.split(/([{},])/)) {
    let next = [piece];
    if (piece === '{') {
      outer.push(group);
      group = { done: [], open: [''] };
      continue;
    }
    if (piece === ',' && outer.length > 0) {
      group.done.push(...group.open);
      group.open = [''];
      continue;
    }
    if (piece === '}' && outer.length > 0) {
      next = group.done.length > 0 ? [...group.done, ...group.open] : group.open.map((text) => `{${text}}`);
      group = outer.pop() as Group;
    }
    if (group.open.length * next.length > MAX_ALTERNATIVES) return [glob];
    group.open = group.open.flatMap((begin) => next.map((end) => begin + end));
  }
  return outer.length > 0 || group.open.join('').length > MAX_GLOB ? [glob] : group.open;
}

const PIECES = /\[[!^]?\]?[^\]]*\]|./gs;
const NAMES_TOO = /\[{1,2}[\w.=-]+\]{1,2}|\[[!^]?\]?[^\]]*\]|./gs;
const NAME = /^\[+[\w.=-]+\]+$/;
const RANGES = /^\[(?:\w-\w|_)+\]$/;

function tokensOf(name: string, names: boolean): Token[] {
  return (name.match(names ? NAMES_TOO : PIECES) ?? []).flatMap((piece): Token[] => {
    if (piece === '*') return [STAR];
    if (piece === '?') return [() => true];
    const isName = names && NAME.test(piece) && !RANGES.test(piece);
    const set = piece.length > 1 && !isName ? setOf(piece) : undefined;
    return set ? [set] : piece.split('');
  });
}

/** Parses a bracket expression. Returns undefined if it is not a valid set. */
function setOf(piece: string): ((letter: string) => boolean) | undefined {
  const isNegated = /^\[[!^]/.test(piece);
  const letters = piece.slice(isNegated ? 2 : 1, -1).replace(/[\\\]^[]/g, '\\$&');
  if (letters === '') return undefined;
  try {
    const set = new RegExp(`[${isNegated ? '^' : ''}${letters}]`);
    return (letter) => set.test(letter);
  } catch {
    return undefined;
  }
}
