import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UndoResult } from '../../../src/core/session/events.ts';
import { undoneText } from '../../activity.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import type { PanelRun } from '../../model.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icons.ts';
import { useSent } from '../use-sent.ts';
import { ChangedFile } from './changed-file.tsx';
import { FileLink } from './file-link.tsx';

const SHOWN_FILES = 20;

const OUTCOME: Record<UndoResult['outcome'], { icon: IconName; tone: 'good' | 'bad' | 'dim'; label: string }> = {
  restored: { icon: 'discard', tone: 'good', label: 'restored' },
  merged: { icon: 'merge', tone: 'good', label: 'merged' },
  unchanged: { icon: 'dash', tone: 'dim', label: 'unchanged' },
  refused: { icon: 'warning', tone: 'bad', label: 'not restored' },
};

/** The files that a run changed, with buttons to undo all of them, one file, or one hunk. */
export function Changes({ run }: { run: PanelRun }) {
  const { undone, undoId, changes, restoredBy, isImported } = run;
  if (undone) {
    const isRefused = undone.some(({ outcome }) => outcome === 'refused');
    return (
      <UndoResults label="Undone changes" results={undone}>
        {isRefused && (
          <>
            <Review run={run} />
            {!isImported && <Undo run={run} label="Try again" />}
          </>
        )}
        {!isImported && undoId && undone.some(wasWritten) && <Redo undoId={undoId} label="Redo" title="Apply the undone changes again" />}
      </UndoResults>
    );
  }
  return (
    <section class="card changes" aria-label="Changed files">
      <div class="card-head">
        <h3>
          {count(changes.length, 'file')} changed
          {restoredBy ? ', then undone' : run.worktree ? ' in a worktree' : isImported && ' before the import'}
        </h3>
        {!restoredBy && !isImported && changes.length > 1 && <Review run={run} />}
        {!restoredBy && !isImported && <Undo run={run} label="Undo run" />}
      </div>
      <Files>
        {changes.map((change) => (
          <ChangedFile key={change.path} run={run} change={change} />
        ))}
      </Files>
    </section>
  );
}

export const wasWritten = ({ outcome }: UndoResult) => outcome === 'restored' || outcome === 'merged';

/** The result of an undo or a restore for each file. */
export function UndoResults({ label, title, results, children }: UndoResultsProps) {
  return (
    <section class="card changes" aria-label={label}>
      <div class="card-head">
        <Icon name="discard" />
        <h3>{title ?? undoneText(results)}</h3>
        {children}
      </div>
      <Files>
        {results.map(({ path, outcome, reason }) => (
          <li key={path} class="undo-result">
            <Icon name={OUTCOME[outcome].icon} tone={OUTCOME[outcome].tone} />
            <FileLink path={path} />
            <span class="dim">{OUTCOME[outcome].label}</span>
            {reason && <p class="dim reason">{reason}</p>}
          </li>
        ))}
      </Files>
    </section>
  );
}

type UndoResultsProps = { label: string; title?: string; results: readonly UndoResult[]; children?: ComponentChildren };

export function Redo({ undoId, label, title }: { undoId: string; label: string; title: string }) {
  const [isSent, markSent] = useSent();
  const redo = () => {
    markSent();
    post({ type: 'restore', to: { undoId } });
  };
  return (
    <Button disabled={isSent} onClick={redo} title={title}>
      {label}
    </Button>
  );
}

/** A list of files that is extended step by step if it is long. */
function Files({ children }: { children: ComponentChildren[] }) {
  const [limit, setLimit] = useState(SHOWN_FILES);
  return (
    <>
      <ul class="files">{children.slice(0, limit)}</ul>
      {children.length > limit && (
        <button type="button" class="button link" onClick={() => setLimit(limit + 2 * SHOWN_FILES)}>
          Show more files ({children.length} in total)
        </button>
      )}
    </>
  );
}

function Review({ run }: { run: PanelRun }) {
  return (
    <Button title="Open all changes of this run in a diff editor" onClick={() => post({ type: 'review_run', runId: run.id })}>
      Review
    </Button>
  );
}

function Undo({ run, label }: { run: PanelRun; label: string }) {
  const [isSent, markSent] = useSent();
  const undo = () => {
    markSent();
    post({ type: 'undo_run', runId: run.id });
  };
  return (
    <Button kind="secondary" disabled={isSent} onClick={undo} title="Undo the changes of this run. Your own later edits are kept.">
      {label}
    </Button>
  );
}
