/** Whether a word of a command can be one of some options, in any spelling that programs accept. */

/**
 * `options` are as people write them, split at blanks: `-o` (also within `-xoy`), `--output` (also cut short, as `--outp`, in other
 * capitals, and with `=value`), `-exec` (the long ones with one dash, or two). `isExact` is for programs that know no clusters of
 * letters. It rather takes one too many than one too few.
 */
export function findOption(words: readonly string[], options: string, isExact = false): string | undefined {
  const wanted = options.split(/\s+/).filter((option) => option !== '');
  return words.find((word) => word.length > 1 && word.startsWith('-') && wanted.some((option) => isOption(word, option, isExact)));
}

function isOption(word: string, option: string, isExact: boolean): boolean {
  const [name = ''] = word.split(/[=:]/);
  if (isExact) return exact(name.split(',')[0] ?? '') === exact(option);
  if (option.startsWith('--')) {
    if (name.startsWith('--')) return name.length > 2 && folded(option).startsWith(folded(name));
    // Some programs, npm among them, take one dash for two.
    return name.length > 4 && folded(option).startsWith(folded(`-${name}`));
  }
  if (option.length > 2) return folded(name) === folded(option) || name === `-${option}`;
  return !word.startsWith('--') && word.slice(1).includes(option.slice(1));
}

/** Letters alone differ by case: `-C`, `-c`. */
function exact(name: string): string {
  const bare = name.replace(/^--?(?:test\.)?/, '');
  return bare.length > 1 ? bare.toLowerCase() : bare;
}

function folded(name: string): string {
  return name.slice(2).replaceAll('-', '').toLowerCase();
}

/** The first option that is none of `allowed`; clusters of single letters count as each of them, and what follows `=` is a value. */
export function otherOption(words: readonly string[], allowed: string): string | undefined {
  const known = new Set(allowed.split(/\s+/));
  return words.find((word) => {
    if (!word.startsWith('-') || word === '-' || word === '--') return false;
    if (known.has(word.split('=')[0] ?? '')) return false;
    return word.startsWith('--') || ![...word.slice(1)].every((letter) => known.has(`-${letter}`));
  });
}

/** Letters that have a value, of programs that only read: what is behind them in the same word, else the next word. */
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

/** undefined where nobody knows. */
export function valuedLetters(name: string): string | undefined {
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
  return Object.hasOwn(VALUED, known) ? VALUED[known] : undefined;
}

/** What may be the value of an option of one letter, which stands in one word with it: `.npmrc` of `-nf.npmrc`. Rather one too many. */
export function attachedValues(name: string, word: string): string[] {
  const [, letters = ''] = /^-([A-Za-z\d]+)/.exec(word) ?? [];
  const valued = valuedLetters(name);
  const first = [...letters].findIndex((letter) => valued?.includes(letter));
  // Behind a value, `/` is a part of it: `-Isrc/lib`.
  return [...letters].flatMap((_, at) => {
    const value = word.slice(at + 2);
    const isPart = at > 0 && /^[/~]/.test(value) && (valued === undefined ? at > 2 : at !== first);
    return value === '' || isPart ? [] : [value];
  });
}

/** How many words stand in front of the first that is no option; those belong to the program, the others to what it runs. */
export function countLeadingOptions(words: readonly string[]): number {
  const end = words.findIndex((word) => !word.startsWith('-') || word === '-' || word === '--');
  return end < 0 ? words.length : end;
}

/** Words in the name of an option that brings code, a program or a configuration along; and those that do so where they name a file. */
const CODE =
  /^(?:config|configuration|rcfile|plugins?|require|import|loader|preload|exec|eval|hook|bootstrap|pager|editor|launcher|wrapper)$/;
const MAYBE_CODE =
  /^(?:[rcupe]|setup|runner|resolver|reporters?|processor|transform|sequencer|provider|environment|env|interface|ui|parser|formatter|format|adapter|workspace|serializers?|prettier|extensions?)$/;
const FILE = /^[.~/]|[\\/]|\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml|py|rb|php|sh|so|dll|dylib|jar)$/i;

/** The first of these options whose name says that its value is run, or configures what runs; `words` are all arguments. */
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
