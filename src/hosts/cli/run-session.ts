/** Runs a session in the terminal until its run ends. During the run, it prompts the user for approvals and answers. */
import { proposedPlan } from '../../app/session/plans.ts';
import type { Session } from '../../app/session/session.ts';
import type { Plan } from '../../core/plan/plan.ts';
import type { ApprovalRequest, AskedQuestion } from '../../core/session/session-state.ts';
import { planLines } from '../../core/view/plan-details.ts';
import { EXIT } from './exit-codes.ts';
import type { Options } from './options/arguments.ts';
import type { PlanAnswer, PromptOptions } from './questions.ts';

export { EXIT };

/** `start` begins or continues a run. `onEnter` is called when the user enters an empty line. Returns the exit code. */
export async function runSession(
  session: Session,
  start: () => Promise<void>,
  options: Options,
  signal: AbortSignal,
  onEnter: () => void = () => undefined,
): Promise<number> {
  const promptOptions: PromptOptions = { interactive: process.stdin.isTTY === true, yes: options.yes };
  const stopListening = promptOptions.interactive ? await queueTypedLines(session, onEnter) : undefined;
  let isOutputRead = true;
  const onOutputError = () => {
    isOutputRead = false;
  };
  process.stdout.once('error', onOutputError);
  const stopRinging = options.bell ? (await import('./bell.ts')).ringFor(session, process.stderr) : undefined;
  try {
    const end = await driveRun(session, start, promptOptions, signal, options.runPlan);
    if (end === 'stopped') return EXIT.stopped;
    if (end === 'kept') {
      if (isOutputRead)
        process.stderr.write(
          `The plan has not been run yet. To run it: ${(await import('./run-end.ts')).continueCommand(session, options)} --run-plan\n`,
        );
      return signal.aborted ? EXIT.stopped : EXIT.planProposed;
    }
    if (end === 'discarded') {
      process.stderr.write(`${DISCARDED}\n`);
      return EXIT.answered;
    }
  } finally {
    process.stdout.off('error', onOutputError);
    stopListening?.();
    stopRinging?.();
  }
  return (await import('./run-end.ts')).exitCode(session, options, isOutputRead);
}

export const DISCARDED = 'The plan was discarded. Nothing was changed.';

/**
 * Runs a session until its run has ended, and asks the user during the run. Plans that it proposes are confirmed and run, or kept or
 * discarded.
 */
export async function driveRun(
  session: Session,
  start: () => Promise<void>,
  promptOptions: PromptOptions,
  signal: AbortSignal,
  runsPlans = false,
): Promise<'ended' | 'stopped' | 'kept' | 'discarded'> {
  let failure: unknown;
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== 'approval_requested' && event.type !== 'question_asked') return;
    const answering =
      event.type === 'approval_requested'
        ? answerApproval(session, event, promptOptions, signal)
        : answerQuestion(session, event, promptOptions, signal);
    answering
      .catch((error: unknown) => {
        failure = error;
        // Without an answer the run would wait forever.
        return session.stop();
      })
      .catch(() => undefined);
  });
  const stop = () => void session.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await start();
    // A run that fails reports the error itself.
    if (failure && session.state.lastRun?.outcome !== 'failed') throw failure;
    for (let plan = proposedPlan(session.state); plan; plan = proposedPlan(session.state) ?? stillProposed(session, plan)) {
      const { answer, edited } = runsPlans ? RUN : promptOptions.interactive ? await confirm(session, plan, promptOptions, signal) : KEEP;
      if (answer === 'keep') return 'kept';
      if (signal.aborted) return 'stopped';
      if (typeof answer === 'object') {
        await session.plans.change(plan, answer.change);
        continue;
      }
      const allowEdits = answer === 'run_and_allow_edits';
      await session.plans.answer(plan, allowEdits ? 'run' : answer, { allowEdits, edited });
      if (answer === 'discard') return 'discarded';
    }
  } finally {
    signal.removeEventListener('abort', stop);
    unsubscribe();
  }
  return 'ended';
}

type Confirmed = { answer: PlanAnswer; edited?: Plan | undefined };
const RUN: Confirmed = { answer: 'run' };
const KEEP: Confirmed = { answer: 'keep' };

