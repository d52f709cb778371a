import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filesSince, type Place } from '../../files-since.ts';
import { count } from '../../format.ts';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { current } from '../../store.ts';
import { Button, IconButton } from '../button.tsx';
import { useSent } from '../use-sent.ts';
import { postBranch } from './post-branch.ts';

type ChoiceProps = { files: number; label: string; onChoose: (restore: boolean) => void; onCancel: () => void };

/** Asks whether to restore the files as well when the conversation continues from a point after which files were changed. */
function RestoreChoice({ files, label, onChoose, onCancel }: ChoiceProps) {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    scrollIntoView(card.current, 'nearest');
    card.current?.querySelector('button')?.focus({ preventScroll: true });
  }, []);
  return (
    <section
      ref={card}
      class="card restore-choice"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Escape must not stop a run.
        event.preventDefault();
        onCancel();
      }}
    >
      <p>
        {label}: {count(files, 'file')} changed since. Your own later edits are kept.
      </p>
      <div class="buttons">
        <Button kind="primary" onClick={() => onChoose(true)}>
          Restore {count(files, 'file')}
        </Button>
        <Button onClick={() => onChoose(false)}>{files === 1 ? 'Keep the file' : 'Keep the files'}</Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </section>
  );
}

type Action = { label: string; runId: string; place: Place; act: (restore: boolean) => void };

/** Carries out an action. If files were changed after that point, the user first chooses whether to restore them. */
function useActions(): { begin: (action: Action) => void; isSent: boolean; choice: ComponentChildren } {
  const [asked, setAsked] = useState<Action & { files: number }>();
  const [isSent, markSent] = useSent();
  const act = (action: Action, restore: boolean) => {
    setAsked(undefined);
    markSent();
    action.act(restore);
  };
  const begin = (action: Action) => {
    const files = filesSince(current().runs, action.runId, action.place);
    if (files > 0) setAsked({ ...action, files });
    else act(action, false);
  };
  const choice = asked && (
    <RestoreChoice
      key={asked.label}
      label={asked.label}
      files={asked.files}
      onChoose={(restore) => act(asked, restore)}
      onCancel={() => setAsked(undefined)}
    />
  );
  return { begin, isSent, choice };
}

/** The actions at the end of a run: send its prompt again, or begin a branch. `children` contains further actions. */
export function RunActions({ runId, canResend, children }: { runId: string; canResend: boolean; children?: ComponentChildren }) {
  const { begin, isSent, choice } = useActions();
  const resend = (label: string, otherModel: boolean) =>
    begin({
      label,
      runId,
      place: 'before',
      act: (restore) => postBranch({ type: 'resend', runId, restore, ...(otherModel && { otherModel }) }),
    });
  const branch = () =>
    begin({ label: 'Branch from here', runId, place: 'after', act: (restore) => postBranch({ type: 'branch', runId, restore }) });
  return (
    <>
      <div class="answer-actions">
        {children}
        {canResend && (
          <>
            <IconButton icon="refresh" label="Regenerate" disabled={isSent} onClick={() => resend('Regenerate', false)} />
            <IconButton
              icon="arrow-swap"
              label="Regenerate with another model…"
              disabled={isSent}
              onClick={() => resend('Regenerate with another model', true)}
            />
          </>
        )}
        <IconButton icon="git-branch" label="Branch from here" disabled={isSent} onClick={branch} />
      </div>
      {choice}
    </>
  );
}

/** Begins a branch after the step that made a call. */
export function BranchAfterStep({ runId, callId }: { runId: string; callId: string }) {
  const { begin, isSent, choice } = useActions();
  const branch = () =>
    begin({
      label: 'Branch after this step',
      runId,
      place: { callId },
      act: (restore) => postBranch({ type: 'branch', runId, callId, restore }),
    });
  return (
    choice || (
      <p>
        <Button kind="link" icon="git-branch" disabled={isSent} onClick={branch}>
          Branch after this step
        </Button>
      </p>
    )
  );
}
