import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RestorePoint } from '../../../src/core/session/events.ts';
import type { Restored as RestoredEvent } from '../../../src/core/view/session-view.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { intoSight } from '../../into-sight.ts';
import { IconButton } from '../button.tsx';
import { useSent } from '../use-sent.ts';
import { Redo, TakenBack, wasWritten } from './changes.tsx';

/** Takes the files that Kedge wrote back to how they were at this point. */
export function RestoreHere({ to, label }: { to: RestorePoint; label: string }) {
  const [sent, mark] = useSent();
  const restore = () => {
    mark();
    post({ type: 'restore', to });
  };
  return <IconButton icon="history" label={label} disabled={sent} onClick={restore} />;
}

/** What the last restore did, and the way back from it. */
export function Restored({ restored: { to, results, undoId } }: { restored: RestoredEvent }) {
  const written = results.filter(wasWritten).length;
  const left = results.filter(({ outcome }) => outcome === 'refused').length;
  const what = written === 0 && left === 0 ? 'All files are as they were then already' : `${count(written, 'file')} restored`;
  const title = `${'undoId' in to ? 'Restore undone: ' : ''}${what}${left > 0 ? `, ${left} left as ${left === 1 ? 'it is' : 'they are'}` : ''}`;
  const card = useRef<HTMLDivElement>(null);
  // It was asked for at another place of the transcript.
  useLayoutEffect(() => intoSight(card.current, 'nearest'), [undoId]);
  return (
    <div role="status" ref={card}>
      <TakenBack label="Restored files" title={title} results={results}>
        {written > 0 && (
          <Redo
            undoId={undoId}
            label={'undoId' in to ? 'Restore again' : 'Undo the restore'}
            title="Bring the files back to how they were before this"
          />
        )}
      </TakenBack>
    </div>
  );
}
