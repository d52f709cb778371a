import { callsIn, type RunView } from '../../../src/core/view/run-view.ts';
import { activityOf, answerOf, lastWords, summaryOf } from '../../activity.ts';
import { count } from '../../format.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { memo } from '../../memo.ts';
import { Elapsed } from '../elapsed.tsx';
import { Expandable } from '../expandable.tsx';
import { Icon, Spinner } from '../icon.tsx';
import { LiveOutput } from './output.tsx';
import { Step } from './step.tsx';

/** One line that says what is going on, with the model's last words; later what was done. Opened, every step. */
export function AgentLog({ run, live }: { run: RunView; live: boolean }) {
  return (
    <Expandable class="agent-log" summary={live ? <Now run={run} /> : <Done run={run} />} closed={live && <Glance run={run} />}>
      {() => <Steps run={run} live={live} />}
    </Expandable>
  );
}

function Now({ run }: { run: RunView }) {
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

/** Why the model does what it does, and what a command writes: seen without opening anything. */
function Glance({ run }: { run: RunView }) {
  const words = lastWords(run);
  const running = callsIn(run).filter(({ status, progress }) => status === 'running' && progress);
  return (
    <>
      {words && <Markdown text={words.text} streaming={words.streaming} />}
      {running.map(({ id, progress = '' }) => (
        <LiveOutput key={id} text={progress} />
      ))}
    </>
  );
}

function Done({ run }: { run: RunView }) {
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
            <Step runId={run.id} call={call} live={live} />
          </li>
        )),
      ])}
    </ol>
  );
}

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
