import type { ComponentProps } from 'preact';
import { ApprovalActions } from '../approval/approval-actions.tsx';
import { Button } from '../button.tsx';

type PlanDeviationProps = Pick<ComponentProps<typeof ApprovalActions>, 'covers' | 'label' | 'disabled' | 'onAnswer' | 'onReject'>;

/** The buttons for approving a change that the plan does not include. */
export function PlanDeviation({ label, disabled, onAnswer, ...rest }: PlanDeviationProps) {
  return (
    <ApprovalActions
      {...rest}
      label={label === 'Approve' ? 'Allow once' : label}
      similar={0}
      isDangerous={false}
      disabled={disabled}
      onAnswer={onAnswer}
      more={
        <Button
          disabled={disabled}
          title="Revise the plan so that this step may also change these files"
          onClick={() => onAnswer({ approve: true, widen: true })}
        >
          Add to the plan
        </Button>
      }
    />
  );
}
