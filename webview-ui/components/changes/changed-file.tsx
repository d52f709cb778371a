import { useEffect } from 'preact/hooks';
import type { Review } from '../../../src/core/session/effects.ts';
import type { FileChange } from '../../../src/core/view/run-changes.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import type { PanelRun } from '../../model.ts';
import { Button, IconButton } from '../button.tsx';
import { Expandable } from '../expandable.tsx';
import { Icon } from '../icon.tsx';
import { useSent } from '../use-sent.ts';
import { Diff } from './diff.tsx';
import { Counts, FileLink, KindBadge } from './file-link.tsx';

/** A file that a run changed. When expanded, it shows the changes that are still in the file, which can be undone hunk by hunk. */
export const ChangedFile = memo(({ run, change }: { run: PanelRun; change: FileChange }) => {
  const { path } = change;
  const [isSent, markSent] = useSent();
  const part = run.parts?.[path];
  const isUndone = part && !part.hunk && part.result.outcome !== 'refused';
  const undo = () => {
    markSent();
    post({ type: 'undo_part', runId: run.id, path });
  };
  const line = (
    <>
      <FileLink path={path} from={change.from} callId={change.callId} />
      {isUndone ? <span class="badge">undone</span> : <KindBadge kind={change.kind} />}
      <Counts added={change.added} removed={change.removed} />
    </>
  );
  return (
    <li class={isUndone ? 'changed-file undone' : 'changed-file'}>
      {isUndone || run.restoredBy || run.isImported ? (
        <div class="changed-line">{line}</div>
      ) : (
        <Expandable
          class="file-review"
          summary={<span class="sr-only">Remaining changes in {path}</span>}
          aside={
            <>
              {line}
              <IconButton icon="discard" label={`Undo changes in ${path}`} disabled={isSent} onClick={undo} />
            </>
          }
        >
          {() => <FileReview run={run} path={path} review={run.reviews?.[path]} />}
        </Expandable>
      )}
      {part?.result.outcome === 'refused' && (
        <p class="dim reason">
          <Icon name="warning" tone="bad" /> {part.result.reason}
        </p>
      )}
    </li>
  );
});

function FileReview({ run, path, review }: { run: PanelRun; path: string; review: Review | undefined }) {
  const [isSent, markSent] = useSent();
  const ask = () => post({ type: 'review_file', runId: run.id, path });
  useEffect(() => {
    if (!review) ask();
  }, [review]);
  if (!review) return <p class="dim diff-empty">Comparing…</p>;
  if ('problem' in review) return <p class="dim diff-empty">{review.problem} Open the file to change it yourself.</p>;
  if (review.diff === '') return <p class="dim diff-empty">This file has no remaining changes from this run.</p>;
  const undo = (index: number) => {
    markSent();
    post({ type: 'undo_part', runId: run.id, path, hunk: { index, digest: review.digest } });
  };
  const bar = (index: number, total: number) => (
    <div class="hunk-bar">
      <span>
        Hunk {index + 1} of {total}
      </span>
      <Button kind="link" disabled={isSent} label={`Undo hunk ${index + 1} of ${total} in ${path}`} onClick={() => undo(index)}>
        Undo hunk
      </Button>
    </div>
  );
  return <Diff diff={review.diff} label={`Diff of ${path}`} bar={bar} onMore={() => post({ type: 'review_run', runId: run.id })} />;
}
