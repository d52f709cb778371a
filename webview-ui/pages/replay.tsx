import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isChildRun } from '../../src/core/session/children/child-ids.ts';
import type { AgentEvent } from '../../src/core/session/events.ts';
import { replayOf } from '../../src/core/view/replay.ts';
import type { RunView } from '../../src/core/view/run-view.ts';
import { EMPTY_VIEW, project, type SessionView } from '../../src/core/view/session-view.ts';
import type { ReplayPage } from '../../src/protocol/pages.ts';
import { IconButton } from '../components/button.tsx';
import { Run } from '../components/transcript/run.tsx';
import { duration, count as numberOf } from '../format.ts';

const SPEEDS = [0.5, 1, 2, 4, 16];
/** The events at which a step ends. */
const STEPS: ReadonlySet<AgentEvent['type']> = new Set(['message_added', 'tool_finished', 'run_paused', 'run_finished']);
/** The view is saved after every group of this many events, so that going back does not start at the first event. */
const KEEP_EVERY = 200;

/** Returns a function that returns the view of the session after its first `count` events. */
function viewer(events: readonly AgentEvent[]): (count: number) => SessionView {
  const kept: SessionView[] = [EMPTY_VIEW];
  let last = { count: 0, view: EMPTY_VIEW };
  return (count) => {
    const near = Math.floor(count / KEEP_EVERY);
    const begin = last.count <= count ? last.count : Math.min(near, kept.length - 1) * KEEP_EVERY;
    let view = begin === last.count ? last.view : (kept[begin / KEEP_EVERY] as SessionView);
    for (let at = begin; at < count; at += 1) {
      view = project(view, events[at] as AgentEvent);
      if ((at + 1) % KEEP_EVERY === 0) kept[(at + 1) / KEEP_EVERY] ??= view;
    }
    last = { count, view };
    return view;
  };
}

const isLive = ({ finished, paused }: RunView) => !finished && !paused;

/** Replays the session that the panel shows. Nothing in it can be clicked. */
export function Page({ data: { events, earlierRuns } }: { data: ReplayPage }) {
  const [count, setCount] = useState(0);
  const [isPlaying, setPlaying] = useState(true);
  const [speed, setSpeed] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const viewAt = useMemo(() => viewer(events), [events]);
  const timeline = useMemo(() => timelineOf(events), [events]);
  const { runs } = viewAt(count);
  const isOver = count === events.length;

  useEffect(() => {
    if (!isPlaying || isOver) return;
    const timer = setTimeout(() => setCount(count + 1), (timeline.waits[count] ?? 0) / speed);
    return () => clearTimeout(timer);
  }, [count, isPlaying, isOver, speed, timeline]);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count]);

  const go = (to: number) => {
    setPlaying(false);
    setCount(to);
  };
  const stepOn = () => {
    const next = events.findIndex(({ type }, index) => index >= count && STEPS.has(type));
    go(next < 0 ? events.length : next + 1);
  };
  const stepBack = () => go(events.findLastIndex(({ type }, index) => index < count - 1 && STEPS.has(type)) + 1);
  const play = () => {
    if (isOver) setCount(0);
    setPlaying(isOver || !isPlaying);
  };
  const time = `${duration(timeline.at[count] ?? 0)} of ${duration(timeline.at.at(-1) ?? 0)}`;

  return (
    <div class="replay">
      {earlierRuns > 0 && (
        <p class="dim">Only the newest {timeline.runs === 1 ? 'run' : numberOf(timeline.runs, 'run')} of this session can be replayed.</p>
      )}
      <div class="replay-view" ref={box}>
        <div role="log" aria-live="off" aria-label="Replay" inert>
          {runs.map((run, index) => (
            <Run key={run.id} run={run} live={index === runs.length - 1 && isLive(run)} last={index === runs.length - 1} isFull />
          ))}
        </div>
      </div>
      <div class="row replay-controls">
        <IconButton icon="debug-step-back" label="Previous step" disabled={count === 0} onClick={stepBack} />
        <IconButton
          icon={isOver ? 'debug-restart' : isPlaying ? 'debug-pause' : 'play'}
          label={isOver ? 'Play again' : isPlaying ? 'Pause' : 'Play'}
          onClick={play}
        />
        <IconButton icon="debug-step-over" label="Next step" disabled={isOver} onClick={stepOn} />
        <input
          class="grow"
          type="range"
          aria-label="Position"
          aria-valuetext={time}
          min={0}
          max={events.length}
          value={count}
          onInput={({ currentTarget }) => go(Number(currentTarget.value))}
        />
        <span class="replay-time">{time}</span>
        <select aria-label="Speed" value={speed} onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each}×
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

/**
 * `waits[i]` is the time in milliseconds before event `i` is shown, and `at[i]` is the time from the beginning until the first `i` events
 * are shown.
 */
function timelineOf(events: readonly AgentEvent[]): { waits: number[]; at: number[]; runs: number } {
  const waits = [...replayOf(events)].map(({ waitMs }) => waitMs);
  const at = [0];
  for (const wait of waits) at.push((at.at(-1) as number) + wait);
  return { waits, at, runs: events.filter(({ type, runId }) => type === 'run_started' && !isChildRun(runId)).length };
}
