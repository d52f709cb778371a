/** Formats a proposed change before it is displayed, so that exactly the approved text is written. */
import { decodeText, encodeLike, sameBytes } from './content.ts';
import type { FileChange, Location } from './types.ts';

/** Returns the formatted text, or undefined when the formatter changes nothing. The promise may reject, and it may never resolve. */
export type FormatText = (at: Location, text: string) => Promise<string | undefined>;

/** Changes with more files, and larger files, are not formatted. */
const MAX_FILES = 50;
const MAX_BYTES = 500_000;
const MOST_MS = 5_000;

/** Returns the changes and the paths of the formatted files. A file that cannot be formatted stays as proposed. */
export async function formatChanges(
  changes: readonly FileChange[],
  format: FormatText,
): Promise<{ changes: FileChange[]; formatted: string[] }> {
  const done: string[] = [];
  const limit = AbortSignal.timeout(MOST_MS);
  const over = new Promise<undefined>((resolve) => limit.addEventListener('abort', () => resolve(undefined), { once: true }));
  const result: FileChange[] = [];
  for (const change of changes) {
    const { at, before, after, path, movedFrom } = change;
    const from = before ?? changes.find((each) => each.path === movedFrom)?.before;
    result.push(change);
    if (!after || path.endsWith('/') || sameBytes(from, after) || after.length > MAX_BYTES) continue;
    if (changes.length > MAX_FILES || limit.aborted) continue;
    const text = decodeText(after);
    if (text === undefined) continue;
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
    const now = await Promise.race([format(at, text.slice(mark.length)).catch(() => undefined), over]);
    if (now === undefined) continue;
    result[result.length - 1] = { ...change, after: encodeLike(mark + now, after) };
    done.push(path);
  }
  return { changes: result, formatted: done };
}
