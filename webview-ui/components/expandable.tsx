import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

type ExpandableProps = {
  summary: ComponentChildren;
  children: () => ComponentChildren;
  /** Controls beside the summary. They are not part of it, because a button cannot contain another button. */
  aside?: ComponentChildren;
  open?: boolean;
  /** Content that is shown while the line is collapsed. */
  closed?: ComponentChildren;
  class?: string;
  /** The tooltip of the line. */
  title?: string | undefined;
};

/** A line that expands. The content is rendered only while the line is expanded. */
export function Expandable({ summary, children, aside, open = false, closed, class: name = '', title }: ExpandableProps) {
  const [isOpen, setOpen] = useState(open);
  const id = useId();
  return (
    <div class={`expandable ${name}`}>
      <div class="expandable-head">
        <button
          type="button"
          class="expandable-toggle"
          title={title}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
          <span class="expandable-summary">{summary}</span>
        </button>
        {aside}
      </div>
      {isOpen && (
        <div class="expandable-body" id={id}>
          {children()}
        </div>
      )}
      {!isOpen && closed}
    </div>
  );
}
