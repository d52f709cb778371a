/** `problem` says why an option cannot be chosen. It stays reachable, so that its tooltip can be read. */
export type Option<Value> = { value: Value; text: string; problem?: string | undefined };

type ChoiceProps<Value> = {
  /** The name of the chosen option, for screen readers. */
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
};

/** Shows a few options, of which one is chosen with one click. The arrow keys do not choose, because a choice takes effect at once. */
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
