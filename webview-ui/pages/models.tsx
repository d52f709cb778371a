import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Limits, RunBudget, RunLimits } from '../../src/core/session/limits.ts';
import type { ModelsPage, ModeSettings } from '../../src/protocol/models-page.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import { Button } from '../components/button.tsx';
import { Problem } from '../components/problem.tsx';
import { post } from '../host.ts';
import { MODE } from '../modes.ts';

const send = (request: RequestOf<'models'>) => post({ type: 'page_request', request });

const LIMITS: Record<keyof Limits, string> = {
  turns: 'Requests to the model',
  callsPerTurn: 'Tool calls in one response',
  callsPerRun: 'Tool calls in one run',
  minutes: 'Minutes of work',
};
const BUDGETS: Record<keyof RunBudget, string> = { tokens: 'Tokens', usd: 'US dollars' };

/** Shows the model and the limits of each mode as a form. Each value is saved in the settings when the user leaves its field. */
export function Page({ data: { general, modes, run, session } }: { data: ModelsPage }) {
  return (
    <div class="models">
      <div class="row">
        <span class="grow general">
          Model for all modes: <b>{general}</b>
        </span>
        <Button onClick={() => send({ page: 'models', type: 'choose_general_model' })}>Choose a model</Button>
      </div>
      <p class="dim">At a limit, the run pauses, and you can continue it. A workspace can only lower the limits.</p>
      <fieldset>
        <legend>This session only, in any mode</legend>
        {(Object.keys({ ...LIMITS, ...BUDGETS }) as (keyof RunLimits)[]).map((limit) => (
          <Field
            key={limit}
            label={{ ...LIMITS, ...BUDGETS }[limit]}
            value={session[limit]}
            placeholder="As set below"
            onChange={(amount) => send({ page: 'models', type: 'set_session_limit', limit, ...(amount && { amount }) })}
          />
        ))}
      </fieldset>
      {modes.map((each) => (
        <ModeForm key={each.mode} settings={each} general={general} />
      ))}
      <fieldset>
        <legend>One run in any mode</legend>
        {(Object.keys(BUDGETS) as (keyof RunBudget)[]).map((budget) => (
          <Field
            key={budget}
            label={BUDGETS[budget]}
            value={run[budget]}
            placeholder="No limit"
            onChange={(amount) => send({ page: 'models', type: 'set_budget', budget, ...(amount && { amount }) })}
          />
        ))}
      </fieldset>
    </div>
  );
}

function ModeForm({ settings: { mode, own, problem, set, limits, defaults }, general }: { settings: ModeSettings; general: string }) {
  return (
    <fieldset>
      <legend>{MODE[mode].label} mode</legend>
      <TextField
        label="Model"
        value={own}
        placeholder={general}
        onChange={(model) => send({ page: 'models', type: 'set_mode_model', mode, model })}
      />
      {problem && <Problem text={problem} />}
      {(Object.keys(LIMITS) as (keyof Limits)[]).map((limit) => {
        const own = set[limit] ?? defaults[limit];
        return (
          <Field
            key={limit}
            label={LIMITS[limit]}
            value={set[limit]}
            placeholder={String(defaults[limit])}
            note={limits[limit] < own ? `This workspace lowers this limit to ${limits[limit]}.` : undefined}
            onChange={(amount) => send({ page: 'models', type: 'set_limit', mode, limit, ...(amount && { amount }) })}
          />
        );
      })}
    </fieldset>
  );
}

type FieldProps<Value> = { label: string; value: Value; placeholder: string; note?: string | undefined; onChange: (value: Value) => void };

/** Shows an amount. An empty field means the default. An invalid amount is replaced by the previous one. */
function Field({ value, onChange, ...rest }: FieldProps<number | undefined>) {
  const shown = value === undefined ? '' : String(value);
  return (
    <TextField
      {...rest}
      value={shown}
      numeric
      onChange={(text) => {
        const amount = Number(text);
        if (text === '') onChange(undefined);
        else if (Number.isFinite(amount) && amount > 0) onChange(amount);
      }}
    />
  );
}

function TextField({ label, value, placeholder, note, numeric = false, onChange }: FieldProps<string> & { numeric?: boolean }) {
  const id = useId();
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // The value that the host has saved replaces the typed value.
  useEffect(() => {
    sent.current = value;
    setText(value);
  }, [value]);
  const commit = () => {
    const typed = text.trim();
    const isPossible = !numeric || typed === '' || Number(typed) > 0;
    if (!isPossible) setText(value);
    // The value is sent only once, even if the user leaves the field before the host has answered.
    else if (typed !== sent.current) {
      sent.current = typed;
      onChange(typed);
    }
  };
  return (
    <div class={numeric ? 'setting-field' : 'setting-field wide'}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={numeric ? 'decimal' : 'text'}
        value={text}
        placeholder={placeholder}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
      {note && <p class="dim">{note}</p>}
    </div>
  );
}
