import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { intoSight } from '../../into-sight.ts';
import { Button } from '../button.tsx';

type WordsFormProps = {
  /** Of the field, for those who cannot see what it stands under. */
  label: string;
  placeholder: string;
  action: string;
  /** Without words there is nothing to send. */
  required?: boolean;
  disabled: boolean;
  onSend: (words: string) => void;
  onBack: () => void;
};

/** Words for the model: Enter sends them, Escape goes back. */
export function WordsForm({ label, placeholder, action, required = false, disabled, onSend, onBack }: WordsFormProps) {
  const [words, setWords] = useState('');
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    form.current?.querySelector('textarea')?.focus();
    intoSight(form.current, 'nearest');
  }, []);
  const said = words.trim();
  const cannot = disabled || (required && !said);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      if (!cannot) onSend(said);
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
        <Button kind="primary" disabled={cannot} onClick={() => onSend(said)}>
          {action}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
