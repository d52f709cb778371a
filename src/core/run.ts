/**
 * The ReAct loop: think (ask the model), act (carry out its calls), observe (hand it the results), until an answer without a
 * call. It keeps no state of its own beyond counters: where it stands is what the events say, so it starts in the middle as
 * well as at the beginning, after a pause, a reload or a crash.
 */
import { interruptible } from './abort.ts';
import { carryOut } from './act.ts';
import { type Meter, type Reached, useOfAnswer } from './budget.ts';
import type { Covers } from './covers.ts';
import type { ApprovalAnswer, EventBody, Limits, Outcome, PauseReason, QuestionAnswer, RunError } from './events.ts';
import { failedCheck, putRight, stepError } from './failed-step.ts';
import { withoutImages } from './images.ts';
import type { AssistantMessage, ModelRef, ToolCall, Usage, UserMessage } from './messages.ts';
import type { ModelAdapter, ModelRequest } from './model.ts';
import { ModelError } from './model.ts';
import { note } from './notes.ts';
import { isStuck } from './repeats.ts';
import { runError } from './run-error.ts';
import { messagesForModel } from './session.ts';
import type { SessionState } from './session-state.ts';
import { spent } from './spent.ts';
import { describeProgress } from './summary.ts';
import type { ExecuteContext, Judgement, PreparedCall, Tool, ToolOutput } from './tool.ts';
import { takenBackNote } from './writes.ts';

/** How fast the user lets the run go. A step is a call or a turn of the model. */
export type Pace = {
  /** How many steps may go: none while the user holds the run, one where it goes step by step. */
  left(): number;
  took(steps: number): void;
};

type Halt = { reason: Exclude<PauseReason, 'limit' | 'interrupted'> } | { reason: 'limit'; reached: Reached };

export type RunPorts = {
  adapter: ModelAdapter;
  model: ModelRef;
  request: Omit<ModelRequest, 'model' | 'messages' | 'tools'>;
  /** US dollars for an answer, where the model's price is known and the answer says what it took. */
  price?(usage: Usage): number | undefined;
  /** The model is known not to see: images are left out, and it is told so. */
  blind?: boolean;
  tools: readonly Tool[];
  limits: Limits;
  /** A run that another run starts gets that run's meter. */
  meter: Meter;
  pace: Pace;
  state: SessionState;
  /** What there is to do before a run that was answered ends. */
  closing?(context: Pick<ExecuteContext, 'signal' | 'record'>): Promise<void>;
  /** Appends to the log, takes the event into `state`, tells every listener; in that order. */
  emit(event: EventBody): void;
  /** `tool` is undefined when no such tool was offered. */
  decide(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall | undefined): Judgement | Promise<Judgement>;
  /** Whether a call that was not judged yet seems to need the same leave. */
  alike?(covers: Covers, call: ToolCall): boolean;
  /** Resolves when the user has answered; the answer's event is then in the state. */
  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  replied(questionId: string, signal: AbortSignal): Promise<QuestionAnswer>;
  now(): number;
};

/** The model's message is continued when it was cut off at the output limit, or broke off half-way. */
const goOn = (stop: AssistantMessage['stop']): UserMessage => {
  const what = stop === 'max_tokens' ? 'was cut off at the output limit' : 'broke off before it was complete';
  return { role: 'user', content: [note('cut_off', `Your last message ${what}, and no tool call in it was executed. Go on from there.`)] };
};

