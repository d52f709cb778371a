/** Recognizes options in any spelling that programs accept. */

/**
 * Returns the first word that may be one of `options`, a space-separated list. `-o` also matches inside `-xoy`; `--output` also matches
 * abbreviations (`--outp`), other capitalization and `=value`; `-exec` matches with one dash or two. Set `isExact` for programs without
 * grouped one-letter options. A false positive only causes an additional approval.
 */
export function findOption(words: readonly string[], options: string, isExact = false): string | undefined {
  const candidates = options.split(/\s+/).filter((option) => option !== '');
  return words.find((word) => word.length > 1 && word.startsWith('-') && candidates.some((option) => isOption(word, option, isExact)));
}

function isOption(word: string, option: string, isExact: boolean): boolean {
  const [name = ''] = word.split(/[=:]/);
  if (isExact) return exact(name.split(',')[0] ?? '') === exact(option);
  if (option.startsWith('--')) {
    if (name.startsWith('--')) return name.length > 2 && folded(option).startsWith(folded(name));
    // Some programs, such as npm, accept one dash in place of two.
    return name.length > 4 && folded(option).startsWith(folded(`-${name}`));
  }
  if (option.length > 2) return folded(name) === folded(option) || name === `-${option}`;
  return !word.startsWith('--') && word.slice(1).includes(option.slice(1));
}

/** Only one-letter options are case-sensitive: `-C` is not `-c`. */
function exact(name: string): string {
  const bare = name.replace(/^--?(?:test\.)?/, '');
  return bare.length > 1 ? bare.toLowerCase() : bare;
}

function folded(name: string): string {
  return name.slice(2).replaceAll('-', '').toLowerCase();
}

/** Returns the first option that is not in `allowed`. Each letter of a group is checked, and text after `=` is ignored. */
export function otherOption(words: readonly string[], allowed: string): string | undefined {
  const allowedOptions = new Set(allowed.split(/\s+/));
  return words.find((word) => {
    if (!word.startsWith('-') || word === '-' || word === '--') return false;
    if (allowedOptions.has(word.split('=')[0] ?? '')) return false;
    return word.startsWith('--') || ![...word.slice(1)].every((letter) => allowedOptions.has(`-${letter}`));
  });
}

/** The one-letter options of read-only programs that take a value. The value is the rest of the word, or the next word. */
const VALUED: Record<string, string> = {
  grep: 'efmABCdDX',
  rg: 'efmABCdgtTMjEr',
  ag: 'ABCGgmpW',
  ack: 'ABCgm',
  ugrep: 'efmABCdDgtMOJ',
  git: 'SGLOUnfCMBl',
  awk: 'Fvf',
  cut: 'bcdf',
  diff: 'UCxXIFSWL',
  du: 'BdtX',
  file: 'efFmP',
  head: 'nc',
  hexdump: 'efns',
  ls: 'ITw',
  sort: 'ktSTo',
  tail: 'ncs',
  tree: 'LPIoHT',
};
const ALIASES: Record<string, string> = { egrep: 'grep', fgrep: 'grep', zgrep: 'grep', bzgrep: 'grep', xzgrep: 'grep', ug: 'ugrep' };

/** Returns the letters of a program's options that take a value, or undefined for a program that is not listed. */
export function valuedLetters(name: string): string | undefined {
  const program = Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
  return Object.hasOwn(VALUED, program) ? VALUED[program] : undefined;
}

/** Returns values that may be attached to a one-letter option: `.npmrc` in `-nf.npmrc`. An ambiguous word has several. */
export function attachedValues(name: string, word: string): string[] {
  const [, letters = ''] = /^-([A-Za-z\d]+)/.exec(word) ?? [];
  const valued = valuedLetters(name);
  const first = [...letters].findIndex((letter) => valued?.includes(letter));
  // Once a value has begun, `/` is part of it: `-Isrc/lib`.
  return [...letters].flatMap((_, at) => {
    const value = word.slice(at + 2);
    const isPart = at > 0 && /^[/~]/.test(value) && (valued === undefined ? at > 2 : at !== first);
    return value === '' || isPart ? [] : [value];
  });
}

/** Counts the options before the first operand. Later words may belong to a script or program that the program runs. */
export function countLeadingOptions(words: readonly string[]): number {
  const end = words.findIndex((word) => !word.startsWith('-') || word === '-' || word === '--');
  return end < 0 ? words.length : end;
}

/**
 * Words in an option's name which indicate that it loads code, a program or a configuration (`CODE`), or that it does so if its value is a
 * file (`MAYBE_CODE`).
 */
const CODE =
  /^(?:config|configuration|rcfile|plugins?|require|import|loader|preload|exec|eval|hook|bootstrap|pager|editor|launcher|wrapper)$/;
const MAYBE_CODE =
  /^(?:[rcupe]|setup|runner|resolver|reporters?|processor|transform|sequencer|provider|environment|env|interface|ui|parser|formatter|format|adapter|workspace|serializers?|prettier|extensions?)$/;
const FILE = /^[.~/]|[\\/]|\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml|py|rb|php|sh|so|dll|dylib|jar)$/i;

/**
 * Returns the first of `options` whose name suggests that its value is executed or configures what is executed; `words` are all arguments.
 */
export function bringsCode(words: readonly string[], options: readonly string[]): string | undefined {
  return words.find((word, at) => {
    if (!options.includes(word)) return false;
    const [, name = '', joined] = /^--?([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const parts = name
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[-_.]/);
    if (parts[0] === '' || parts[0] === 'no') return false;
    const value = joined ?? words[at + 1] ?? '';
    return parts.some((part) => CODE.test(part) || (MAYBE_CODE.test(part) && FILE.test(value)));
  });
}
