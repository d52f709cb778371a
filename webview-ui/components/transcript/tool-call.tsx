import { resultText } from '../../../src/core/model/messages.ts';
import { isChildRun } from '../../../src/core/session/children/child-ids.ts';
import type { CallStatus, CallView } from '../../../src/core/view/run-view.ts';
import { callTitle } from '../../activity.ts';
import { duration, prettyJson, timeText } from '../../format.ts';
import { memo } from '../../memo-component.ts';
import { BranchAfterStep } from '../branches/branch-here.tsx';
import { Counts, FileLink } from '../changes/file-link.tsx';
import { RestoreHere } from '../changes/restore.tsx';
import { Expandable } from '../expandable.tsx';
import { Icon, Spinner } from '../icon.tsx';
import type { IconName } from '../icons.ts';
import { LiveOutput, Output } from './output.tsx';
import { Thumbnails } from './thumbnails.tsx';

const STATUS: Record<CallStatus, { icon: IconName; label: string; tone?: 'good' | 'bad' | 'warn' | 'dim' }> = {
  queued: { icon: 'circle-large', label: 'Queued', tone: 'dim' },
  running: { icon: 'loading', label: 'Running' },
  waiting: { icon: 'bell-dot', label: 'Waiting for you', tone: 'warn' },
  done: { icon: 'check', label: 'Done', tone: 'good' },
  failed: { icon: 'error', label: 'Failed', tone: 'bad' },
  denied: { icon: 'circle-slash', label: 'Denied by policy', tone: 'bad' },
  rejected: { icon: 'circle-slash', label: 'Rejected by you', tone: 'warn' },
};

const INTERRUPTED = { icon: 'debug-stop', label: 'Not finished', tone: 'dim' } as const;
const STOPPED = { icon: 'debug-stop', label: 'Stopped', tone: 'dim' } as const;

const DECISION = {
  allow: { icon: 'pass', label: 'Allowed' },
  deny: { icon: 'circle-slash', label: 'Denied' },
  ask: { icon: 'question', label: 'Asked you' },
} as const;

/** One line for a tool call. When expanded, it shows the details of the call. */
export const ToolCall = memo(({ runId, call, live }: { runId: string; call: CallView; live: boolean }) => {
  const isInterrupted = !live && (call.status === 'queued' || call.status === 'running');
  const isStopped = call.status === 'done' && call.stopped;
  const { icon, label, tone } = isInterrupted ? INTERRUPTED : isStopped ? STOPPED : STATUS[call.status];
  const step = (
    <Expandable
      class="step"
      title={call.at === undefined ? undefined : timeText(call.at)}
      aside={
        !live &&
        call.changes.length > 0 && <RestoreHere to={{ runId, callId: call.id }} label="Restore the files to their state after this step" />
      }
      summary={
        <>
          {icon === 'loading' ? <Spinner /> : <Icon name={icon} tone={tone} />}
          <span class="sr-only">{label}: </span>
          <span class="grow cut">{callTitle(call)}</span>
          {call.note && <span class={call.result?.isError ? undefined : 'dim'}>{call.note}</span>}
          {call.durationMs !== undefined && <span class="dim">{duration(call.durationMs)}</span>}
        </>
      }
    >
      {() => <Details runId={runId} call={call} live={live} />}
    </Expandable>
  );
  return live && call.progress ? (
    <>
      {step}
      <LiveOutput text={call.progress} />
    </>
  ) : (
    step
  );
});

function Details({ runId, call, live }: { runId: string; call: CallView; live: boolean }) {
  const { decision, answer } = call;
  const input = call.malformed ?? prettyJson(call.input);
  return (
    <div class="details">
      <p>
        <code>{call.name}</code> {call.title}
      </p>
      {decision && (
        <p class="decision">
          <Icon name={DECISION[decision.kind].icon} tone={decision.kind === 'deny' ? 'bad' : 'dim'} />
          <span>
            {DECISION[decision.kind].label}: {decision.reason}
          </span>
        </p>
      )}
      {answer && (
        <p class="decision">
          <Icon name={answer.approve ? 'pass' : 'circle-slash'} tone={answer.approve ? 'dim' : 'warn'} />
          <span>
            {answer.approve
              ? answer.grant
                ? `You approved the call for this ${answer.grant}`
                : 'You approved the call'
              : 'You rejected the call'}
            {answer.approve && answer.revised && ', with your changes'}
            {!answer.approve && answer.words && `: ${answer.words}`}
          </span>
        </p>
      )}
      {call.changes.length > 0 && (
        <ul class="files">
          {call.changes.map((change) => (
            <li key={change.path}>
              <FileLink path={change.path} from={change.from} callId={call.id} />
              <Counts added={change.added} removed={change.removed} />
            </li>
          ))}
        </ul>
      )}
      {input && <Output label={call.malformed === undefined || call.problem ? 'Input' : 'Input (not valid JSON)'} text={input} />}
      {call.result && <Output label={call.result.isError ? 'Error' : 'Output'} text={resultText(call.result) || '(empty)'} />}
      {call.result && <Thumbnails images={call.result.content.filter((part) => part.type === 'image')} />}
      {!live && call.result && !isChildRun(runId) && <BranchAfterStep runId={runId} callId={call.id} />}
    </div>
  );
}