/** Runs until the answer, a limit, a stop or a failure, and emits how it ended. It does not throw. */
export async function runLoop(ports: RunPorts, signal: AbortSignal): Promise<void> {
  const { state, emit, meter, now, pace } = ports;
  const tools = new Map(ports.tools.map((tool) => [tool.name, tool]));
  const specs = ports.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  let endsRun: ToolOutput['endsRun'];
  /** Since the run began or went on. */
  let hasAnswered = false;

  const finish = (outcome: Outcome, error?: RunError) =>
    emit({ type: 'run_finished', outcome, ...(error && { error }), ...spent(state.lastRun, state, now()) });

  const upToDate = ({ role, content }: UserMessage): UserMessage => ({ role, content: [...content, ...takenBackNote(state)] });

  const pause = (halt: Halt) => {
    if (halt.reason === 'limit') emit({ type: 'budget_reached', ...halt.reached });
    emit({ type: 'run_paused', reason: halt.reason, summary: describeProgress(state, state.lastRun) });
  };

  function answer(content: AssistantMessage['content'], stop: AssistantMessage['stop'], usage: Usage | undefined): AssistantMessage {
    const usd = ports.price?.(usage ?? {});
    meter.spend(useOfAnswer(usage, usd));
    return { role: 'assistant', content, from: ports.model, stop, ...(usage && { usage }), ...(usd !== undefined && { usd }) };
  }

  async function think(): Promise<AssistantMessage> {
    meter.spend({ turns: 1 });
    pace.took(1);
    emit({ type: 'turn_started', turn: meter.use.turns });
    const history = messagesForModel(state);
    const messages = ports.blind ? withoutImages(history) : history;
    const request = { ...ports.request, model: ports.model.model, tools: specs, messages };
    const content: AssistantMessage['content'] = [];
    let unfinished = '';
    let usage: Usage | undefined;
    let stop: AssistantMessage['stop'] | undefined;
    try {
      for await (const event of interruptible(ports.adapter.stream(request, signal), signal)) {
        if (event.type === 'part') {
          content.push(event.part.type === 'tool_call' ? withUniqueId(event.part, content, state) : event.part);
          if (event.part.type === 'text') unfinished = '';
        } else if (event.type === 'usage') usage = event.usage;
        else if (event.type === 'stop') stop = event.reason;
        else {
          if (event.type === 'text_delta') unfinished += event.text;
          emit(event);
        }
      }
      if (!stop) throw new ModelError('bad_stream', 'The model’s answer ended before it was complete. Send the message again.');
    } catch (error) {
      const said = content.filter((part) => part.type === 'text');
      if (unfinished) said.push({ type: 'text', text: unfinished });
      if (said.length > 0) {
        emit({ type: 'message_added', message: answer(said, 'aborted', usage) });
      }
      throw error;
    }
    // A call in an answer that was cut off or refused may be half a call: it never runs, and is not kept.
    const whole = stop === 'end_turn' || stop === 'tool_use' ? content : content.filter((part) => part.type !== 'tool_call');
    const message = answer(whole, stop, usage);
    emit({ type: 'message_added', message });
    return message;
  }

  /** What does not let the run go on with a call, or a turn of the model. */
  function halted(before: 'turn' | 'call'): Halt | undefined {
    if (isStuck(state.recent)) return { reason: 'repeating' };
    if (pace.left() === 0) return { reason: 'user' };
    const reached = meter.reached(before);
    return reached && { reason: 'limit', reached };
  }

  /** Calls that only read run side by side; one that changes something, or may end the run, runs alone, after all that were asked for before it. */
  async function act(calls: readonly ToolCall[]): Promise<Halt | undefined> {
    const isReader = ({ name }: ToolCall) => {
      const { effect = 'readonly', alone = false } = tools.get(name) ?? {};
      return effect === 'readonly' && !alone;
    };
    for (let next = 0; next < calls.length; ) {
      const halt = halted('call');
      if (halt) return halt;
      const room = Math.min(meter.callsLeft, pace.left());
      let end = next + 1;
      if (isReader(calls[next] as ToolCall)) while (end < calls.length && end - next < room && isReader(calls[end] as ToolCall)) end++;
      meter.spend({ calls: end - next });
      pace.took(end - next);
      const ends = await Promise.all(calls.slice(next, end).map((call) => carryOut(call, tools.get(call.name), ports, signal)));
      endsRun ||= ends.find(Boolean);
      if (endsRun) return endsRun === 'edit_plan' ? { reason: endsRun } : undefined;
      next = end;
    }
    return undefined;
  }

  try {
    for (;;) {
      if (state.open.length > 0) {
        const halt = await act(state.open.filter((call) => !state.results.has(call.id)));
        if (halt) return pause(halt);
        if (endsRun === 'failed') return finish(endsRun, state.lastRun && stepError(state.lastRun));
        if (endsRun) return finish(endsRun === 'stopped' ? endsRun : 'plan_proposed');
      }
      const { lastRun } = state;
      const last = state.messages.at(-1);
      if (last?.role === 'assistant') {
        if (last.stop === 'refusal') return finish('refused');
        const isWhole = last.stop !== 'max_tokens' && last.stop !== 'aborted';
        // A run that ended with this answer, and is tried again, has work to do first.
        const open = isWhole && !hasAnswered && lastRun ? failedCheck(lastRun) : undefined;
        if (isWhole && open === undefined) {
          await ports.closing?.({ signal, record: emit });
          return lastRun && failedCheck(lastRun) !== undefined ? finish('failed', stepError(lastRun)) : finish('answered');
        }
        emit({ type: 'message_added', message: upToDate(lastRun && open !== undefined ? putRight(lastRun, open) : goOn(last.stop)) });
      }
      const halt = halted('turn');
      if (halt) return pause(halt);
      for (const { id, message } of state.queue.values()) emit({ type: 'message_added', message: upToDate(message), queued: id });
      if (state.takenBack.size > 0) emit({ type: 'message_added', message: upToDate({ role: 'user', content: [] }) });
      const answer = await think();
      hasAnswered = true;
      if (answer.stop === 'max_tokens') return pause({ reason: 'max_tokens' });
    }
  } catch (error) {
    if (signal.aborted) return finish('stopped');
    return finish('failed', runError(error));
  }
}

/** Ids come from models, and some repeat them or leave them out; the log, the approvals and the wires need each to be one call's own. */
function withUniqueId(call: ToolCall, content: AssistantMessage['content'], state: SessionState): ToolCall {
  const taken = (id: string) => state.callIds.has(id) || content.some((part) => part.type === 'tool_call' && part.id === id);
  const base = call.id || 'call';
  if (call.id && !taken(base)) return call;
  let count = 1;
  while (taken(`${base}_${count}`)) count++;
  return { ...call, id: `${base}_${count}` };
}
