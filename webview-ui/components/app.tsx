import { useEffect } from 'preact/hooks';
import type { RunView } from '../../src/core/view/run-view.ts';
import { post } from '../host.ts';
import type { PanelModel } from '../model.ts';
import { isReading, liveRun, modeOf } from '../state.ts';
import { dispatch } from '../store.ts';
import { Announcer } from './announcer.tsx';
import { OtherWaits } from './branches/other-session.tsx';
import { Composer, type Waiting } from './composer/composer.tsx';
import { ContextGauge } from './context-gauge.tsx';
import { EmptyState } from './empty-state.tsx';
import { Notice } from './notice.tsx';
import { Page } from './page.tsx';
import { Queue } from './transcript/queue.tsx';
import { RunControl } from './transcript/run-control.tsx';
import { Transcript } from './transcript/transcript.tsx';

export function App({ model }: { model: PanelModel }) {
  const { host, runs } = model;
  const live = liveRun(model);
  // The conversation can also be compacted between runs.
  const running = model.running || live !== undefined || runs.at(-1)?.compacting === true;
  const mode = modeOf(model);
  const last = runs.at(-1);
  const controlledRun = live ?? (isPausedByUser(last) ? last : undefined);
  const context = runs.findLast((run) => run.context)?.context;
  const reading = isReading(model);
  const isLoading = model.sessionId === undefined && !model.notice;

  const waiting = waitingFor(model);
  const { page } = model;
  const isPageOpen = page !== undefined;
  const isStoppable = running || reading;

  useEffect(() => {
    if (!isPageOpen && !isStoppable) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      if (isPageOpen) dispatch({ type: 'page_closed' });
      else post({ type: 'stop' });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isPageOpen, isStoppable]);

  useEffect(() => {
    if (!isPageOpen) return;
    return () => {
      post({ type: 'leave_page' });
      document.querySelector<HTMLElement>('.composer textarea')?.focus();
    };
  }, [isPageOpen]);

  return (
    <div class="panel">
      <div class="behind-page" inert={isPageOpen}>
        {isLoading ? (
          <Loading />
        ) : runs.length === 0 ? (
          <EmptyState host={host} sessionId={model.sessionId} />
        ) : (
          <Transcript model={model} live={live} />
        )}
        {model.notice && !isPageOpen && <Notice notice={model.notice} />}
        <div role="status">{model.otherWaits && <OtherWaits session={model.otherWaits} />}</div>
        {controlledRun && <RunControl run={controlledRun} held={!live} />}
        <Queue queue={model.queue} running={running || isPausedByUser(controlledRun)} />
        <Composer
          host={host}
          mode={mode ?? 'ask'}
          isNew={runs.length === 0}
          running={running}
          steers={controlledRun !== undefined}
          replaces={!controlledRun && last?.paused !== undefined}
          sessionId={model.sessionId}
          compose={model.compose}
          found={model.found}
          mentions={model.mentions}
          suggested={model.suggested}
          returned={model.returned}
          reading={reading}
          waiting={waiting}
        />
        {context && <ContextGauge use={context} />}
      </div>
      {page && <Page page={page} notice={model.notice} waits={waiting !== undefined} />}
      <Announcer run={runs.find(({ id }) => id === model.undoneRunId) ?? runs.at(-1)} live={live !== undefined} />
    </div>
  );
}

/** Returns true if the user paused the run. The run can be resumed, and new messages are added to it. */
function isPausedByUser(run: RunView | undefined): boolean {
  return run?.paused?.reason === 'user';
}

/** An indicator that is shown until the session has loaded. It appears with a delay, so that a fast load does not flicker. */
function Loading() {
  return (
    <main class="loading" aria-busy="true">
      <div role="progressbar" aria-label="Loading the session" />
    </main>
  );
}

/** Returns what the newest run is waiting for, if it is waiting for the user. */
function waitingFor(model: PanelModel): Waiting | undefined {
  const run = model.runs.at(-1);
  const approval = run?.approvals[0];
  if (approval) return { for: 'approval', key: approval.approvalId };
  const question = run?.questions[0];
  if (question) return { for: 'question', key: question.questionId };
  return run?.proposal && !run.proposal.resolved ? { for: 'plan', key: run.proposal.plan.id } : undefined;
}
