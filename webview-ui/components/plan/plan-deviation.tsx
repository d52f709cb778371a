import { Button } from '../button.tsx';

type PlanDeviationProps = {
  /** The label of the button that approves, for example "Approve 2 files". */
  label: string;
  disabled: boolean;
  onAllow: () => void;
  onWiden: () => void;
  onReject: () => void;
};

/** The buttons for an approval of a change that the plan does not include. */
export function PlanDeviation({ label, disabled, onAllow, onWiden, onReject }: PlanDeviationProps) {
  return (
    <div class="buttons">
      <Button kind="primary" disabled={disabled} title="Ctrl+Enter" onClick={onAllow}>
        {label === 'Approve' ? 'Allow once' : label}
      </Button>
      <Button disabled={disabled} title="Revise the plan so that this step may also change these files" onClick={onWiden}>
        Add to the plan
      </Button>
      <Button disabled={disabled} onClick={onReject}>
        Reject…
      </Button>
    </div>
  );
}
