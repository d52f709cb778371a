/** Which of a session's writes an undo or a restore takes back. */
import type { RestorePoint } from '../core/events.ts';
import type { TextPart } from '../core/messages.ts';
import type { SessionState } from '../core/session.ts';
import type { Staged } from '../workspace/checkpoints.ts';

type Write = SessionState['staged'][number];

const asStaged = ({ change, landed }: Write): Staged => ({ ...change, landed });

/** What a run wrote, and what of that was taken back since; of one file only, where a path is given. */
export function writesOfRun({ staged }: SessionState, runId: string, path?: string): Staged[] {
  return staged
    .filter((write) => write.runId === runId && !write.restore && (path ?? write.change.path) === write.change.path)
    .map(asStaged);
}

/** All that was written in the session since that point, by whichever run or undo. */
export function writesSince({ staged, runs }: SessionState, to: RestorePoint): Staged[] {
  if ('undoId' in to) return staged.filter(({ callId }) => callId === to.undoId).map(asStaged);
  const last = staged.findLastIndex(({ callId }) => callId === to.callId);
  const from = to.callId === undefined ? runs.get(to.runId)?.stagedBefore : last < 0 ? undefined : last + 1;
  return from === undefined ? [] : staged.slice(from).map(asStaged);
}

/** What the model has to be told before it goes on: its history still says otherwise. */
export function takenBackNote({ takenBack }: SessionState): TextPart[] {
  if (takenBack.size === 0) return [];
  const paths = [...takenBack];
  const named = paths.length > 20 ? `${paths.slice(0, 20).join(', ')} and ${paths.length - 20} more` : paths.join(', ');
  return [
    {
      type: 'text',
      text: `(The user has taken back changes in ${named} since. Read them again before you rely on what you know of them.)`,
    },
  ];
}
