import { callsIn, type RunView } from '../../../src/core/view/run-view.ts';
import { childName } from '../../../src/core/words/child-name.ts';
import { activityOf, answerOf, latestText, summaryOf } from '../../activity.ts';
import { count, tokens } from '../../format.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { memo } from '../../memo-component.ts';
import { Elapsed } from '../elapsed.tsx';
import { Expandable } from '../expandable.tsx';
import { Icon, Spinner } from '../icon.tsx';
import { LiveOutput } from './output.tsx';
import { ToolCall } from './tool-call.tsx';

/** Shows the current activity and the model's latest text during a run, and a summary after it. When expanded, it lists every step. */
/** With `isFull`, the steps are listed from the beginning. */
export function AgentLog({ run, live, isFull }: { run: RunView; live: boolean; isFull: boolean }) {
  return (
    <Expandable
      key={isFull ? 'full' : 'summary'}
      class="agent-log"
      open={isFull}
      summary={live ? <CurrentActivity run={run} /> : <Summary run={run} />}
      closed={live && <LivePreview run={run} />}
    >
      {() => <Steps run={run} live={live} />}
    </Expandable>
  );
}

function CurrentActivity({ run }: { run: RunView }) {
  const activity = activityOf(run);
  const steps = callsIn(run).length;
  return (
    <>
      {activity.waiting ? <Icon name="bell-dot" tone="warn" /> : <Spinner />}
      <span class="grow cut">{activity.text}</span>
      {!activity.waiting && <Elapsed key={activity.key} />}
      {steps > 1 && <span class="dim">{count(steps, 'step')}</span>}
    </>
  );
}

/** The model's latest text and the output of running commands, visible without expanding the log. */
function LivePreview({ run }: { run: RunView }) {
  const text = latestText(run);
  const running = callsIn(run).filter(({ status, progress }) => status === 'running' && progress);
  return (
    <>
      {text && <Markdown text={text.text} streaming={text.streaming} />}
      {running.map(({ id, progress = '' }) => (
        <LiveOutput key={id} text={progress} />
      ))}
    </>
  );
}

function Summary({ run }: { run: RunView }) {
  return (
    <>
      <Icon name={run.finished?.outcome === 'failed' ? 'error' : 'list-tree'} />
      <span class="grow">{summaryOf(run)}</span>
    </>
  );
}

function Steps({ run, live }: { run: RunView; live: boolean }) {
  const answer = answerOf(run);
  if (run.turns.length === 0) return <p class="dim">Nothing has happened yet.</p>;
  return (
    <ol class="steps">
      {run.turns.flatMap((turn, index) => [
        turn.reasoning && (
          <li key={`${index} reasoning`}>
            <Reasoning text={turn.reasoning} streaming={!turn.settled} />
          </li>
        ),
        turn.text && !(answer && index >= answer.from && index < answer.to) && (
          <li key={`${index} text`} class="thought">
            <Markdown text={turn.text} streaming={!turn.settled} />
          </li>
        ),
        ...turn.calls.map((call) => (
          <li key={call.id}>
            <ToolCall runId={run.id} call={call} live={live} />
            {run.children?.map((child) => child.parent?.callId === call.id && <ChildRun key={child.id} run={child} live={live} />)}
          </li>
        )),
      ])}
    </ol>
  );
}

/** A child run below the call that started it. What it asks the user is shown below the run that the user started. */
const ChildRun = memo(({ run, live }: { run: RunView; live: boolean }) => {
  const isLive = live && !run.finished;
  const { outcome, usage } = run.finished ?? {};
  const spent = (usage?.input ?? 0) + (usage?.output ?? 0);
  const isWaiting = isLive && run.approvals.length + run.questions.length > 0;
  const answer = answerOf(run);
  return (
    <Expandable
      class="step"
      summary={
        <>
          {isLive && !isWaiting ? (
            <Spinner />
          ) : (
            <Icon name={isWaiting ? 'bell-dot' : outcome === 'answered' ? 'list-tree' : 'debug-stop'} tone={isWaiting ? 'warn' : 'dim'} />
          )}
          <span class="grow cut">
            {childName(run.id, run.prompt)}: {isLive ? activityOf(run).text : summaryOf(run)}
          </span>
          {spent > 0 && <span class="dim">{tokens(spent)} tokens</span>}
        </>
      }
    >
      {() => (
        <>
          <Steps run={run} live={isLive} />
          {answer && <Markdown text={answer.text} streaming={answer.streaming} />}
        </>
      )}
    </Expandable>
  );
});

const Reasoning = memo(({ text, streaming }: { text: string; streaming: boolean }) => (
  <Expandable
    class="step"
    summary={
      <>
        <Icon name="lightbulb" tone="dim" />
        <span class="dim">Reasoning</span>
      </>
    }
  >
    {() => (
      <div class="reasoning">
        <Markdown text={text} streaming={streaming} />
      </div>
    )}
  </Expandable>
));
