/** A proposed change as the user's formatter would have it, before it is shown: so what is shown and approved is what lands. */
import { decodeText, encodeLike, sameBytes } from './content.ts';
import type { FileChange, Location } from './types.ts';

/** The text as the host would tidy it; undefined where it would stay as it is. May fail and may hang. */
export type FormatText = (at: Location, text: string) => Promise<string | undefined>;

/** More files, or a larger one, are left as they are. */
const MAX_FILES = 50;
const MAX_BYTES = 500_000;
const MOST_MS = 5_000;

/** The changes, and which of their files were tidied; those that cannot be stay as they were proposed. */
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
