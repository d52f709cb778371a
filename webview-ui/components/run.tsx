import { answerOf, hasLog } from '../activity.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { memo } from '../memo.ts';
import type { RunView } from '../run-view.ts';
import { AgentLog } from './agent-log.tsx';
import { Approval } from './approval.tsx';
import { Changes } from './changes.tsx';
import { Ending } from './ending.tsx';
import { Icon } from './icon.tsx';
import { PlanCard } from './plan-card.tsx';
import { PlanProgress } from './plan-progress.tsx';
import { Prompt } from './prompt.tsx';
import { RetryWait } from './retry-wait.tsx';
import { RunFooter } from './run-footer.tsx';

export const Run = memo(({ run, live, last, editing }: { run: RunView; live: boolean; last: boolean; editing: boolean }) => {
  const answer = answerOf(run);
  const isOver = !live && run.approvals.length === 0;
  return (
    <article class="run" aria-label={run.plan?.goal ?? run.prompt}>
      <Prompt run={run} />
      {run.plan && <PlanProgress plan={run.plan} steps={run.steps} live={live} />}
      {run.shrunk && (
        <p class="ending dim">
          <Icon name="warning" tone="warn" />
          <span>{run.shrunk}</span>
        </p>
      )}
      {(live || hasLog(run)) && <AgentLog run={run} live={live} />}
      {live && run.waiting && <RetryWait key={run.waiting.attempt} wait={run.waiting} />}
      {answer && <Markdown text={answer.text} streaming={answer.streaming} />}
      {run.approvals.map((approval) => (
        <Approval key={approval.approvalId} approval={approval} />
      ))}
      {run.proposal && <PlanCard proposal={run.proposal} editing={editing} />}
      <Ending run={run} live={live} last={last} />
      {isOver && run.changes.length > 0 && <Changes run={run} />}
      {run.finished && <RunFooter model={run.model} {...run.finished} />}
    </article>
  );
});
