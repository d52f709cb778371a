import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RestorePoint } from '../../../src/core/session/events.ts';
import type { Restored as RestoredEvent } from '../../../src/core/view/session-view.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { IconButton } from '../button.tsx';
import { useSent } from '../use-sent.ts';
import { Redo, UndoResults, wasWritten } from './changes.tsx';

/** A button that restores files to their state at the point `to` of the session. It restores only files that Kedge has changed. */
export function RestoreHere({ to, label }: { to: RestorePoint; label: string }) {
  const [isSent, markSent] = useSent();
  const restore = () => {
    markSent();
    post({ type: 'restore', to });
  };
  return <IconButton icon="history" label={label} disabled={isSent} onClick={restore} />;
}

/** The result of the last restore, with a button to undo it. */
export function Restored({ restored: { to, results, undoId } }: { restored: RestoredEvent }) {
  const written = results.filter(wasWritten).length;
  const notRestored = results.filter(({ outcome }) => outcome === 'refused').length;
  const what = written === 0 && notRestored === 0 ? 'All files are already in this state' : `${count(written, 'file')} restored`;
  const title = `${'undoId' in to ? 'Restore undone: ' : ''}${what}${notRestored > 0 ? `, ${notRestored} not restored` : ''}`;
  const card = useRef<HTMLDivElement>(null);
  // The button that started the restore is elsewhere in the transcript, so the result is scrolled into view.
  useLayoutEffect(() => scrollIntoView(card.current, 'nearest'), [undoId]);
  return (
    <div role="status" ref={card}>
      <UndoResults label="Restored files" title={title} results={results}>
        {written > 0 && (
          <Redo
            undoId={undoId}
            label={'undoId' in to ? 'Restore again' : 'Undo restore'}
            title="Return the files to their state before this restore"
          />
        )}
      </UndoResults>
    </div>
  );
}
