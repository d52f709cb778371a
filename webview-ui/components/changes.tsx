import type { UndoResult } from '../../src/core/events.ts';
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
  const [sent, mark] = useSent();
  const undo = () => {
    mark();
    post({ type: 'undo_run', runId: run.id });
  };
  if (run.undone) return <Undone results={run.undone} />;
  return (
    <section class="card changes" aria-label="Changed files">
      <div class="card-head">
        <h3>{count(run.changes.length, 'file')} changed</h3>
        {run.changes.length > 1 && (
          <Button title="Open all changes of this run side by side" onClick={() => post({ type: 'review_run', runId: run.id })}>
            Review
          </Button>
        )}
        <Button kind="secondary" disabled={sent} onClick={undo} title="Take back what this run changed; your own later edits stay">
          Undo run
        </Button>
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

function Undone({ results }: { results: readonly UndoResult[] }) {
  const restored = results.filter(({ outcome }) => outcome === 'restored').length;
  return (
    <section class="card changes" aria-label="Undone changes">
      <div class="card-head">
        <Icon name="discard" />
        <h3>{restored > 0 ? `Undone: ${count(restored, 'file')} restored` : 'Nothing was restored'}</h3>
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
