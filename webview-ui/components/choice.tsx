/** `problem` says why an option cannot be chosen. The option can still be focused, so that its tooltip can be read. */
export type Option<Value> = { value: Value; text: string; problem?: string | undefined };

type ChoiceProps<Value> = {
  /** The name of the chosen option, for screen readers. */
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
};

/**
 * Shows a few options, one of which is chosen with a click. The arrow keys do not choose an option, because a choice takes effect
 * immediately.
 */
export function Choice<Value>({ label, options, value, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.text}
          type="button"
          aria-pressed={option.value === value}
          aria-disabled={option.problem !== undefined}
          title={option.problem}
          onClick={() => option.problem === undefined && option.value !== value && onChoose(option.value)}
        >
          {option.text}
        </button>
      ))}
    </fieldset>
  );
}
