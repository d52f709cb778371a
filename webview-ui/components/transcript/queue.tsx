import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mentionLabel } from '../../../src/core/model/mentions.ts';
import type { QueuedView } from '../../../src/core/view/session-view.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import { current, dispatch } from '../../store.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

const MAX_ROWS = 6;
const EDIT = 'button[aria-label^="Edit"]';

/** Lets the user edit the newest queued message. @returns false if there is none */
export function editNewest(): boolean {
  const button = document.querySelector<HTMLElement>(`.queue li:last-child ${EDIT}`);
  button?.click();
  return button !== null;
}

/** The messages that are queued for the model. If no run is in progress, they can be sent. */
export const Queue = memo(({ queue, running }: { queue: readonly QueuedView[]; running: boolean }) => {
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label="Queued messages">
      <div class="row">
        <span class="grow dim">{running ? 'Sent with the model’s next turn' : 'Not sent'}</span>
        {!running && (
          <Button kind="primary" icon="send" onClick={() => post({ type: 'send_queued' })}>
            Send
          </Button>
        )}
      </div>
      <ul>
        {queue.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ul>
    </section>
  );
});

function Message({ message }: { message: QueuedView }) {
  const { id, text, images, mentions = [] } = message;
  const [draft, setDraft] = useState<string>();
  const item = useRef<HTMLLIElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  /** The element that had the focus before the user began to edit, such as the composer. */
  const before = useRef<Element | null>(null);
  const isEditing = draft !== undefined;
  /** The text that the user wrote, until the queue contains it. */
  const unsaved = useUnsaved(text);

  useLayoutEffect(() => {
    if (!isEditing) return;
    field.current?.focus();
    const end = field.current?.value.length ?? 0;
    field.current?.setSelectionRange(end, end);
    return () => {
      const target = before.current?.isConnected ? (before.current as HTMLElement) : item.current?.querySelector<HTMLElement>(EDIT);
      target?.focus({ preventScroll: true });
    };
  }, [isEditing]);

  const edit = () => {
    before.current = document.activeElement;
    setDraft(text);
  };
  const save = () => {
    if (draft !== text) post({ type: 'edit_queued', id, text: draft ?? '' });
    setDraft(undefined);
  };
  const cancel = () => {
    unsaved.current = undefined;
    setDraft(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) save();
    else if (event.key === 'Escape') cancel();
    else return;
    // Escape must not stop the run.
    event.preventDefault();
  };
  if (isEditing) {
    return (
      <li ref={item}>
        <textarea
          ref={field}
          class="field"
          rows={Math.min(MAX_ROWS, draft.split('\n').length)}
          aria-label="Queued message"
          value={draft}
          onInput={(event) => {
            unsaved.current = event.currentTarget.value;
            setDraft(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
        />
        <IconButton icon="check" label="Save" onClick={save} />
        <IconButton icon="close" label="Cancel" onClick={cancel} />
      </li>
    );
  }
  const label = text || 'Image';
  return (
    <li ref={item}>
      <Icon name="comment" tone="dim" />
      <span class="grow cut" title={[label, ...mentions.map(mentionLabel)].join('\n')}>
        {label}
        {mentions.length > 0 && <span class="dim"> with {count(mentions.length, 'mention')}</span>}
        {text && images > 0 && <span class="dim"> and {images === 1 ? 'an image' : `${images} images`}</span>}
      </span>
      <IconButton icon="edit" label={`Edit: ${label}`} onClick={edit} />
      <IconButton icon="trash" label={`Remove: ${label}`} onClick={() => post({ type: 'remove_queued', id })} />
    </li>
  );
}

/** If a queued message is sent to the model while the user edits it, the edited text is put back into the input box. */
function useUnsaved(text: string): RefObject<string | undefined> {
  const unsaved = useRef<string | undefined>(undefined);
  if (unsaved.current?.trim() === text.trim()) unsaved.current = undefined;
  useEffect(() => {
    const { sessionId } = current();
    return () => {
      const { current: written } = unsaved;
      // The text must not be put into the input box of another session.
      if (written?.trim() && current().sessionId === sessionId) dispatch({ type: 'text_returned', text: written });
    };
  }, []);
  return unsaved;
}
