import { useEffect, useState } from 'preact/hooks';
import type { ApprovalAnswer, Permission } from '../../../src/core/session/events.ts';
import { approvalDetails } from '../../../src/core/view/approval-details.ts';
import { count } from '../../format.ts';
import { loadState, post, saveState } from '../../host.ts';
import { type Choice, choiceOf, type RejectedHunks } from '../../hunk-choice.ts';
import { memo } from '../../memo-component.ts';
import type { PanelApproval } from '../../model.ts';
import { HunkReview } from '../changes/hunk-review.tsx';
import { Icon } from '../icon.tsx';
import { PlanDeviation } from '../plan/plan-deviation.tsx';
import { useSent } from '../use-sent.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { CodeText } from './code-text.tsx';
import { DetailRows } from './detail-rows.tsx';
import { WordsForm } from './words-form.tsx';

/** An approval that the run is waiting for. It shows exactly what will be applied or executed. */
export const Approval = memo(({ approval, step }: { approval: PanelApproval; step?: string | undefined }) => {
  const [isSent, markSent] = useSent();
  const { approvalId } = approval;
  const { title, reasons, isDangerous, rows } = approvalDetails(approval);
  const [rejected, setRejected] = useState<RejectedHunks>(() => loadState().rejected[approvalId] ?? {});
  useEffect(() => {
    if (approval.rejected) setRejected(approval.rejected);
  }, [approval.rejected]);
  const choice = choiceOf(approval, rejected);
  const answer = (approval: ApprovalAnswer) => {
    if (isSent) return;
    markSent();
    keepRejected(approvalId, undefined);
    post({ type: 'answer_approval', approvalId, answer: withChoice(approval, choice) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A dangerous call cannot be approved with Ctrl+Enter, only with its button.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isDangerous) answer({ approve: true });
  };
  return (
    <section
      class={isDangerous ? 'card waiting dangerous' : 'card waiting'}
      aria-label={`Approval: ${approval.title}`}
      tabIndex={-1}
      data-waiting={approvalId}
      onKeyDown={onKeyDown}
    >
      <div class="card-head">
        <Icon name={isDangerous ? 'warning' : 'shield'} tone="warn" />
        <h3>{title}</h3>
      </div>
      {step && <p class="dim">{step}</p>}
      <Reasons reasons={reasons} isDangerous={isDangerous} />
      <DetailRows rows={rows} />
      <HunkReview
        approval={approval}
        rejected={rejected}
        onReject={(path, hunks) => {
          const next = { ...rejected, [path]: hunks };
          setRejected(next);
          keepRejected(approvalId, next);
          // Approving in the editor then has the same meaning as approving here.
          post({ type: 'choose_hunks', approvalId, path, rejected: [...hunks] });
        }}
      />
      <Answers
        deviates={approval.rule === 'outside-plan'}
        covers={approval.covers ?? []}
        similar={approval.similar ?? 0}
        disabled={isSent}
        onAnswer={answer}
        label={approveLabel(choice)}
        isDangerous={isDangerous}
      />
    </section>
  );
});

/** Lists every reason. The reasons of a dangerous call have the color of warnings. */
function Reasons({ reasons, isDangerous }: { reasons: readonly string[]; isDangerous: boolean }) {
  const [only] = reasons;
  if (!isDangerous && reasons.length === 1)
    return (
      <p class="dim">
        <CodeText text={only ?? ''} />
      </p>
    );
  return (
    <ul class={isDangerous ? 'reasons' : 'reasons dim'} aria-label={isDangerous ? 'Why this is dangerous' : 'Why this needs your approval'}>
      {reasons.map((reason) => (
        <li key={reason}>
          <CodeText text={reason} />
        </li>
      ))}
    </ul>
  );
}

/** Keeps the rejected hunks of approvals across a reload. The oldest are dropped. */
function keepRejected(approvalId: string, hunks: RejectedHunks | undefined): void {
  const { [approvalId]: _, ...others } = loadState().rejected;
  const kept = Object.fromEntries(Object.entries(others).slice(-MAX_KEPT));
  saveState({ rejected: hunks ? { ...kept, [approvalId]: hunks } : kept });
}

const MAX_KEPT = 20;

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
  isDangerous: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
};

function Answers({ deviates, covers, similar, disabled, label, isDangerous, onAnswer }: AnswersProps) {
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
    return <PlanDeviation covers={covers} label={label} disabled={disabled} onAnswer={onAnswer} onReject={() => setView('reject')} />;
  }
  return (
    <ApprovalActions
      covers={covers}
      similar={similar}
      label={label}
      isDangerous={isDangerous}
      disabled={disabled}
      onAnswer={onAnswer}
      onReject={() => setView('reject')}
    />
  );
}
