import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

type PlanWordsProps = { disabled: boolean; onSend: (words: string) => void; onBack: () => void };

/** What the model is to change about its plan. */
export function PlanWords({ disabled, onSend, onBack }: PlanWordsProps) {
  const [words, setWords] = useState('');
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    form.current?.querySelector('textarea')?.focus();
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const said = words.trim();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      if (said && !disabled) onSend(said);
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
        aria-label="What the model should change about the plan"
        placeholder="What should be different?"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="buttons">
        <Button kind="primary" disabled={disabled || !said} onClick={() => onSend(said)}>
          Ask for changes
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
