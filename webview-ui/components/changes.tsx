import type { UndoResult } from '../../src/core/events.ts';
import { undoneText } from '../activity.ts';
import { count } from '../format.ts';
import { post } from '../host.ts';
import type { RunView } from '../run-view.ts';
import { Button } from './button.tsx';
import { Counts, FileLink, KindBadge } from './file-link.tsx';
import { Icon } from './icon.tsx';
import { useSent } from './use-sent.ts';

const UNDONE: Record<UndoResult['outcome'], { icon: string; tone: 'good' | 'bad' | 'dim' }> = {
  restored: { icon: 'discard', tone: 'good' },
  unchanged: { icon: 'dash', tone: 'dim' },
  refused: { icon: 'warning', tone: 'bad' },
};

/** What a run changed, and the way back. */
export function Changes({ run }: { run: RunView }) {
  if (run.undone) return <Undone run={run} results={run.undone} />;
  return (
    <section class="card changes" aria-label="Changed files">
      <div class="card-head">
        <h3>{count(run.changes.length, 'file')} changed</h3>
        {run.changes.length > 1 && <Review run={run} />}
        <Undo run={run} label="Undo run" />
      </div>
      <ul class="files">
        {run.changes.map((change) => (
          <li key={change.path}>
            <FileLink path={change.path} from={change.from} callId={change.callId} />
            <KindBadge kind={change.kind} />
            <Counts added={change.added} removed={change.removed} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Review({ run }: { run: RunView }) {
  return (
    <Button title="Open all changes of this run side by side" onClick={() => post({ type: 'review_run', runId: run.id })}>
      Review
    </Button>
  );
}

function Undo({ run, label }: { run: RunView; label: string }) {
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

/** What was refused can be looked at, put right, and tried again. */
function Undone({ run, results }: { run: RunView; results: readonly UndoResult[] }) {
  const isRefused = results.some(({ outcome }) => outcome === 'refused');
  return (
    <section class="card changes" aria-label="Undone changes">
      <div class="card-head">
        <Icon name="discard" />
        <h3>{undoneText(results)}</h3>
        {isRefused && (
          <>
            <Review run={run} />
            <Undo run={run} label="Try again" />
          </>
        )}
      </div>
      <ul class="files">
        {results.map(({ path, outcome, reason }) => (
          <li key={path} class="undo-result">
            <Icon {...{ name: UNDONE[outcome].icon, tone: UNDONE[outcome].tone }} />
            <FileLink path={path} />
            <span class="dim">{outcome}</span>
            {reason && <p class="dim reason">{reason}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
