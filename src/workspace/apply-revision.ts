/** Reduces a proposed change to the parts that the user accepted or edited. */

import { ToolError } from '../core/run/tool.ts';
import type { ChangeSummary, FileRevision, Revision } from '../core/session/effects.ts';
import { diffOf } from './changes.ts';
import { decodeText, encodeLike, sameBytes } from './content.ts';
import { withoutHunks } from './hunks.ts';
import type { BlobStore, FileChange } from './types.ts';

/** The result has fewer files, or the same files with other contents. @throws ToolError when the revision does not fit the change. */
export async function reviseChanges(
  changes: readonly FileChange[],
  revision: Revision,
  blobs: Pick<BlobStore, 'get'>,
): Promise<FileChange[]> {
  const stranger = Object.keys(revision).find((path) => !changes.some((change) => change.path === path));
  if (stranger !== undefined) throw new ToolError(`${stranger} is not part of this change. Review the change again.`);
  // A move consists of two changes, which can be refused only together.
  const refused = (change: FileChange) => isRefused(change, revision[change.path]);
  const dropped = new Set(
    changes.filter(refused).flatMap(({ path, movedFrom }) => [path, ...(movedFrom === undefined ? [] : [movedFrom])]),
  );
  const accepted: FileChange[] = [];
  for (const change of changes) {
    if (dropped.has(change.path) || (change.movedFrom !== undefined && dropped.has(change.movedFrom))) continue;
    const after = await contentOf(change, changes, revision[change.path], blobs);
    if (change.movedFrom !== undefined || !sameBytes(change.before, after)) accepted.push({ ...change, after });
  }
  return accepted;
}

/** A created, deleted or binary file has a single hunk. */
function isRefused({ before, after, movedFrom }: FileChange, made: FileRevision | undefined): boolean {
  if (made === 'refused') return true;
  if (typeof made !== 'object' || !('without' in made) || !made.without.includes(0)) return false;
  return (!before && movedFrom === undefined) || !after || decodeText(after) === undefined;
}

async function contentOf(
  { path, before, after, movedFrom }: FileChange,
  changes: readonly FileChange[],
  made: FileRevision | undefined,
  blobs: Pick<BlobStore, 'get'>,
): Promise<Uint8Array | undefined> {
  if (typeof made !== 'object' || !after) return after;
  if ('content' in made) {
    const content = path.endsWith('/') ? undefined : await blobs.get(made.content);
    if (!content) throw new ToolError(`The edited proposal for ${path} is no longer stored. Review the change again.`);
    return content;
  }
  const from = before ?? changes.find((change) => change.path === movedFrom)?.before;
  const [old, now] = [from && decodeText(from), decodeText(after)];
  if (!from || old === undefined || now === undefined || made.without.length === 0) return after;
  const text = withoutHunks(old, now, made.without);
  return text === old ? from : encodeLike(text, from);
}

/** Rebuilds the changes of a logged call from the stored contents. @throws ToolError when a content is no longer stored. */
export async function changesFrom(summaries: readonly ChangeSummary[], blobs: Pick<BlobStore, 'get'>): Promise<FileChange[]> {
  const content = async (path: string, hash: string | undefined) => {
    const bytes = hash === undefined ? undefined : await blobs.get(hash);
    if (hash !== undefined && !bytes)
      throw new ToolError(`The proposed content of ${path} is no longer stored. Reject the change and request it again.`);
    return bytes;
  };
  return Promise.all(
    summaries.map(async ({ path, from, before, after }) => ({
      path,
      at: { folder: 0, path },
      before: await content(path, before),
      after: await content(path, after),
      ...(from !== undefined && { movedFrom: from }),
    })),
  );
}

const MAX_LINES = 200;

/** Returns the note for the model that describes how the applied change differs from the proposed change. */
export function revisionNote(proposed: readonly FileChange[], landed: readonly FileChange[]): string {
  const now = new Map(landed.map((change) => [change.path, change]));
  const notes = proposed.flatMap(({ path, after }) => {
    const change = now.get(path);
    if (!change) return [`- ${path}: not accepted. The file is unchanged.`];
    if (sameBytes(change.after, after)) return [];
    return [`- ${path}: the diff from your proposal to the written content:`, diffOf(after, change.after).diff];
  });
  const lines = notes.join('\n').split('\n');
  const limitedLines =
    lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines. Read the files.`] : lines;
  return ['The user accepted only a part of this change, or edited it. Do not propose the rejected parts again.', ...limitedLines].join(
    '\n',
  );
}
