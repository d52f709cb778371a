import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mentionLabel } from '../../../src/core/model/mentions.ts';
import type { QueuedView } from '../../../src/core/view/session-view.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

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
          aria-label="Queued message"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton icon="check" label="Save" onClick={save} />
        <IconButton icon="close" label="Cancel" onClick={() => setDraft(undefined)} />
      </li>
    );
  }
  const label = text || 'Image';
  return (
    <li>
      <Icon name="comment" tone="dim" />
      <span class="grow cut" title={[label, ...mentions.map(mentionLabel)].join('\n')}>
        {label}
        {mentions.length > 0 && <span class="dim"> with {count(mentions.length, 'mention')}</span>}
        {text && images > 0 && <span class="dim"> and {images === 1 ? 'an image' : `${images} images`}</span>}
      </span>
      <IconButton icon="edit" label={`Edit: ${label}`} onClick={() => setDraft(text)} />
      <IconButton icon="trash" label={`Remove: ${label}`} onClick={() => post({ type: 'remove_queued', id })} />
    </li>
  );
}
