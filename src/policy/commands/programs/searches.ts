/** Finds commands that print the content of files they do not name: recursive searches, and Git output. */

import type { SimpleCommand } from '../types.ts';
import { valuedLetters } from './options.ts';
import { programName } from './program-tables.ts';

export type SearchedPlaces = {
  /** The searched paths as written, or `.` for the working directory. Some of these words may not be paths. */
  places: string[];
  /** Whether files and folders whose names begin with a dot are searched too. */
  hidden: boolean;
  /** Whether symbolic links below the places are followed. */
  follows?: boolean;
  /** Names that match one of these globs are searched even if they begin with a dot. */
  globs?: string[];
  /** If not empty, only names that match one of these globs are searched. */
  only?: string[];
  /**
   * The field is set if only files tracked by Git are searched. With `changes`, the output is a diff, so its files cannot be determined in advance.
   */
  tracked?: 'files' | 'changes';
};

type Form = {
  follows: RegExp;
  hidden: RegExp;
};

const ALWAYS = /^/;
const RG: Form = {
  follows: /^(?:-[^-]*L.*|--follow)$/,
  hidden: /^(?:-[^-]*[u.].*|--hidden|--unrestricted)$/,
};
const GREP: Form = { follows: /^(?:-[^-]*R.*|--der.*)$/, hidden: ALWAYS };
const AG: Form = {
  follows: /^(?:-[^-]*f.*|--follow)$/,
  hidden: /^(?:-[^-]*u.*|--hidden|--unrestricted)$/,
};
const FORMS: Record<string, Form> = {
  rg: RG,
  ag: AG,
  ack: { follows: /^--follow$/, hidden: ALWAYS },
  ugrep: { follows: /^(?:-[^-]*[RS].*|--deref.*)$/, hidden: ALWAYS },
  diff: { follows: ALWAYS, hidden: ALWAYS },
};
FORMS.ug = FORMS.ugrep as Form;

/** GNU programs accept abbreviated options and abbreviated option values. */
const RECURSIVE = /^(?:-[^-]*[rR].*|--rec.*|--der.*|--di.*=rec.*|rec|recur?|recurse?)$/;
/**
 * Long options whose value is the next word, and long options without a value. The next word after any other option may be its value.
 */
const LONG_VALUED =
  /^--(?:type|type-not|glob|iglob|max-count|max-depth|context|after-context|before-context|regexp|file|max-columns|sort|sortr|threads|replace|encoding|include|exclude|exclude-dir)$/;
const LONG_ALONE =
  /^--(?:.*=.*|hidden|no-ignore.*|ignore-case|smart-case|word-regexp|line-number|rec.*|count|files-with.*|fixed-strings|extended-regexp|perl-regexp|only-matching|no-heading|heading|invert-match|no-messages|with-filename|no-filename|text|quiet|files|stats|multiline|pcre2|unrestricted|json|vimgrep|trim|null|follow|untracked|cached)$/;

const CD = /^(?:cd|chdir|set-location|sl|push-location)$/;

function searchedPlaces({ argv }: Pick<SimpleCommand, 'argv'>): SearchedPlaces | undefined {
  const [program = '', ...words] = argv.map((word) => word ?? '');
  const name = programName(program);
  if (name === 'git') return searchedByGit(words);
  const isGrep = /^(?:[efz]|bz|xz)?grep$/.test(name);
  const form = isGrep ? GREP : Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (!form || (isGrep && !/rgrep$/.test(program) && !words.some((word) => RECURSIVE.test(word)))) return undefined;
  const valued = name === 'diff' ? '' : (valuedLetters(name) ?? '');
  const isClear = optionsAreClear(words, valued);
  if (name === 'rg' && isClear && words.includes('--files')) return undefined;
  return {
    places: name === 'diff' ? plain(words) : placesIn(words, valued),
    hidden: words.some((word) => form.hidden.test(word)),
    follows: words.some((word) => form.follows.test(word)),
    globs: name === 'rg' ? globsIn(words) : [],
    only: !isClear ? [] : name === 'rg' ? onlyIn(words) : isGrep ? includesIn(words) : [],
  };
}

