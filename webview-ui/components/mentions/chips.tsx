import { mentionLabel } from '../../../src/core/model/mentions.ts';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import type { Mention } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { MentionIcon } from './mention-icon.tsx';

type ChipsProps = {
  mentions: readonly Mention[];
  /** The suggested mention. The user can add it with a button. */
  suggested: MentionRef | undefined;
  onRemove: (mention: Mention) => void;
  onAdd: (ref: MentionRef) => void;
};

/** Shows the mentions of the message that is being written, and the suggested mention, which is dimmed. */
export function Chips({ mentions, suggested, onRemove, onAdd }: ChipsProps) {
  if (mentions.length === 0 && !suggested) return null;
  return (
    <div class="mentions">
      {mentions.length > 0 && (
        <ul class="mentions" aria-label="Sent with the message">
          {mentions.map((mention) => {
            const { ref } = mention;
            const label = mentionLabel(ref);
            return (
              <li key={`${label} ${ref.path}`} class="mention" title={label}>
                <MentionIcon kind={ref.kind} />
                <span class="cut">{shortLabel(ref)}</span>
                <IconButton icon="close" label={`Remove ${label}`} onClick={() => onRemove(mention)} />
              </li>
            );
          })}
        </ul>
      )}
      {suggested && (
        <button
          type="button"
          class="mention suggested"
          title={`Add ${mentionLabel(suggested)} to the message`}
          aria-label={`Add ${mentionLabel(suggested)} to the message`}
          onClick={() => onAdd(suggested)}
        >
          <Icon name="add" />
          <span class="cut">{shortLabel(suggested)}</span>
        </button>
      )}
    </div>
  );
}

/** Shows the mentions that were sent with a message. A file can be opened. */
export function SentChips({ refs }: { refs: readonly MentionRef[] }) {
  if (refs.length === 0) return null;
  return (
    <ul class="mentions" aria-label="Sent with the message">
      {refs.map((ref, index) => (
        <li key={index}>
          <SentChip mention={ref} />
        </li>
      ))}
    </ul>
  );
}

function SentChip({ mention }: { mention: MentionRef }) {
  const { kind, path, lines } = mention;
  const label = mentionLabel(mention);
  const content = (
    <>
      <MentionIcon kind={kind} />
      <span class="cut">{shortLabel(mention)}</span>
    </>
  );
  if (path === undefined || !(kind === 'file' || kind === 'selection' || kind === 'symbol')) {
    return (
      <span class="mention" title={label}>
        {content}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="mention"
      title={`Open ${label}`}
      aria-label={`Open ${label}`}
      onClick={() => post({ type: 'open_file', path, ...(lines && { line: lines.from }) })}
    >
      {content}
    </button>
  );
}

type QuestionProps = { mention: Mention; onYes: () => void; onNo: () => void };

/** Asks for confirmation before sending a file that may contain keys or that a rule protects. */
export function MentionQuestion({ mention, onYes, onNo }: QuestionProps) {
  const label = mentionLabel(mention.ref);
  return (
    <div class="mention-question" role="alert">
      <div class="row reason">
        <Icon name="shield" tone="warn" />
        <p>
          {mention.question?.reason} Send the content of {label} to the model?
        </p>
      </div>
      <div class="row">
        <Button onClick={onYes} label={`Send content of ${label}`}>
          Send content
        </Button>
        <Button onClick={onNo} label={`Remove the mention of ${label}`}>
          Remove
        </Button>
      </div>
    </div>
  );
}

/** The name without its folders. The full label is in the tooltip. */
function shortLabel(ref: MentionRef): string {
  if (['symbol', 'session', 'resource'].includes(ref.kind) && ref.name) return ref.name;
  if (ref.kind === 'collection' && ref.path) return ref.path;
  if (ref.path === undefined || ref.kind === 'url') return mentionLabel(ref).replace(/^https?:\/\//, '');
  return mentionLabel({ ...ref, path: ref.path.slice(ref.path.lastIndexOf('/') + 1) });
}
