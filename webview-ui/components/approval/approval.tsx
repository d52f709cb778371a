import { useState } from 'preact/hooks';
import type { ApprovalAnswer, Permission } from '../../../src/core/session/events.ts';
import { approvalDetails } from '../../../src/core/view/approval-details.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { type Choice, choiceOf, type RejectedHunks } from '../../hunk-choice.ts';
import { memo } from '../../memo-component.ts';
import type { PanelApproval } from '../../state.ts';
import { HunkReview } from '../changes/hunk-review.tsx';
import { Icon } from '../icon.tsx';
import { PlanDeviation } from '../plan/plan-deviation.tsx';
import { useSent } from '../use-sent.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { DetailRows } from './detail-rows.tsx';
import { WordsForm } from './words-form.tsx';

/** An approval that the run is waiting for. It shows exactly what is applied or executed. */
export const Approval = memo(({ approval }: { approval: PanelApproval }) => {
  const [isSent, markSent] = useSent();
  const { approvalId } = approval;
  const { title, reason, rows } = approvalDetails(approval);
  const [rejected, setRejected] = useState<RejectedHunks>({});
  const choice = choiceOf(approval, rejected);
  const answer = (approval: ApprovalAnswer) => {
    if (isSent) return;
    markSent();
    post({ type: 'answer_approval', approvalId, answer: withChoice(approval, choice) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) answer({ approve: true });
  };
  return (
    <section class="card waiting" aria-label={`Approval: ${approval.title}`} tabIndex={-1} data-waiting={approvalId} onKeyDown={onKeyDown}>
      <div class="card-head">
        <Icon name="shield" tone="warn" />
        <h3>{title}</h3>
      </div>
      <p class="dim">{reason}</p>
      <DetailRows rows={rows} />
      <HunkReview
        approval={approval}
        rejected={rejected}
        onReject={(path, hunks) => setRejected((before) => ({ ...before, [path]: hunks }))}
      />
      <Answers
        deviates={approval.rule === 'outside-plan'}
        covers={approval.covers ?? []}
        similar={approval.similar ?? 0}
        disabled={isSent}
        onAnswer={answer}
        label={approveLabel(choice)}
      />
    </section>
  );
});

/** Adds the user's choice of hunks to an approval. If no hunk is accepted, it becomes a rejection. */
function withChoice(answer: ApprovalAnswer, { accepted, total, revised }: Choice): ApprovalAnswer {
  if (!answer.approve || !revised) return answer;
  return accepted === 0 && total > 0 ? { approve: false } : { ...answer, revised };
}

function approveLabel({ total, accepted, files, isEdited, revised }: Choice): string {
  if (!revised) return files > 1 ? `Approve ${count(files, 'file')}` : 'Approve';
  if (accepted === 0) return 'Reject all';
  if (accepted === total) return 'Apply as edited';
  return `Apply ${accepted} of ${count(total, total === files ? 'file' : 'hunk')}${isEdited ? ', as edited' : ''}`;
}

type AnswersProps = {
  deviates: boolean;
  covers: readonly Permission[];
  similar: number;
  disabled: boolean;
  label: string;
  onAnswer: (answer: ApprovalAnswer) => void;
};

function Answers({ deviates, covers, similar, disabled, label, onAnswer }: AnswersProps) {
  const [view, setView] = useState<'buttons' | 'reject'>('buttons');
  if (view === 'reject') {
    return (
      <WordsForm
        label="Message to the model"
        placeholder="What should be different? (optional)"
        action="Reject"
        disabled={disabled}
        onSend={(words) => onAnswer({ approve: false, words: words || undefined })}
        onBack={() => setView('buttons')}
      />
    );
  }
  if (deviates) {
    return (
      <PlanDeviation
        label={label}
        disabled={disabled}
        onAllow={() => onAnswer({ approve: true })}
        onWiden={() => onAnswer({ approve: true, widen: true })}
        onReject={() => setView('reject')}
      />
    );
  }
  return (
    <ApprovalActions
      covers={covers}
      similar={similar}
      label={label}
      disabled={disabled}
      onAnswer={onAnswer}
      onReject={() => setView('reject')}
    />
  );
}
