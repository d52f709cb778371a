/** Removes from the text of a file what must not leave this computer: keys, the user's paths, and fields that ask for permissions. */
import { readFrontMatter } from '../../agents/front-matter.ts';
import { escapeRegex } from '../../core/escape-regex.ts';
import { KEYS } from '../../core/keys.ts';

/** `homes` are spellings of the user's home folder, and `folders` those of the open folders. */
export type PrivatePlaces = { homes: readonly string[]; folders: readonly string[] };

/** `removed` says in sentences what was removed. */
export type Cleaned = { text: string; removed: string[] };

/** Fields with which files of this or other assistants ask for permissions, programs or connections. */
const NEVER_SHARED =
  /^(?:grants?|allow|deny|permissions?|permission-?mode|hooks?|mcp-?servers?|servers|env|environment|headers|rules|policy|api-?keys?|base-?url)$/i;

/** Values that only name a key, such as a variable, are no keys. */
const REFERENCE = /^(?:["']?[$<{[(]|process\.|os\.|env\.|your|\*|x{4}|\.\.\.|…)/i;

export function cleaned(path: string, text: string, { homes, folders }: PrivatePlaces): Cleaned {
  const removed: string[] = [];
  const note = (what: string, times: number) =>
    times > 0 && removed.push(`${path}: ${what} ${times === 1 ? 'was' : 'were'} left out${times > 1 ? `, ${times} times` : ''}.`);
  const replace = (what: string, pattern: RegExp, by: string, isKept: (match: string) => boolean = () => false) => {
    let times = 0;
    clean = clean.replace(pattern, (match) => {
      if (isKept(match)) return match;
      times++;
      return by;
    });
    note(what, times);
  };
  let clean = withoutFields(path, text, removed);
  for (const [what, pattern] of KEYS) replace(what, pattern, '[left out]', (match) => REFERENCE.test(match));
  for (const folder of byLength(folders)) replace('paths of this folder', placePattern(folder), '.');
  for (const home of byLength(homes)) replace('the home folder', placePattern(home), '~');
  replace('home folders', HOME, '~');
  return { text: clean, removed };
}

/** A home folder of anybody, on any system, also as Linux on Windows and Git Bash write it. */
const HOME = /(?<![\w.])(?:(?:\/var)?\/home\/|(?:(?:\/mnt)?\/[A-Za-z])?\/Users\/|[A-Za-z]:[\\/]+Users[\\/]+)[\p{L}\p{M}\p{N}_.-]+/gu;

const byLength = (places: readonly string[]) => places.filter(({ length }) => length > 3).toSorted((a, b) => b.length - a.length);

function placePattern(place: string): RegExp {
  return new RegExp(
    `(?<![\\w.-])${place
      .split(/[\\/]+/)
      .map(escapeRegex)
      .join('[\\\\/]+')}(?![\\w-])`,
    'gi',
  );
}

/** Removes the fields of the front matter that are never shared, with the lines that belong to them. */
function withoutFields(path: string, text: string, removed: string[]): string {
  const read = readFrontMatter(text);
  if ('problem' in read || ![...read.fields.keys()].some((field) => NEVER_SHARED.test(field))) return text;
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  let isRemoving = false;
  const kept = lines.filter((line, index) => {
    if (index === 0 || index >= end) return true;
    const [, field] = /^["']?([\w-]+)["']?[ \t]*:/.exec(line) ?? [];
    if (field !== undefined) {
      isRemoving = NEVER_SHARED.test(field);
      if (isRemoving) removed.push(`${path}: the field ${field} was left out.`);
    } else if (/^[^\s#-]/.test(line)) isRemoving = false;
    return !isRemoving;
  });
  return kept.join('\n');
}

/** Returns a field that should have been removed, if the form of the front matter prevented it. */
export function fieldLeft(text: string): string | undefined {
  const read = readFrontMatter(text);
  return 'problem' in read ? undefined : [...read.fields.keys()].find((field) => NEVER_SHARED.test(field));
}
