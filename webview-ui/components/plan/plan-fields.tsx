import type { CheckDraft, CheckKind } from '../../plan-edit.ts';

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

const KINDS: Record<CheckKind, string> = {
  none: 'None',
  command: 'A command succeeds',
  search: 'A search finds nothing',
  diagnostics: 'The files have no errors',
  remark: 'A note that is not run',
};

const TEXT: Partial<Record<CheckKind, string>> = { command: 'Command', search: 'Regular expression', remark: 'Note' };

type CheckFieldsProps = { check: CheckDraft; number: number; onChange: (check: CheckDraft) => void };

export function CheckFields({ check, number, onChange }: CheckFieldsProps) {
  const text = TEXT[check.kind];
  return (
    <>
      <label class="labelled">
        <span>Check after this step</span>
        <select
          class="field"
          aria-label={`Check after step ${number}`}
          value={check.kind}
          onChange={(event) => onChange({ ...check, kind: event.currentTarget.value as CheckKind })}
        >
          {Object.entries(KINDS).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {text && <Field label={text} value={check.text} onInput={(value) => onChange({ ...check, text: value })} />}
      {check.kind === 'search' && <Field label="In files (glob)" value={check.glob} onInput={(glob) => onChange({ ...check, glob })} />}
    </>
  );
}
