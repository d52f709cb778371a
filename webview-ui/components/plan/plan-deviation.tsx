import { Button } from '../button.tsx';

type PlanDeviationProps = {
  /** Of what the answer applies: "Approve 2 files". */
  label: string;
  disabled: boolean;
  onAllow: () => void;
  onWiden: () => void;
  onRefuse: () => void;
};

/** The answers to a write that the plan does not hold. */
export function PlanDeviation({ label, disabled, onAllow, onWiden, onRefuse }: PlanDeviationProps) {
  return (
    <div class="buttons">
      <Button kind="primary" disabled={disabled} title="Ctrl+Enter" onClick={onAllow}>
        {label === 'Approve' ? 'Allow once' : label}
      </Button>
      <Button disabled={disabled} title="A new revision of the plan, in which the step may change it too" onClick={onWiden}>
        Widen the plan
      </Button>
      <Button disabled={disabled} onClick={onRefuse}>
        Refuse…
      </Button>
    </div>
  );
}
