import { currentStep, nextStep } from '../../../src/core/plan/progress.ts';
import { rulesText } from '../../../src/core/view/read-rules.ts';
import { visibleLine } from '../../../src/core/words/visible-text.ts';
import type { Branches } from '../../../src/protocol/panel.ts';
import { answerOf, hasLog } from '../../activity.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import type { PanelRun } from '../../model.ts';
import { Approval } from '../approval/approval.tsx';
import { Question } from '../approval/question.tsx';
import { RunActions } from '../branches/branch-here.tsx';
import { IconButton } from '../button.tsx';
import { Changes } from '../changes/changes.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Icon } from '../icon.tsx';
import { PlanCard } from '../plan/plan-card.tsx';
import { PlanProgress } from '../plan/plan-progress.tsx';
import { RatingButtons } from '../rating.tsx';
import { AgentLog } from './agent-log.tsx';
import { AnswerText } from './answer-text.tsx';
import { Compactions } from './compactions.tsx';
import { Ending } from './ending.tsx';
import { MessagesToModel } from './messages-to-model.tsx';
import { Prompt } from './prompt.tsx';
import { Receipt } from './receipt.tsx';
import { RetryWait } from './retry-wait.tsx';
import { RunFooter } from './run-footer.tsx';
import { TodoList } from './todo-list.tsx';

/** Returns the current plan step of the run, for example "Step 3 of 5: Rename in the tests. Plan: Rename tideAt". */
function stepText({ plan, steps }: PanelRun): string | undefined {
  const number = plan && (currentStep({ steps }) ?? nextStep({ plan, steps }));
  if (!plan || number === undefined) return undefined;
  const title = plan.steps[number - 1]?.title;
  return visibleLine(`Step ${number} of ${plan.steps.length}${title ? `: ${title}` : ''} · Plan: ${plan.goal}`);
}

type RunProps = {
  run: PanelRun;
  live: boolean;
  last: boolean;
  /** The id of the plan of this run that is being edited. */
  editing?: string | undefined;
  /** Whether files can be restored to their state before this run: this run or a later run changed files, and no run is in progress. */
  canRestore?: boolean;
  /** Whether the steps are listed, and not only summarized. */
  isFull?: boolean;
  /** Whether any run of the session is in progress. */
  running?: boolean;
  /** The versions of the prompt, if there are several. */
  versions?: Branches['versions'][string] | undefined;
};

export const Run = memo(({ run, live, last, editing, canRestore = false, isFull = false, running = false, versions }: RunProps) => {
  const answer = answerOf(run);
  const rules = rulesText(run.rules ?? []);
  const canResend = last && !running && !run.plan && !run.applies;
  const actions = run.finished && !live && (
    <RunActions runId={run.id} canResend={canResend}>
      {answer && <CopyButton text={() => answer.text} label="Copy answer" />}
      {answer && <IconButton icon="save" label="Save answer" onClick={() => post({ type: 'save_answer', text: answer.text })} />}
      {answer && <RatingButtons runId={run.id} rating={run.rating} />}
    </RunActions>
  );
  const isOver = !live && run.approvals.length === 0 && run.questions.length === 0;
  return (
    <article class="run" aria-label={run.plan?.goal ?? run.prompt}>
      <Prompt run={run} canRestore={canRestore} running={running} versions={versions} />
      {run.plan && <PlanProgress run={run} plan={run.plan} live={live} last={last} editing={editing === run.plan.id} />}
      {run.todo && run.todo.length > 0 && <TodoList items={run.todo} live={live} />}
      {rules && (
        <p class="ending dim">
          <Icon name="book" />
          <span>{rules}</span>
        </p>
      )}
      {[run.shrunk ?? [], run.hooks ?? []].flat().map((text) => (
        <p key={text} class="ending dim">
          <Icon name="warning" tone="warn" />
          <span>{text}</span>
        </p>
      ))}
      <MessagesToModel messages={run.said} />
      <Compactions compactions={run.compactions} compacting={run.compacting === true} />
      {(live || hasLog(run)) && <AgentLog run={run} live={live} isFull={isFull} />}
      {live && run.waiting && <RetryWait key={run.waiting.attempt} wait={run.waiting} />}
      {answer && <AnswerText answer={answer}>{actions}</AnswerText>}
      {run.approvals.map((approval) => (
        <Approval key={approval.approvalId} approval={approval} step={stepText(run)} />
      ))}
      {run.questions.map((asked) => (
        <Question key={asked.questionId} asked={asked} />
      ))}
      {run.proposal && <PlanCard proposal={run.proposal} editing={editing === run.proposal.plan.id} />}
      <Ending run={run} live={live} last={last} />
      {!answer && actions}
      {isOver && run.changes.length > 0 && <Changes run={run} />}
      {run.finished?.receipt && !run.applies && (
        <Receipt receipt={run.finished.receipt} usage={run.finished.usage} cost={run.finished.cost} />
      )}
      {run.finished && !run.applies && <RunFooter model={run.model} {...run.finished} />}
    </article>
  );
});
