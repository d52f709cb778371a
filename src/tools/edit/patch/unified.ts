/** Reads a unified diff, as `diff` and git write it, as a V4A patch: line by line, so that errors name the line that was sent; pure. */

const OLD = /^--- ([^\t]+)/;
const NEW = /^\+\+\+ ([^\t]+)/;
const NOTHING = '/dev/null';
const COUNTS = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** What stands between the files of a diff, besides their names. */
const ABOUT = /^(?:diff --git |index [\da-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity index |Index: |={20,}$)/;

/** The lines of the patch; undefined where they are no unified diff. */
export function fromUnified(lines: readonly string[]): string[] | undefined {
  const out = lines.map((line) => (ABOUT.test(line) ? '' : line));
  let isRead = false;
  let renamed: string | undefined;
  /** Where the hunk ends that the loop is in, by its own count. */
  let end = 0;
  for (let at = 0; at < lines.length; at++) {
    if (isRead) end = hunkEnd(lines, at) ?? end;
    const [from, to] = [renameIn(lines, at), namesAt(lines, at, at < end)];
    if (from) {
      out[at] = `*** Update File: ${from.old}`;
      out[at + 1] = `*** Move to: ${from.now}`;
      renamed = from.old;
    } else if (to) {
      out[at] = renamed === to.old ? '' : sectionOf(to);
      out[at + 1] = '';
      // The content of a new file has no header.
      if (to.old === NOTHING) out.splice(at, 3, '', '', sectionOf(to));
      if (to.now === NOTHING) dropHunks(lines, out, at + 2);
      renamed = undefined;
    } else continue;
    isRead = true;
    at++;
  }
  return isRead ? out : undefined;
}

type Names = { old: string; now: string };

/**
 * Two lines of a hunk can look like this, too, but seldom does a hunk follow them. Where the hunk before counts them as its own, they are names only if
 * both name the same file: counts are often wrong.
 */
function namesAt(lines: readonly string[], at: number, isCounted = false): Names | undefined {
  const [old, now] = [nameIn(OLD, lines[at]), nameIn(NEW, lines[at + 1])];
  if (!old || !now || !/^@@/.test(lines[at + 2] ?? '')) return undefined;
  const isPrefixed = (old === NOTHING || old.startsWith('a/')) && (now === NOTHING || now.startsWith('b/'));
  const bare = (name: string) => (isPrefixed && name !== NOTHING ? name.slice(2) : name);
  const names = { old: bare(old), now: bare(now) };
  return isCounted && names.old !== names.now && old !== NOTHING && now !== NOTHING ? undefined : names;
}

function nameIn(header: RegExp, line = ''): string | undefined {
  const name = header.exec(line)?.[1]?.trim();
  return name && unquoted(name);
}

/** The line after the hunk with this header; undefined where this is no header with counts, or the lines that follow do not fit them. */
function hunkEnd(lines: readonly string[], header: number): number | undefined {
  const counts = COUNTS.exec(lines[header] ?? '');
  if (!counts) return undefined;
  let [old, now] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)];
  let at = header + 1;
  for (; old > 0 || now > 0; at++) {
    const sign = lines[at] === '' ? ' ' : (lines[at]?.[0] ?? '');
    if (!' -+\\'.includes(sign) || sign === '') return undefined;
    if (sign === ' ' || sign === '-') old--;
    if (sign === ' ' || sign === '+') now--;
  }
  return old === 0 && now === 0 ? at : undefined;
}

function renameIn(lines: readonly string[], at: number): Names | undefined {
  const [old, now] = [nameIn(/^rename from (.+)$/, lines[at]), nameIn(/^rename to (.+)$/, lines[at + 1])];
  return old && now ? { old, now } : undefined;
}

function sectionOf({ old, now }: Names): string {
  if (old === NOTHING) return `*** Add File: ${now}`;
  return now === NOTHING ? `*** Delete File: ${old}` : `*** Update File: ${now}`;
}

/** A file is deleted whatever it holds. */
function dropHunks(lines: readonly string[], out: string[], from: number): void {
  for (let at = from; /^(?:@@|[-\\])/.test(out[at] ?? '') && !namesAt(lines, at); at++) out[at] = '';
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Git quotes names that have other than ASCII letters, as the bytes of UTF-8. */
function unquoted(name: string): string {
  const quoted = /^"((?:[^"\\]|\\(?:[0-3][0-7]{2}|[abfnrtv"\\]))*)"$/.exec(name)?.[1];
  if (quoted === undefined) return name;
  const bytes = quoted.match(/\\(?:[0-3][0-7]{2}|.)|[^\\]+/g)?.map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part);
    const code = part.slice(1);
    return code.length === 3 ? Buffer.from([Number.parseInt(code, 8)]) : Buffer.from(ESCAPES[code] ?? code);
  });
  return Buffer.concat(bytes ?? []).toString('utf8');
}
