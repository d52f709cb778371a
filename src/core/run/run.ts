/**
 * The ReAct loop: think (send a request to the model), act (execute its tool calls), observe (return their results), until an answer
 * contains no tool call. The state of the run is computed from its events, so the loop can start at any point, such as after a pause, a
 * reload or a crash.
 */

import { wasStopped } from '../abort.ts';
import { type AssistantMessage, endedUnsaid, isEmptyAnswer, type ToolCall, textOf, type UserMessage } from '../model/messages.ts';
import { ModelError } from '../model/model.ts';
import { note } from '../model/notes.ts';
import type { Outcome, RunError } from '../session/events.ts';
import { isStuck } from '../session/repeats.ts';
import { takenBackNote } from '../session/staged-writes.ts';
import { totalsOf } from '../session/usage-totals.ts';
import { describeProgress } from '../view/summary.ts';
import { carryOut } from './act.ts';
import { LimitReached } from './budget.ts';
import { ContextRoom, specsOf } from './context-room.ts';
import { failedCheck, retryCheckMessage, stepError } from './failed-step.ts';
import type { RunPorts } from './ports.ts';
import { runError } from './run-error.ts';
import { think } from './think.ts';
import type { Halt, RunEnd } from './tool.ts';

/** Asks the model to continue a message that was cut off at the output limit or for another reason. */
const goOn = (stop: AssistantMessage['stop']): UserMessage => {
  const what = stop === 'max_tokens' ? 'was cut off at the output limit' : 'was cut off before it was complete';
  return {
    role: 'user',
    content: [note('cut_off', `Your last message ${what}, and no tool call in it was executed. Continue where it ends.`)],
  };
};

const EMPTY: UserMessage = {
  role: 'user',
  content: [note('empty', 'Your last message was empty: it contained no text and no tool call. Answer, or continue the task.')],
};
const notInForm = (problem: string): UserMessage => ({
  role: 'user',
  content: [note('check', `Your answer was not accepted. ${problem} Answer again, with the complete corrected answer and nothing else.`)],
});
const EMPTY_AGAIN = 'The model’s answer was empty twice. Try again, rephrase the request, or choose another model.';
/** The maximum number of requests until the model gives an answer that is not empty. */
const TRIES = 2;
/** The maximum number of attempts at a final answer in the required form. */
const ANSWERS = 3;
/** The maximum number of requests in one turn while the service refuses them because of their size. Each is smaller than the one before. */
const REQUESTS = 3;

const answeringNow = (ports: RunPorts): RunPorts => ({ ...ports, request: { ...ports.request, answersNow: true } });

