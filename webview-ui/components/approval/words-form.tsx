import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { Button } from '../button.tsx';

type WordsFormProps = {
  /** The accessible name of the text field. */
  label: string;
  placeholder: string;
  action: string;
  /** The initial text, which the user can change. */
  initial?: string | undefined;
  /** Whether the form can be sent only with text. */
  required?: boolean;
  disabled: boolean;
  onSend: (words: string) => void;
  onBack: () => void;
};

/** A text field for a message. Enter sends it, and Escape goes back. */
export function WordsForm({ label, placeholder, action, initial = '', required = false, disabled, onSend, onBack }: WordsFormProps) {
  const [words, setWords] = useState(initial);
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    form.current?.querySelector('textarea')?.focus();
    scrollIntoView(form.current, 'nearest');
  }, []);
  const text = words.trim();
  const isDisabled = disabled || (required && !text);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      if (!isDisabled) onSend(text);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      onBack();
    }
  };
  return (
    <div class="answers" ref={form}>
      <textarea
        class="field"
        rows={2}
        aria-label={label}
        placeholder={placeholder}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="buttons">
        <Button kind="primary" disabled={isDisabled} onClick={() => onSend(text)}>
          {action}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
