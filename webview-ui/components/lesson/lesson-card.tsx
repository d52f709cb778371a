import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { WordsForm } from '../approval/words-form.tsx';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

export type Lesson = NonNullable<Extract<ToPanel, { type: 'lesson' }>['lesson']>;

const TITLE = 'Remember this for similar tasks?';

/** Proposes what to remember after a run. Nothing is stored before the user keeps it. */
export function LessonCard({ lesson: { runId, text } }: { lesson: Lesson }) {
  const [isEditing, setEditing] = useState<boolean>();
  const edit = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // After an edit is cancelled, the focus returns to the button that began it.
    if (isEditing === false) edit.current?.querySelector('button')?.focus();
  }, [isEditing]);
  const answer = (keep?: string) => {
    post({ type: 'lesson', runId, ...(keep !== undefined && { keep }) });
    // The card goes away, so the focus returns to where the user writes.
    document.querySelector<HTMLElement>('.composer textarea')?.focus();
  };
  return (
    <section class="card lesson" aria-label={TITLE}>
      <div class="card-head">
        <Icon name="lightbulb" />
        <h3>{TITLE}</h3>
      </div>
      {isEditing ? (
        <WordsForm
          label="What to remember"
          placeholder="What to remember"
          action="Keep"
          initial={text}
          required
          disabled={false}
          onSend={answer}
          onBack={() => setEditing(false)}
        />
      ) : (
        <>
          <p>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</p>
          <p class="dim">Kept in the memory of this workspace, and sent only with tasks that share words with this one.</p>
          <div class="buttons">
            <Button kind="primary" onClick={() => answer(text)}>
              Keep
            </Button>
            <span ref={edit}>
              <Button label="Edit what to remember" onClick={() => setEditing(true)}>
                Edit
              </Button>
            </span>
            <Button label="Dismiss: never propose this again" onClick={() => answer()}>
              Dismiss
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