/** Returns the places that all commands search. In PowerShell, a pipe passes files from one command to the next. */
export function searchesOf(commands: readonly SimpleCommand[], isPowerShell = false): SearchedPlaces[] {
  const searched = commands.flatMap((command) => searchedPlaces(command) ?? []);
  const has = (names: RegExp) => commands.filter(({ argv: [program] }) => names.test(programName(program ?? '')));
  if (!isPowerShell || has(/^(?:get-content|gc|cat|type|select-string|sls|import-\w+)$/).length === 0) return searched;
  // A name that is assembled in a pipe may refer to any file.
  const isMade = has(/^(?:join-path|split-path|convert-path|write-output|write|echo)$/).some(({ within }) => within.includes('pipe'));
  return [
    ...searched,
    ...(isMade && has(/^(?:get-content|gc|cat|type)$/).length > 0 ? [{ places: ['.'], hidden: true }] : []),
    ...has(/^(?:get-childitem|gci|ls|dir|get-item|gi|resolve-path)$/).map(({ argv }) => {
      const words = argv.slice(1).map((word) => word ?? '');
      const isValue = (at: number) => /^-(?!(?:literal)?p)/i.test(words[at - 1] ?? '');
      const isNamed = words.some((word, at) => !word.startsWith('-') && !isValue(at));
      return { places: [...plain(words), ...(isNamed ? [] : ['.'])], hidden: true };
    }),
  ];
}

/** Returns the directories that the commands change to, in order. */
export function foldersOf(commands: readonly SimpleCommand[]): string[] {
  return commands.flatMap(({ argv: [program, folder] }) => (CD.test(programName(program ?? '')) && folder !== undefined ? [folder] : []));
}

/** Returns the searched places. An operand that may be the search pattern or a directory counts as a place. */
function placesIn(words: readonly string[], valued: string): string[] {
  const all = plain(words);
  const isClear = words.every((word) => !word.startsWith('--') || word === '--' || LONG_ALONE.test(word) || LONG_VALUED.test(word));
  return operandsIn(words, valued).length > 0 && isClear ? all : [...all, '.'];
}

/** Returns the operands. The first operand is omitted if it is the search pattern. */
function operandsIn(words: readonly string[], valued: string): string[] {
  const takesNext = (word = '') => endsValued(word, valued) || LONG_VALUED.test(word);
  const operands = words.filter((word, at) => !word.startsWith('-') && !takesNext(words[at - 1]));
  const givesPattern = (word: string) => /^--(?:regexp|file)/.test(word) || /^[ef]/.test(valuedPart(word, valued) ?? '');
  return operands.slice(words.some(givesPattern) ? 0 : 1);
}

/** Returns the part of a group of one-letter options from the first letter that takes a value: `em10` of `-nem10`. */
function valuedPart(word: string, valued: string): string | undefined {
  if (!/^-[^-]/.test(word)) return undefined;
  const at = [...word].findIndex((letter) => valued.includes(letter));
  return at < 0 ? undefined : word.slice(at);
}

/** Returns true if the next word may be this option's value. In `-ge`, this is not certain, because `e` may be the value of `-g`. */
function endsValued(word: string, valued: string): boolean {
  return /^-[^-]/.test(word) && valued.includes(word.at(-1) as string);
}

/**
 * Returns true if every word that looks like an option is certain to be an option, and not the value of another option or an operand after
 * `--`.
 */
function optionsAreClear(words: readonly string[], valued: string): boolean {
  const mayTakeNext = (word = '') => endsValued(word, valued) || (word.startsWith('--') && !LONG_ALONE.test(word));
  return !words.includes('--') && !words.some((word, at) => word.startsWith('-') && mayTakeNext(words[at - 1]));
}

function plain(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'));
}

