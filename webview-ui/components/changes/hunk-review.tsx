import { useState } from 'preact/hooks';
import { goesWithMove } from '../../../src/core/run/hunk-revision.ts';
import type { ChangeSummary } from '../../../src/core/session/effects.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { hunkCount, type Refused } from '../../hunks.ts';
import { memo } from '../../memo.ts';
import type { PanelApproval } from '../../state.ts';
import { dispatch } from '../../store.ts';
import { IconButton } from '../button.tsx';
import { Expandable } from '../expandable.tsx';
import { Diff } from './diff.tsx';
import { Counts, FileLink, KindBadge } from './file-link.tsx';

const OPEN_FILES = 3;
const SHOWN_FILES = 20;

type HunkReviewProps = { approval: PanelApproval; refused: Refused; onRefuse: (path: string, hunks: readonly number[]) => void };

/** The files of a proposed change, each with its hunks to take or to leave. */
export function HunkReview({ approval, refused, onRefuse }: HunkReviewProps) {
  const [limit, setLimit] = useState(SHOWN_FILES);
  const { changes, edited } = approval;
  const shown = changes.slice(0, limit);
  const isChoice = changes.length > 1 || changes.some((change) => hunkCount(change, edited) > 1);
  return (
    <>
      {shown.map((change, index) => (
        <ReviewedFile
          key={change.path}
          approval={approval}
          change={change}
          edited={edited?.[change.path]}
          refused={refused[change.path]}
          open={index < OPEN_FILES}
          onRefuse={isChoice && !goesWithMove(change, changes) ? onRefuse : undefined}
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
  refused: readonly number[] | undefined;
  open: boolean;
  onRefuse: HunkReviewProps['onRefuse'] | undefined;
};

const ReviewedFile = memo(
  ({ approval: { approvalId, callId, edited: all }, change, edited, refused = [], open, onRefuse }: ReviewedFileProps) => {
    const { path, kind } = change;
    const total = hunkCount(change, all);
    const { diff, added, removed } = edited ?? change;
    const openDiff = () => post({ type: 'open_diff', callId, path });
    const refuse = (index: number, isRefused: boolean) =>
      onRefuse?.(path, isRefused ? [...refused, index].sort((a, b) => a - b) : refused.filter((each) => each !== index));
    const canEdit = (kind === 'edit' || kind === 'create' || kind === 'move') && !path.endsWith('/') && (diff !== '' || kind !== 'move');
    const bar = (index: number) => {
      const isRefused = refused.includes(index);
      const name = `Hunk ${index + 1} of ${total}`;
      return (
        <label class="hunk-bar">
          <input
            type="checkbox"
            checked={!isRefused}
            aria-label={`${name} in ${path}, ${isRefused ? 'refused' : 'accepted'}`}
            onChange={(event) => refuse(index, !event.currentTarget.checked)}
          />
          <span>{name}</span>
          {isRefused && <span class="dim">refused</span>}
        </label>
      );
    };
    return (
      <Expandable
        class={refused.length === total ? 'file-diff refused' : 'file-diff'}
        open={open}
        summary={<span class="sr-only">Changes in {visibleText(path)}</span>}
        aside={
          <>
            {onRefuse && <FileChoice path={path} total={total} refused={refused.length} onRefuse={onRefuse} />}
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
                label={`Discard your edit of ${path}`}
                onClick={() => dispatch({ type: 'proposal_edit_dropped', approvalId, path })}
              />
            )}
            {canEdit && (
              <IconButton
                icon="edit"
                label={`Edit the proposal for ${path}`}
                onClick={() => post({ type: 'edit_proposal', approvalId, path, without: edited ? [] : [...refused] })}
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
            bar={onRefuse && total > 1 ? bar : undefined}
            dimmed={(index) => refused.length === total || (total > 1 && refused.includes(index))}
          />
        )}
      </Expandable>
    );
  },
);

/** Takes or leaves the whole file. */
function FileChoice({
  path,
  total,
  refused,
  onRefuse,
}: { path: string; total: number; refused: number } & Pick<HunkReviewProps, 'onRefuse'>) {
  const state = refused === 0 ? 'accepted' : refused === total ? 'refused' : `${total - refused} of ${total} hunks accepted`;
  return (
    <input
      type="checkbox"
      class="file-choice"
      aria-label={`${path}, ${state}`}
      title={refused === total ? 'Refused: tick to accept this file' : 'Untick to refuse this file'}
      checked={refused < total}
      indeterminate={refused > 0 && refused < total}
      onChange={(event) => onRefuse(path, event.currentTarget.checked ? [] : Array.from({ length: total }, (_, index) => index))}
    />
  );
}