/** Prints the plan to stderr if stdout is redirected, so that the user sees what they confirm. */
async function confirm(session: Session, planId: string, options: PromptOptions, signal: AbortSignal): Promise<Confirmed> {
  const { confirmPlan, confirmOrEditPlan } = await import('./questions.ts');
  const plan = session.state.plans.get(planId)?.plan;
  if (plan && process.stdout.isTTY !== true) process.stderr.write(`${planLines(plan)}\n`);
  if (!plan || !options.prompter) return { answer: await confirmPlan(signal) };
  return confirmOrEditPlan(plan, options, signal);
}

/** Prompts for the approvals and questions that an earlier process left unanswered. The last answer continues the run. */
export async function answerPending(
  session: Session,
  { yes }: Pick<Options, 'yes'>,
  signal: AbortSignal,
  promptOptions: PromptOptions = { interactive: process.stdin.isTTY === true, yes },
): Promise<void> {
  // The last of these calls resolves only when the run has ended.
  for (const question of [...session.state.pendingQuestions.values()]) await answerQuestion(session, question, promptOptions, signal);
  for (const request of [...session.state.pendingApprovals.values()]) await answerApproval(session, request, promptOptions, signal);
}

/** Adds each line that the user types during a run to the run. An empty line ends a retry wait. Returns a function that stops listening. */
async function queueTypedLines(session: Session, onEnter: () => void): Promise<() => void> {
  const { linesOf } = await import('./questions.ts');
  return linesOf(process.stdin).listen((line) => {
    if (!line.trim()) {
      onEnter();
      session.retryNow();
    } else if (session.running) session.say({ text: line.trim(), mode: session.state.lastRun?.mode ?? 'ask' }).catch(console.error);
  });
}

/** Returns the plan if it is still proposed although the user asked for changes: the model answered without a new plan. */
function stillProposed({ state }: Session, plan: string): string | undefined {
  return state.lastRun?.outcome === 'answered' && state.plans.get(plan)?.status === 'proposed' ? plan : undefined;
}

const turns = new WeakMap<Session, Promise<unknown>>();

/**
 * Asks after everything that was asked before is answered. Calls that run at the same time can need approval at the same time, and the text
 * of one approval must not appear above the answers to another one.
 */
function inTurn<T>(session: Session, ask: () => Promise<T>): Promise<T> {
  const answer = Promise.resolve(turns.get(session)).then(ask);
  turns.set(
    session,
    answer.catch(() => undefined),
  );
  return answer;
}

async function answerApproval(session: Session, request: ApprovalRequest, options: PromptOptions, signal: AbortSignal): Promise<void> {
  const started = session.events.ofType('tool_started', request.runId).findLast(({ callId }) => callId === request.callId);
  const rule = started?.decision.rule;
  const { promptForApproval } = await import('./questions.ts');
  const answer = await inTurn(session, async () => {
    if (!session.state.pendingApprovals.has(request.approvalId)) return undefined;
    return promptForApproval(request, rule, options, signal, () => session.changes.whole(request.changes));
  });
  // Stopping a run answers its approvals, so an aborted prompt must not answer again.
  if (answer && !signal.aborted && session.state.pendingApprovals.has(request.approvalId))
    await session.answerApproval(request.approvalId, answer);
}

async function answerQuestion(session: Session, asked: AskedQuestion, options: PromptOptions, signal: AbortSignal): Promise<void> {
  const { linesOf, NOBODY, promptForAnswer } = await import('./questions.ts');
  const lines = options.prompter ?? linesOf(process.stdin);
  const isOpen = () => !signal.aborted && session.state.pendingQuestions.has(asked.questionId);
  // The server that asks can withdraw its question.
  const closed = new AbortController();
  const unsubscribe = session.subscribe(() => isOpen() || closed.abort());
  try {
    const ask = async () => (isOpen() ? promptForAnswer(asked, lines, AbortSignal.any([signal, closed.signal])) : undefined);
    const typedAnswer = options.interactive ? await inTurn(session, ask) : undefined;
    if (isOpen()) await session.answerQuestion(asked.questionId, typedAnswer ?? { words: NOBODY, by: 'nobody' });
  } finally {
    unsubscribe();
  }
}
