import { rulesText } from '../../../src/core/view/read-rules.ts';
import { answerOf, hasLog } from '../../activity.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { memo } from '../../memo-component.ts';
import type { PanelRun } from '../../state.ts';
import { Approval } from '../approval/approval.tsx';
import { Question } from '../approval/question.tsx';
import { Changes } from '../changes/changes.tsx';
import { Icon } from '../icon.tsx';
import { PlanCard } from '../plan/plan-card.tsx';
import { PlanProgress } from '../plan/plan-progress.tsx';
import { AgentLog } from './agent-log.tsx';
import { Compactions } from './compactions.tsx';
import { Ending } from './ending.tsx';
import { MessagesToModel } from './messages-to-model.tsx';
import { Prompt } from './prompt.tsx';
import { Receipt } from './receipt.tsx';
import { RetryWait } from './retry-wait.tsx';
import { RunFooter } from './run-footer.tsx';
import { TodoList } from './todo-list.tsx';

type RunProps = {
  run: PanelRun;
  live: boolean;
  last: boolean;
  /** The id of the plan of this run that is being edited. */
  editing?: string | undefined;
  /** Whether files can be restored to their state before this run: this run or a later run changed files, and no run is in progress. */
  canRestore?: boolean;
};

export const Run = memo(({ run, live, last, editing, canRestore = false }: RunProps) => {
  const answer = answerOf(run);
  const rules = rulesText(run.rules ?? []);
  const isOver = !live && run.approvals.length === 0 && run.questions.length === 0;
  return (
    <article class="run" aria-label={run.plan?.goal ?? run.prompt}>
      <Prompt run={run} canRestore={canRestore} />
      {run.plan && <PlanProgress run={run} plan={run.plan} live={live} last={last} editing={editing === run.plan.id} />}
      {run.todo && run.todo.length > 0 && <TodoList items={run.todo} live={live} />}
      {rules && (
        <p class="ending dim">
          <Icon name="book" />
          <span>{rules}</span>
        </p>
      )}
      {run.shrunk && (
        <p class="ending dim">
          <Icon name="warning" tone="warn" />
          <span>{run.shrunk}</span>
        </p>
      )}
      <MessagesToModel messages={run.said} />
      <Compactions compactions={run.compactions} compacting={run.compacting === true} />
      {(live || hasLog(run)) && <AgentLog run={run} live={live} />}
      {live && run.waiting && <RetryWait key={run.waiting.attempt} wait={run.waiting} />}
      {answer && <Markdown text={answer.text} streaming={answer.streaming} />}
      {run.approvals.map((approval) => (
        <Approval key={approval.approvalId} approval={approval} />
      ))}
      {run.questions.map((asked) => (
        <Question key={asked.questionId} asked={asked} />
      ))}
      {run.proposal && <PlanCard proposal={run.proposal} editing={editing === run.proposal.plan.id} />}
      <Ending run={run} live={live} last={last} />
      {isOver && run.changes.length > 0 && <Changes run={run} />}
      {run.finished?.receipt && <Receipt receipt={run.finished.receipt} usage={run.finished.usage} cost={run.finished.cost} />}
      {run.finished && <RunFooter model={run.model} {...run.finished} />}
    </article>
  );
});
