/**
 * Converts a unified diff, as written by `diff` and git, to a V4A patch. Line numbers are preserved, so that errors name the line that the
 * model sent.
 */

const OLD = /^--- ([^\t]+)/;
const NEW = /^\+\+\+ ([^\t]+)/;
const NOTHING = '/dev/null';
const COUNTS = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** Matches the lines between the files of a diff, except for the file names. */
const ABOUT = /^(?:diff --git |index [\da-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity index |Index: |={20,}$)/;

/** Returns the lines of the patch, or undefined when the input is not a unified diff. */
export function fromUnified(lines: readonly string[]): string[] | undefined {
  const out = lines.map((line) => (ABOUT.test(line) ? '' : line));
  let isRead = false;
  let renamed: string | undefined;
  /** The index after the last line of the current hunk, by the counts in its header. */
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
      // The content of a new file has no hunk header in a V4A patch.
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
 * Reads the names of the old and the new file. Two changed lines can look like file names, but a hunk header rarely follows them. If the
 * counts of the current hunk include the lines, they are file names only if they name the same file: models often write wrong counts.
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

/**
 * Returns the index after the hunk with this header, or undefined if the line is not a header with counts or the following lines do not match the
 * counts.
 */
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

/** A file is deleted regardless of its content, so the removed lines are dropped. */
function dropHunks(lines: readonly string[], out: string[], from: number): void {
  for (let at = from; /^(?:@@|[-\\])/.test(out[at] ?? '') && !namesAt(lines, at); at++) out[at] = '';
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Decodes a file name that git has quoted. Git writes special characters as escapes, and each byte of a non-ASCII character as an octal number. */
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
