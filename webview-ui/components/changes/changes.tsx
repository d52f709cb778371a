import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UndoResult } from '../../../src/core/session/events.ts';
import { undoneText } from '../../activity.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import type { PanelRun } from '../../state.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useSent } from '../use-sent.ts';
import { ChangedFile } from './changed-file.tsx';
import { FileLink } from './file-link.tsx';

const SHOWN_FILES = 20;

const UNDONE: Record<UndoResult['outcome'], { icon: string; tone: 'good' | 'bad' | 'dim' }> = {
  restored: { icon: 'discard', tone: 'good' },
  merged: { icon: 'merge', tone: 'good' },
  unchanged: { icon: 'dash', tone: 'dim' },
  refused: { icon: 'warning', tone: 'bad' },
};

/** What a run changed, and the way back: all of it, a file, or a hunk. */
export function Changes({ run }: { run: PanelRun }) {
  const { undone, undoId, changes, restoredBy } = run;
  if (undone) {
    const isRefused = undone.some(({ outcome }) => outcome === 'refused');
    return (
      <TakenBack label="Undone changes" results={undone}>
        {isRefused && (
          <>
            <Review run={run} />
            <Undo run={run} label="Try again" />
          </>
        )}
        {undoId && undone.some(wasWritten) && <Redo undoId={undoId} label="Redo" title="Bring back what the undo took away" />}
      </TakenBack>
    );
  }
  return (
    <section class="card changes" aria-label="Changed files">
      <div class="card-head">
        <h3>
          {count(changes.length, 'file')} changed{restoredBy && ', then taken back'}
        </h3>
        {!restoredBy && changes.length > 1 && <Review run={run} />}
        {!restoredBy && <Undo run={run} label="Undo run" />}
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

/** What an undo or a restore came to, file by file. */
export function TakenBack({ label, title, results, children }: TakenBackProps) {
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
            <Icon {...{ name: UNDONE[outcome].icon, tone: UNDONE[outcome].tone }} />
            <FileLink path={path} />
            <span class="dim">{outcome}</span>
            {reason && <p class="dim reason">{reason}</p>}
          </li>
        ))}
      </Files>
    </section>
  );
}

type TakenBackProps = { label: string; title?: string; results: readonly UndoResult[]; children?: ComponentChildren };

export function Redo({ undoId, label, title }: { undoId: string; label: string; title: string }) {
  const [sent, mark] = useSent();
  const redo = () => {
    mark();
    post({ type: 'restore', to: { undoId } });
  };
  return (
    <Button disabled={sent} onClick={redo} title={title}>
      {label}
    </Button>
  );
}

/** Many files are shown a part at a time. */
function Files({ children }: { children: ComponentChildren[] }) {
  const [limit, setLimit] = useState(SHOWN_FILES);
  return (
    <>
      <ul class="files">{children.slice(0, limit)}</ul>
      {children.length > limit && (
        <button type="button" class="button link" onClick={() => setLimit(limit + 2 * SHOWN_FILES)}>
          Show more of {children.length} files
        </button>
      )}
    </>
  );
}

function Review({ run }: { run: PanelRun }) {
  return (
    <Button title="Open all changes of this run side by side" onClick={() => post({ type: 'review_run', runId: run.id })}>
      Review
    </Button>
  );
}

function Undo({ run, label }: { run: PanelRun; label: string }) {
  const [sent, mark] = useSent();
  const undo = () => {
    mark();
    post({ type: 'undo_run', runId: run.id });
  };
  return (
    <Button kind="secondary" disabled={sent} onClick={undo} title="Take back what this run changed; your own later edits stay">
      {label}
    </Button>
  );
}
