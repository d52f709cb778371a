/** Reads a unified diff, as `diff` and git write it, as a V4A patch: line by line, so that errors name the line that was sent; pure. */

const OLD = /^--- ([^\t]+)/;
const NEW = /^\+\+\+ ([^\t]+)/;
const NOTHING = '/dev/null';
/** What stands between the files of a diff, besides their names. */
const ABOUT = /^(?:diff --git |index [\da-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity index |Index: |={20,}$)/;

/** The lines of the patch; undefined where they are no unified diff. */
export function fromUnified(lines: readonly string[]): string[] | undefined {
  const out = lines.map((line) => (ABOUT.test(line) ? '' : line));
  let isRead = false;
  let renamed: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const [from, to] = [renameIn(lines, at), namesAt(lines, at)];
    if (from) {
      out[at] = `*** Update File: ${from.old}`;
      out[at + 1] = `*** Move to: ${from.now}`;
      renamed = from.old;
    } else if (to) {
      out[at] = renamed === to.old ? '' : sectionOf(to);
      out[at + 1] = '';
      // The content of a new file has no header.
      if (to.old === NOTHING) out.splice(at, 3, '', '', sectionOf(to));
      if (to.now === NOTHING) dropHunks(out, at + 2);
      renamed = undefined;
    } else continue;
    isRead = true;
    at++;
  }
  return isRead ? out : undefined;
}

type Names = { old: string; now: string };

/** Two lines of a hunk can look like this, too, but no hunk follows them. */
function namesAt(lines: readonly string[], at: number): Names | undefined {
  const [old, now] = [OLD.exec(lines[at] ?? '')?.[1]?.trim(), NEW.exec(lines[at + 1] ?? '')?.[1]?.trim()];
  if (!old || !now || !/^@@/.test(lines[at + 2] ?? '')) return undefined;
  const isPrefixed = (old === NOTHING || old.startsWith('a/')) && (now === NOTHING || now.startsWith('b/'));
  const bare = (name: string) => (isPrefixed && name !== NOTHING ? name.slice(2) : name);
  return { old: bare(old), now: bare(now) };
}

function renameIn(lines: readonly string[], at: number): Names | undefined {
  const [old, now] = [/^rename from (.+)$/.exec(lines[at] ?? '')?.[1], /^rename to (.+)$/.exec(lines[at + 1] ?? '')?.[1]];
  return old && now ? { old, now } : undefined;
}

function sectionOf({ old, now }: Names): string {
  if (old === NOTHING) return `*** Add File: ${now}`;
  return now === NOTHING ? `*** Delete File: ${old}` : `*** Update File: ${now}`;
}

/** A file is deleted whatever it holds. */
function dropHunks(out: string[], from: number): void {
  for (let at = from; /^(?:@@|[-\\])/.test(out[at] ?? '') && !OLD.test(out[at] ?? ''); at++) out[at] = '';
}
