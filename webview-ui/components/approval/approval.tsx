import { useState } from 'preact/hooks';
import type { ApprovalAnswer, Permission } from '../../../src/core/session/events.ts';
import { approvalDetails } from '../../../src/core/view/approval-details.ts';
import { count } from '../../format.ts';
import { post } from '../../host.ts';
import { type Choice, choiceOf, type Refused } from '../../hunks.ts';
import { memo } from '../../memo.ts';
import type { PanelApproval } from '../../state.ts';
import { HunkReview } from '../changes/hunk-review.tsx';
import { Icon } from '../icon.tsx';
import { PlanDeviation } from '../plan/plan-deviation.tsx';
import { useSent } from '../use-sent.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { DetailRows } from './detail-rows.tsx';
import { WordsForm } from './words-form.tsx';

/** A question that the run waits on, with exactly what a yes applies or executes. */
export const Approval = memo(({ approval }: { approval: PanelApproval }) => {
  const [sent, mark] = useSent();
  const { approvalId } = approval;
  const { title, reason, rows } = approvalDetails(approval);
  const [refused, setRefused] = useState<Refused>({});
  const choice = choiceOf(approval, refused);
  const answer = (given: ApprovalAnswer) => {
    if (sent) return;
    mark();
    post({ type: 'answer_approval', approvalId, answer: withChoice(given, choice) });
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
        refused={refused}
        onRefuse={(path, hunks) => setRefused((before) => ({ ...before, [path]: hunks }))}
      />
      <Answers
        deviates={approval.rule === 'outside-plan'}
        covers={approval.covers ?? []}
        similar={approval.similar ?? 0}
        disabled={sent}
        onAnswer={answer}
        label={approveLabel(choice)}
      />
    </section>
  );
});

/** What is refused whole is rejected. */
function withChoice(given: ApprovalAnswer, { kept, total, revised }: Choice): ApprovalAnswer {
  if (!given.approve || !revised) return given;
  return kept === 0 && total > 0 ? { approve: false } : { ...given, revised };
}

function approveLabel({ total, kept, files, isEdited, revised }: Choice): string {
  if (!revised) return files > 1 ? `Approve ${count(files, 'file')}` : 'Approve';
  if (kept === 0) return 'Reject all';
  if (kept === total) return 'Apply as edited';
  return `Apply ${kept} of ${count(total, total === files ? 'file' : 'hunk')}${isEdited ? ', as edited' : ''}`;
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
        label="Words for the model"
        placeholder="What should be different? (optional)"
        action={deviates ? 'Refuse' : 'Reject'}
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
        onRefuse={() => setView('reject')}
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
