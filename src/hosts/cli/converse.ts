/** Runs a session to its end, and answers on the way what can be answered. */
import { resolve } from 'node:path';
import type { Session } from '../../app/session/session.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import { brokeOff } from '../../core/session/reduce.ts';
import type { ApprovalRequest, AskedQuestion } from '../../core/session/session-state.ts';
import { planLines } from '../../core/view/plan-details.ts';
import { bareAddress } from './options/addresses.ts';
import type { Options } from './options/arguments.ts';
import { howToGiveKey } from './options/environment.ts';
import type { Questions } from './questions.ts';

export const EXIT = { answered: 0, failed: 1, usage: 2, paused: 3, planProposed: 4, stopped: 130 } as const;

/** `start` begins or goes on with a run. `onEnter` is told of an empty line. Returns the exit code. */
export async function converse(
  session: Session,
  start: () => Promise<void>,
  options: Options,
  signal: AbortSignal,
  onEnter: () => void = () => undefined,
): Promise<number> {
  const questions: Questions = { interactive: process.stdin.isTTY === true, yes: options.yes };
  const steering = questions.interactive ? await steer(session, onEnter) : undefined;
  let failure: unknown;
  let isHeard = true;
  const left = () => {
    isHeard = false;
  };
  process.stdout.once('error', left);
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== 'approval_requested' && event.type !== 'question_asked') return;
    const given =
      event.type === 'approval_requested' ? answer(session, event, questions, signal) : reply(session, event, questions, signal);
    given
      .catch((error: unknown) => {
        failure = error;
        // The run would wait for ever.
        return session.stop();
      })
      .catch(() => undefined);
  });
  const stop = () => void session.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await start();
    // A run that failed says why itself.
    if (failure && session.state.lastRun?.outcome !== 'failed') throw failure;
    for (let plan = openPlan(session); plan; plan = openPlan(session) ?? stillOpen(session, plan)) {
      const word = options.runPlan ? 'run' : questions.interactive ? await confirm(session, plan, signal) : 'keep';
      if (word === 'keep') {
        if (isHeard) process.stderr.write(`The plan waits for you. To carry it out: ${continueCommand(session, options)} --run-plan\n`);
        return signal.aborted ? EXIT.stopped : EXIT.planProposed;
      }
      if (signal.aborted) return EXIT.stopped;
      if (typeof word === 'object') {
        await session.plans.change(plan, word.change);
        continue;
      }
      await session.plans.answer(plan, word);
      if (word === 'discard') {
        process.stderr.write('The plan was dropped. Nothing was changed.\n');
        return EXIT.answered;
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    process.stdout.off('error', left);
    steering?.();
    unsubscribe();
  }
  return exitCode(session, options, isHeard);
}

/** Whoever is asked sees the plan, wherever the output goes. */
async function confirm(session: Session, planId: string, signal: AbortSignal) {
  const { confirmPlan } = await import('./questions.ts');
  const plan = session.state.plans.get(planId)?.plan;
  if (plan && process.stdout.isTTY !== true) process.stderr.write(`${planLines(plan)}\n`);
  return confirmPlan(signal);
}

/** Asks what an earlier process asked and never heard the answer to; the last answer lets the run go on. */
export async function answerPending(session: Session, options: Options, signal: AbortSignal): Promise<void> {
  const questions: Questions = { interactive: process.stdin.isTTY === true, yes: options.yes };
  // The last of them ends only when the run does.
  for (const asked of [...session.state.pendingQuestions.values()]) await reply(session, asked, questions, signal);
  for (const request of [...session.state.pendingApprovals.values()]) await answer(session, request, questions, signal);
}

/** A line that is typed while the run is under way joins it; an empty one ends a wait. Returns how to end that. */
async function steer(session: Session, onEnter: () => void): Promise<() => void> {
  const { linesOf } = await import('./questions.ts');
  return linesOf(process.stdin).listen((line) => {
    if (!line.trim()) {
      onEnter();
      session.retryNow();
    } else if (session.running) session.say({ text: line.trim(), mode: session.state.lastRun?.mode ?? 'ask' }).catch(console.error);
  });
}

/** The plan that the last run proposed, while nobody has said yes or no to it. */
export function openPlan({ state }: Session): string | undefined {
  if (state.lastRun?.outcome !== 'plan_proposed') return undefined;
  return [...state.plans].findLast(([, { status }]) => status === 'proposed')?.[0];
}

