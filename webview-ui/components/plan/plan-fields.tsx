import { visibleLine } from '../../../src/core/words/visible-text.ts';
import type { CheckDraft, CheckKind } from '../../plan-edit.ts';
import { Button } from '../button.tsx';

export function Field({ label, value, onInput }: { label: string; value: string; onInput: (text: string) => void }) {
  return (
    <label class="labelled">
      <span>{label}</span>
      <textarea
        class="field"
        rows={Math.max(1, value.split('\n').length)}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

type AgentFieldProps = {
  /** Distinguishes this field from the others, for screen readers. */
  name: string;
  agent: string | undefined;
  /** The names that can be chosen. They are undefined until the host has sent them. */
  agents: readonly string[] | undefined;
  onChange: (agent: string | undefined) => void;
};

export function AgentField({ name, agent, agents, onChange }: AgentFieldProps) {
  const isUnknown = agent !== undefined && !agents?.includes(agent);
  return (
    <label class="labelled">
      <span>Agent that carries it out</span>
      <select class="field" aria-label={name} value={agent ?? ''} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
        <option value="">None</option>
        {agents?.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
        {isUnknown && <option value={agent}>{agents ? `${visibleLine(agent)} (not found)` : visibleLine(agent)}</option>}
      </select>
    </label>
  );
}

const KINDS: Record<CheckKind, string> = {
  none: 'None',
  command: 'A command succeeds',
  search: 'A search finds nothing',
  diagnostics: 'The files have no errors',
  remark: 'A note (nothing is run)',
};

type EndCheckFieldsProps = { checks: readonly CheckDraft[]; onChange: (checks: CheckDraft[]) => void };

/** The checks after the last step. A check of the kind "None" is removed when the plan is saved. */
export function EndCheckFields({ checks, onChange }: EndCheckFieldsProps) {
  return (
    <>
      {checks.map((check, index) => (
        <fieldset key={index}>
          <CheckFields
            check={check}
            label="Check at the end"
            name={`Check ${index + 1} at the end`}
            onChange={(to) => onChange(checks.with(index, to))}
          />
        </fieldset>
      ))}
      <Button kind="link" icon="add" onClick={() => onChange([...checks, { kind: 'command', text: '', glob: '' }])}>
        Add check at the end
      </Button>
    </>
  );
}

const TEXT: Partial<Record<CheckKind, string>> = { command: 'Command', search: 'Regular expression', remark: 'Note' };

type CheckFieldsProps = {
  check: CheckDraft;
  label: string;
  /** Distinguishes this check from the others, for screen readers. */
  name: string;
  onChange: (check: CheckDraft) => void;
};

export function CheckFields({ check, label, name, onChange }: CheckFieldsProps) {
  const text = TEXT[check.kind];
  return (
    <>
      <label class="labelled">
        <span>{label}</span>
        <select
          class="field"
          aria-label={name}
          value={check.kind}
          onChange={(event) => onChange({ ...check, kind: event.currentTarget.value as CheckKind })}
        >
          {Object.entries(KINDS).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {text && <Field label={text} value={check.text} onInput={(value) => onChange({ ...check, text: value })} />}
      {check.kind === 'search' && <Field label="In files (glob)" value={check.glob} onInput={(glob) => onChange({ ...check, glob })} />}
    </>
  );
}
