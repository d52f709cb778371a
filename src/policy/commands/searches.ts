/** Programs that read whatever lies below a directory: what they name is not all that they show. */
import { programName } from './programs.ts';
import type { SimpleCommand } from './types.ts';

/** `places` are as they are written, '.' for where it runs; `hidden`: names that begin with a dot are looked into as well. */
export type SearchedPlaces = { places: string[]; hidden: boolean };

const RECURSIVE = /^(?:-[A-Za-z]*[rR].*|--recursive|--dereference-recursive|--directories=recurse|-[A-Za-z]*drecurse|recurse)$/;
const ALL = /^(?:-[A-Za-z]*[u.].*|--hidden|--no-ignore.*|--unrestricted|--all.*)$/;
/** Short options whose value is the next word. */
const VALUED = /^-[a-zA-Z]*[efmABCdDgtTMjE]$/;
/** Long options that stand alone; another one may have a word of what follows for its value. */
const ALONE =
  /^--(?:.*=.*|hidden|no-ignore.*|ignore-case|smart-case|word-regexp|line-number|recursive|count|files-with.*|fixed-strings|extended-regexp|perl-regexp|only-matching|no-heading|heading|invert-match|no-messages|with-filename|no-filename|text|quiet|files|stats|multiline|pcre2|unrestricted|json|vimgrep|trim|null)$/;

export function searchedPlaces({ argv }: Pick<SimpleCommand, 'argv'>): SearchedPlaces | undefined {
  const [program = '', ...words] = argv.map((word) => word ?? '');
  const name = programName(program);
  const isGrep = /^(?:[efz]|bz|xz)?grep$/.test(name);
  if (name === 'diff' && words.some((word) => RECURSIVE.test(word))) return { places: operands(words), hidden: true };
  if (isGrep && !/rgrep$/.test(program) && !words.some((word) => RECURSIVE.test(word))) return undefined;
  if (!isGrep && !/^(?:rg|ag|ack|ugrep|ug)$/.test(name)) return undefined;
  const hasPattern = words.some((word) => /^-[A-Za-z]*[ef]|^--(?:regexp|file)/.test(word));
  const places = operands(words).slice(hasPattern || words.includes('--files') ? 0 : 1);
  const isClear = words.every((word) => !word.startsWith('--') || word === '--' || ALONE.test(word));
  return {
    places: places.length > 0 && isClear ? places : [...places, '.'],
    hidden: isGrep || /^(?:ugrep|ug)$/.test(name) || words.some((word) => ALL.test(word)),
  };
}

function operands(words: readonly string[]): string[] {
  return words.filter((word, at) => !word.startsWith('-') && !VALUED.test(words[at - 1] ?? ''));
}
