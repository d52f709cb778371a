import { useState } from 'preact/hooks';
import { goesWithMove } from '../../../src/core/run/hunk-revision.ts';
import type { ChangeSummary } from '../../../src/core/session/effects.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { hunkCount, type RejectedHunks } from '../../hunk-choice.ts';
import { memo } from '../../memo-component.ts';
import type { PanelApproval } from '../../model.ts';
import { dispatch } from '../../store.ts';
import { IconButton } from '../button.tsx';
import { Expandable } from '../expandable.tsx';
import { Diff } from './diff.tsx';
import { Counts, FileLink, KindBadge } from './file-link.tsx';

const OPEN_FILES = 3;
const SHOWN_FILES = 20;

type HunkReviewProps = { approval: PanelApproval; rejected: RejectedHunks; onReject: (path: string, hunks: readonly number[]) => void };

/** The files of a proposed change. The user can accept or reject each hunk. */
export function HunkReview({ approval, rejected, onReject }: HunkReviewProps) {
  const [limit, setLimit] = useState(SHOWN_FILES);
  const { changes, edited } = approval;
  const visibleChanges = changes.slice(0, limit);
  const isChoice = changes.length > 1 || changes.some((change) => hunkCount(change, edited) > 1);
  return (
    <>
      {visibleChanges.map((change, index) => (
        <ReviewedFile
          key={change.path}
          approval={approval}
          change={change}
          edited={edited?.[change.path]}
          rejected={rejected[change.path]}
          open={index < OPEN_FILES}
          onReject={isChoice && !goesWithMove(change, changes) ? onReject : undefined}
        />
      ))}
      {changes.length > limit && (
        <button type="button" class="button link" onClick={() => setLimit(limit + 2 * SHOWN_FILES)}>
          Show {count(Math.min(2 * SHOWN_FILES, changes.length - limit), 'more file')} of {changes.length}
        </button>
      )}
    </>
  );
}

type ReviewedFileProps = {
  approval: PanelApproval;
  change: ChangeSummary;
  edited: NonNullable<PanelApproval['edited']>[string] | undefined;
  rejected: readonly number[] | undefined;
  open: boolean;
  onReject: HunkReviewProps['onReject'] | undefined;
};

const ReviewedFile = memo(
  ({ approval: { approvalId, callId, edited: all }, change, edited, rejected = [], open, onReject }: ReviewedFileProps) => {
    const { path, kind } = change;
    const total = hunkCount(change, all);
    const { diff, added, removed } = edited ?? change;
    const openDiff = () => post({ type: 'open_diff', callId, path });
    const reject = (index: number, isRejected: boolean) =>
      onReject?.(path, isRejected ? [...rejected, index].sort((a, b) => a - b) : rejected.filter((each) => each !== index));
    const canEdit = (kind === 'edit' || kind === 'create' || kind === 'move') && !path.endsWith('/') && (diff !== '' || kind !== 'move');
    const bar = (index: number) => {
      const isRejected = rejected.includes(index);
      const name = `Hunk ${index + 1} of ${total}`;
      return (
        <label class="hunk-bar">
          <input
            type="checkbox"
            checked={!isRejected}
            aria-label={`${name} in ${path}, ${isRejected ? 'rejected' : 'accepted'}`}
            onChange={(event) => reject(index, !event.currentTarget.checked)}
          />
          <span>{name}</span>
          {isRejected && <span class="dim">rejected</span>}
        </label>
      );
    };
    return (
      <Expandable
        class={rejected.length === total ? 'file-diff refused' : 'file-diff'}
        open={open}
        summary={<span class="sr-only">Changes in {visibleText(path)}</span>}
        aside={
          <>
            {onReject && <FileChoice path={path} total={total} rejected={rejected.length} onReject={onReject} />}
            <FileLink path={path} from={change.from} callId={callId} />
            <KindBadge kind={kind} />
            {edited && (
              <span class="badge" title="Edited by you">
                edited<span class="sr-only"> by you</span>
              </span>
            )}
            <Counts added={added} removed={removed} />
            {edited && (
              <IconButton
                icon="discard"
                label={`Discard your edit of the proposal for ${path}`}
                onClick={() => dispatch({ type: 'proposal_edit_dropped', approvalId, path })}
              />
            )}
            {canEdit && (
              <IconButton
                icon="edit"
                label={`Edit the proposal for ${path}`}
                onClick={() => post({ type: 'edit_proposal', approvalId, path, without: edited ? [] : [...rejected] })}
              />
            )}
            {!edited && <IconButton icon="diff" label={`Open diff of ${path}`} onClick={openDiff} />}
          </>
        }
      >
        {() => (
          <Diff
            diff={diff}
            label={`Diff of ${path}`}
            onMore={openDiff}
            bar={onReject && total > 1 ? bar : undefined}
            isDimmed={(index) => rejected.length === total || (total > 1 && rejected.includes(index))}
          />
        )}
      </Expandable>
    );
  },
);

/** A checkbox that accepts or rejects all hunks of a file. */
function FileChoice({
  path,
  total,
  rejected,
  onReject,
}: { path: string; total: number; rejected: number } & Pick<HunkReviewProps, 'onReject'>) {
  const state = rejected === 0 ? 'accepted' : rejected === total ? 'rejected' : `${total - rejected} of ${total} hunks accepted`;
  return (
    <input
      type="checkbox"
      class="file-choice"
      aria-label={`${path}, ${state}`}
      title={rejected === total ? 'Select to accept the changes in this file' : 'Clear to reject the changes in this file'}
      checked={rejected < total}
      indeterminate={rejected > 0 && rejected < total}
      onChange={(event) => onReject(path, event.currentTarget.checked ? [] : Array.from({ length: total }, (_, index) => index))}
    />
  );
}