/** That plan, where another was asked for in its place and none came. */
function stillOpen({ state }: Session, plan: string): string | undefined {
  return state.lastRun?.outcome === 'answered' && state.plans.get(plan)?.status === 'proposed' ? plan : undefined;
}

async function answer(session: Session, request: ApprovalRequest, questions: Questions, signal: AbortSignal): Promise<void> {
  const started = session.events.findLast((event) => event.type === 'tool_started' && event.callId === request.callId);
  const rule = (started as Extract<AgentEvent, { type: 'tool_started' }> | undefined)?.decision.rule;
  const { answerTo } = await import('./questions.ts');
  const given = await answerTo(request, rule, questions, signal, () => session.changes.whole(request.changes));
  // Stopping has answered it.
  if (!signal.aborted && session.state.pendingApprovals.has(request.approvalId)) await session.answerApproval(request.approvalId, given);
}

async function reply(session: Session, asked: AskedQuestion, questions: Questions, signal: AbortSignal): Promise<void> {
  const { linesOf, NOBODY, replyTo } = await import('./questions.ts');
  const answered = questions.interactive ? await replyTo(asked, linesOf(process.stdin), signal) : undefined;
  const given = answered ?? { words: NOBODY, by: 'nobody' };
  if (!signal.aborted && session.state.pendingQuestions.has(asked.questionId)) await session.answerQuestion(asked.questionId, given);
}

function exitCode(session: Session, options: Options, isHeard: boolean): number {
  const run = session.state.lastRun;
  if (run?.status === 'paused') {
    process.stderr.write(`To go on: ${continueCommand(session, options)}\n`);
    return EXIT.paused;
  }
  if (run?.outcome === 'stopped') {
    // Where the reader of the output has gone, nobody is there to be told.
    if (!isHeard) return EXIT.stopped;
    if (!tellWhatIsLeft(session, options)) process.stderr.write(`To go on, say how: ${continueCommand(session, options)} "…"\n`);
    return EXIT.stopped;
  }
  if (run?.outcome === 'failed') {
    const end = session.events.findLast((event) => event.type === 'run_finished');
    if (end?.error?.kind === 'auth') process.stderr.write(`To give a new key: ${lower(howToGiveKey(run.model.provider))}.\n`);
    // Of a plan it is said below what is left.
    if (end?.error?.kind !== 'check')
      process.stderr.write(
        `${brokeOff(session.state) ? 'Half an answer was kept. To go on' : 'To try again'}: ${continueCommand(session, options)}\n`,
      );
  }
  const unanswered = session.events.filter(
    (event) => event.type === 'approval_resolved' && event.runId === run?.runId && !event.answer.approve && event.answer.by === 'nobody',
  ) as Extract<AgentEvent, { type: 'approval_resolved' }>[];
  if (unanswered.length > 0) {
    const ids = new Set(unanswered.map(({ approvalId }) => approvalId));
    const isEdit = session.events.some(
      (event) => event.type === 'approval_requested' && ids.has(event.approvalId) && event.rule === 'edit',
    );
    const calls = ids.size === 1 ? '1 call was' : `${ids.size} calls were`;
    process.stderr.write(`kedge: ${calls} not approved, since nobody could be asked${isEdit ? ' (use --yes for edits)' : ''}.\n`);
    return EXIT.failed;
  }
  tellWhatIsLeft(session, options);
  return run?.outcome === 'answered' ? EXIT.answered : EXIT.failed;
}

/** Of the plan that the last run carried out. Returns whether there was anything to tell. */
function tellWhatIsLeft(session: Session, options: Options): boolean {
  const left = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === session.state.lastRun?.runId);
  if (!left) return false;
  const total = left.plan.steps.length;
  const open = total - left.done;
  const steps = `${open} of ${total} steps of the plan ${open === 1 ? 'is' : 'are'} left`;
  process.stderr.write(`${steps}. To go on with it: ${continueCommand(session, options)}\n`);
  return true;
}

function continueCommand(session: Session, { folders, baseUrl }: Options): string {
  const elsewhere = folders.length > 1 || resolve(folders[0] ?? '.') !== process.cwd();
  const named = elsewhere ? folders.map((folder) => ` --folder ${shellWord(folder)}`) : [];
  const address = baseUrl ? ` --base-url ${shellWord(bareAddress(baseUrl))}` : '';
  return `kedge --continue ${session.id}${address}${named.join('')}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text);
}
