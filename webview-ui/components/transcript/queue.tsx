import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { QueuedView } from '../../../src/core/view/session-view.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** What the user said during a run and the model has not heard yet; where no run is under way, it can be sent. */
export const Queue = memo(({ queue, running }: { queue: readonly QueuedView[]; running: boolean }) => {
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label="Messages that wait">
      <div class="row">
        <span class="grow dim">{running ? 'Joins at the model’s next turn' : 'Not sent yet'}</span>
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
  const { id, text, images } = message;
  const [draft, setDraft] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const isEditing = draft !== undefined;
  useLayoutEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const save = () => {
    post({ type: 'edit_queued', id, text: draft ?? '' });
    setDraft(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      save();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setDraft(undefined);
    }
  };
  if (isEditing) {
    return (
      <li>
        <textarea
          ref={field}
          class="field"
          rows={1}
          aria-label="Message that waits"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton icon="check" label="Save" onClick={save} />
        <IconButton icon="close" label="Cancel" onClick={() => setDraft(undefined)} />
      </li>
    );
  }
  const named = text || 'Image';
  return (
    <li>
      <Icon name="comment" tone="dim" />
      <span class="grow cut" title={named}>
        {named}
        {text && images > 0 && <span class="dim"> and {images === 1 ? 'an image' : `${images} images`}</span>}
      </span>
      <IconButton icon="edit" label={`Edit: ${named}`} onClick={() => setDraft(text)} />
      <IconButton icon="trash" label={`Remove: ${named}`} onClick={() => post({ type: 'remove_queued', id })} />
    </li>
  );
}