/** Runs until the final answer, a limit, a stop or a failure, and emits the outcome. @throws only when the log cannot be written. */
export async function runLoop(ports: RunPorts, signal: AbortSignal): Promise<void> {
  const { state, emit, meter, now, pace } = ports;
  let listed = ports.tools;
  let tools = new Map(listed.map((tool) => [tool.name, tool]));
  let specs = specsOf(listed);
  const context = new ContextRoom(ports, specs);
  let emptyAnswers = 0;
  /** The number of final answers without the required form. */
  let rejectedAnswers = 0;
  /** Whether the model has answered since the run was started or resumed. */
  let hasAnswered = false;

  const finish = (outcome: Outcome, error?: RunError) =>
    emit({ type: 'run_finished', outcome, ...(error && { error }), ...totalsOf(state.lastRun, state, now()) });

  const upToDate = ({ role, content }: UserMessage): UserMessage => ({ role, content: [...content, ...takenBackNote(state)] });

  const pause = (halt: Halt) => {
    if (halt.reason === 'limit') emit({ type: 'budget_reached', ...halt.reached });
    emit({ type: 'run_paused', reason: halt.reason, summary: describeProgress(state, state.lastRun) });
  };

  /** Adds the tools that have joined the run. The calls of a turn use the tools that the model was offered in it. */
  function renewTools(): void {
    if (listed === ports.tools) return;
    listed = ports.tools;
    tools = new Map(listed.map((tool) => [tool.name, tool]));
    specs = specsOf(listed);
    context.declare(specs);
  }

  async function ask(): Promise<AssistantMessage> {
    meter.spend({ turns: 1 });
    pace.took(1);
    // The requests of a conductor do not contain the conversation.
    emit({ type: 'turn_started', turn: meter.use.turns + 1, ...(!ports.conductor && { context: context.use }) });
    if (emptyAnswers > 0) emit({ type: 'model_waiting', attempt: emptyAnswers + 1, tries: TRIES, reason: 'empty_answer', waitMs: 0 });
    for (let tries = 1; ; tries++) {
      try {
        return await think(rejectedAnswers > 0 ? answeringNow(ports) : ports, specs, signal);
      } catch (error) {
        const isOverflow = error instanceof ModelError && error.kind === 'context_overflow' && tries < REQUESTS;
        if (!isOverflow || !(await context.afterOverflow(error, signal))) throw error;
      }
    }
  }

  /** Returns the reason that prevents the next call or turn, if there is one. */
  function halted(before: 'turn' | 'call'): Halt | undefined {
    if (isStuck(state.recent)) return { reason: 'repeating' };
    if (pace.left() === 0) return { reason: 'user' };
    const reached = meter.reached(before);
    return reached && { reason: 'limit', reached };
  }

  /** Read-only calls run in parallel. A call that can change something or end the run runs alone, after all calls before it. */
  async function act(calls: readonly ToolCall[]): Promise<Halt | Exclude<RunEnd, 'edit_plan'> | undefined> {
    const isReader = ({ name, input }: ToolCall) => {
      const { effect = 'readonly', alone = false } = tools.get(name) ?? {};
      return effect === 'readonly' && !(typeof alone === 'function' ? alone(input) : alone);
    };
    const most = context.resultCharacters(calls.length);
    for (let next = 0; next < calls.length; ) {
      const halt = halted('call');
      if (halt) return halt;
      const room = Math.min(meter.callsLeft, pace.left());
      let end = next + 1;
      if (isReader(calls[next] as ToolCall)) while (end < calls.length && end - next < room && isReader(calls[end] as ToolCall)) end++;
      const made = calls.slice(next, end);
      meter.spend({ calls: made.length });
      pace.took(made.filter(({ name }) => !tools.get(name)?.delegates).length);
      const ends = await Promise.all(made.map((call) => carryOut(call, tools.get(call.name), ports, signal, most)));
      const ending = ends.find(Boolean);
      if (ending) return ending === 'edit_plan' ? { reason: ending } : ending;
      next = end;
    }
    return undefined;
  }

  try {
    for (;;) {
      if (state.open.length > 0) {
        const ended = await act(state.open.filter((call) => !state.results.has(call.id)));
        if (typeof ended === 'object') return pause(ended);
        if (ended) return finish(ended, ended === 'failed' && state.lastRun ? stepError(state.lastRun) : undefined);
      }
      const { lastRun } = state;
      const last = state.messages.at(-1);
      if (last?.role === 'assistant' && !endedUnsaid(last)) {
        if (last.stop === 'refusal') return finish('refused');
        const isWhole = last.stop !== 'max_tokens' && last.stop !== 'aborted';
        // A failed run that ended with this answer is being retried. It must fix the failed step first.
        const open = isWhole && !hasAnswered && lastRun ? failedCheck(lastRun) : undefined;
        const problem = isWhole ? ports.answerProblem?.(textOf(last)) : undefined;
        if (isEmptyAnswer(last)) {
          if (emptyAnswers === TRIES) throw new ModelError('empty_answer', EMPTY_AGAIN);
          emit({ type: 'message_added', message: upToDate(EMPTY) });
        } else if (isWhole && open === undefined && problem !== undefined) {
          if (++rejectedAnswers === ANSWERS) throw new Error(`The model did not give a valid answer in ${ANSWERS} attempts. ${problem}`);
          emit({ type: 'message_added', message: upToDate(notInForm(problem)) });
        } else if (isWhole && open === undefined) {
          // The checks after the last step run only if the limits allow another call.
          const held = ports.closing && halted('call');
          if (held) return pause(held);
          await ports.closing?.({ signal, record: emit });
          return lastRun && failedCheck(lastRun) !== undefined ? finish('failed', stepError(lastRun)) : finish('answered');
        } else
          emit({
            type: 'message_added',
            message: upToDate(lastRun && open !== undefined ? retryCheckMessage(lastRun, open) : goOn(last.stop)),
          });
      }
      const halt = halted('turn');
      if (halt) return pause(halt);
      for (const { id, message } of state.queue.values()) emit({ type: 'message_added', message: upToDate(message), queued: id });
      if (state.takenBack.size > 0) emit({ type: 'message_added', message: upToDate({ role: 'user', content: [] }) });
      renewTools();
      await context.make(signal);
      // The request for a summary counts as well.
      const reached = halted('turn');
      if (reached) return pause(reached);
      const answer = await ask();
      hasAnswered = true;
      emptyAnswers = isEmptyAnswer(answer) ? emptyAnswers + 1 : 0;
      if (answer.stop === 'max_tokens') return pause({ reason: 'max_tokens' });
    }
  } catch (error) {
    if (wasStopped(signal)) return finish('stopped');
    if (error instanceof LimitReached) return pause({ reason: 'limit', reached: error.reached });
    return finish('failed', runError(error));
  }
}