/** Returns the globs of `--glob` options. ripgrep also searches hidden files that match them. */
function globsIn(words: readonly string[]): string[] {
  const globs = words.flatMap((word, at) => {
    if (/^(?:--i?glob|-[A-Za-z.]*g)$/.test(word)) return words[at + 1] ?? [];
    return /^(?:--i?glob=|-[A-Za-z.]*?g=?)(.+)$/.exec(word)?.[1] ?? [];
  });
  // Other glob implementations interpret escapes, nested braces and `/` in braces differently, so such a glob counts as `*`.
  return globs.filter((glob) => !glob.startsWith('!')).map((glob) => (/\\|\{[^}]*[{/]/.test(glob) ? '*' : glob));
}

/** Maps ripgrep's file types to globs. Only types that consist of a single glob are listed. */
const TYPES: Record<string, string> = {
  ts: '*.{ts,tsx,cts,mts}',
  typescript: '*.{ts,tsx,cts,mts}',
  js: '*.{js,jsx,cjs,mjs,vue}',
  py: '*.{py,pyi}',
  python: '*.{py,pyi}',
  go: '*.go',
  rust: '*.rs',
  java: '*.{java,jsp,jspx}',
  css: '*.{css,scss}',
  html: '*.{htm,html,ejs}',
  md: '*.{md,mdx,markdown,mdown,mdwn,mkd,mkdn}',
  c: '*.{c,h,cats}',
  swift: '*.swift',
  kotlin: '*.{kt,kts}',
};

function onlyIn(words: readonly string[]): string[] {
  const types = words.flatMap((word, at) => {
    if (/^(?:--type|-[A-Za-z.]*t)$/.test(word)) return [words[at + 1] ?? ''];
    const type = /^(?:--type=|-[A-Za-z.]*?t=?)(.+)$/.exec(word)?.[1];
    return type === undefined || word.startsWith('--no-') ? [] : [type];
  });
  // A type that is not listed here, or was redefined with `--type-add`, may contain any file.
  const isClear = types.every((type) => Object.hasOwn(TYPES, type)) && !words.some((word) => word.startsWith('--type-'));
  return isClear ? [...globsIn(words), ...types.map((type) => TYPES[type] as string)] : [];
}

/** Returns the globs of `--include` options. With `--exclude`, grep may also search files that match neither, so the result is empty. */
function includesIn(words: readonly string[]): string[] {
  if (words.some((word) => (/^--exc/.test(word) && !/^--exclude-d/.test(word)) || /^--include-|^--inc.*\\/.test(word))) return [];
  return words.flatMap((word, at) => {
    const [name = '', ...value] = word.split('=');
    if (!/^--inc/.test(name)) return [];
    return [value.length > 0 ? value.join('=') : (words[at + 1] ?? '*')];
  });
}

const PATCH = /^(?:-[A-Za-z]*[puU].*|-L.*|--pat.*|--u.*|--cc|-c|-m|--word-d.*|--color-w.*|--bin.*|--dd|--remerge.*|--diff-m.*|--full-d.*)$/;
const NO_PATCH = /^(?:--stat.*|--shortstat|--numstat|--name-.*|--summary|--quiet|--dirstat.*|--raw|--no-patch|-s)$/;
/** Git options without a separate value. After any other option, the next word may be that option's value. */
const GIT_ALONE = /^-(?:[abwzRrMC]|\d+|-(?:.*=.*|cached|staged|oneline|graph|all|no-color|no-renames|no-ext-diff|root|merge-base))$/;

function isWithoutPatch(subcommand: string, words: readonly string[]): boolean {
  if (subcommand === 'cat-file' && /^-[tse]$/.test(words[0] ?? '')) return true;
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  const isAlone = (word = '') => !word.startsWith('-') || NO_PATCH.test(word) || GIT_ALONE.test(word);
  return !words.includes('--no-quiet') && options.some((word, at) => NO_PATCH.test(word) && isAlone(options[at - 1]));
}

function searchedByGit(words: readonly string[]): SearchedPlaces | undefined {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const [subcommand = '', ...rest] = words.slice(Math.max(at, 0));
  if (subcommand === 'grep') {
    const isAll = rest.some((word) => /^--(?:un|no-e|no-i|rec)/.test(word));
    const end = rest.indexOf('--');
    const places =
      end < 0
        ? [...operandsIn(rest, valuedLetters('grep') ?? ''), '?']
        : [...rest.slice(end + 1), ...(end === rest.length - 1 ? ['.'] : [])];
    return { places: pathspecs(places), hidden: true, ...(!isAll && { tracked: 'files' }) };
  }
  const shows = /^(?:diff|show|range-diff|cat-file)$/.test(subcommand) && !isWithoutPatch(subcommand, rest);
  const isPatch = /^(?:log|reflog|whatchanged|stash|diff|show|diff-tree|diff-index|diff-files)$/.test(subcommand);
  const isVerbose = subcommand === 'status' && rest.some((word) => /^(?:-[^-]*v.*|--v.*)$/.test(word));
  if (!shows && !isVerbose && !(isPatch && rest.some((word) => PATCH.test(word)))) return undefined;
  const end = rest.indexOf('--');
  // `HEAD:src/a.ts` names a single file. With `diff`, two such names may be directories that are compared.
  if (/^(?:show|cat-file)$/.test(subcommand) && end < 0 && plain(rest).length > 0 && plain(rest).every((word) => /^[^:]+:./.test(word)))
    return undefined;
  const isAll = rest.some((word) => /^--full-d/.test(word));
  const pathspecWords = isAll ? [] : pathspecs(end < 0 ? plain(rest) : rest.slice(end + 1));
  // Without `--`, Git treats a word as a path only if a file of that name exists.
  return { places: end < 0 || pathspecWords.length === 0 ? [...pathspecWords, '?'] : pathspecWords, hidden: true, tracked: 'changes' };
}

/** Replaces each pathspec with a pattern by `.`, because it could match any file of the repository. */
function pathspecs(places: readonly string[]): string[] {
  return places.map((place) => (/[*?[]|^:/.test(place) ? '.' : place));
}
