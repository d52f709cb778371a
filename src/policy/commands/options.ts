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

/** Of a program that nobody knows, or behind `npm test --`: an option whose name says that its value is run or configures what runs. */
export function bringsCode(words: readonly string[]): string | undefined {
  return words.find((word, at) => {
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
