/**
 * The ReAct loop: think (ask the model), act (carry out its calls), observe (hand it the results), until an answer without a
 * call. It keeps no state of its own beyond counters: where it stands is what the events say, so it starts in the middle as
 * well as at the beginning, after a pause, a reload or a crash.
 */
import { abortable, interruptible } from './abort.ts';
import type { ApprovalAnswer, EventBody, Limits, Outcome, Question, QuestionAnswer, RunError } from './events.ts';
import { withoutImages } from './images.ts';
import type { AssistantMessage, ModelRef, ToolCall, ToolResult, Usage } from './messages.ts';
import { user } from './messages.ts';
import type { ModelAdapter, ModelRequest } from './model.ts';
import { ModelError } from './model.ts';
import type { SessionState } from './session.ts';
import { messagesForModel, orphanResult, spent as spentBy } from './session.ts';
import { describeProgress } from './summary.ts';
import type { Decision, PreparedCall, Tool } from './tool.ts';
import { ToolError } from './tool.ts';

export type RunPorts = {
  adapter: ModelAdapter;
  model: ModelRef;
  request: Omit<ModelRequest, 'model' | 'messages' | 'tools'>;
  /** US dollars for an answer, where that is known. */
  price?(usage: Usage): number | undefined;
  /** The model is known not to see: images are left out, and it is told so. */
  blind?: boolean;
  tools: readonly Tool[];
  limits: Limits;
  state: SessionState;
  /** Appends to the log, takes the event into `state`, tells every listener; in that order. */
  emit(event: EventBody): void;
  /** `tool` is undefined when no such tool was offered. */
  decide(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall | undefined): Decision;
  /** Resolves when the user has answered; the answer's event is then in the state. */
  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  replied(questionId: string, signal: AbortSignal): Promise<QuestionAnswer>;
  now(): number;
};

/** An answer that is gone on with was cut off at the output limit, or broke off half-way. */
const goOn = (stop: AssistantMessage['stop']) =>
  `Your last message ${stop === 'max_tokens' ? 'was cut off at the output limit' : 'broke off before it was complete'}, and no tool call in it was executed. Go on from there.`;

/** Runs until the answer, a limit, a stop or a failure, and emits how it ended. It does not throw. */
export async function runLoop(ports: RunPorts, signal: AbortSignal): Promise<void> {
  const { state, emit, limits, now } = ports;
  const begin = now();
  const spent = { turns: 0, calls: 0, waitedMs: 0 };
  const tools = new Map(ports.tools.map((tool) => [tool.name, tool]));
  const specs = ports.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  let endsRun = false;

  const finish = (outcome: Outcome, error?: RunError) =>
    emit({ type: 'run_finished', outcome, ...(error && { error }), ...spentBy(state.lastRun, state), durationMs: now() - begin });

  const pauseAt = (limit: keyof Limits) => {
    emit({ type: 'budget_reached', limit, max: limits[limit] });
    emit({ type: 'run_paused', reason: 'limit', summary: describeProgress(state.messages) });
  };

  const outOfTime = () => now() - begin - spent.waitedMs >= limits.minutes * 60_000;

  function answer(content: AssistantMessage['content'], stop: AssistantMessage['stop'], usage: Usage | undefined): AssistantMessage {
    const usd = usage && ports.price?.(usage);
    return { role: 'assistant', content, from: ports.model, stop, ...(usage && { usage }), ...(usd !== undefined && { usd }) };
  }

  async function think(): Promise<AssistantMessage> {
    emit({ type: 'turn_started', turn: ++spent.turns });
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

  /** Calls that only read run side by side; one that changes something runs alone, after all that were asked for before it. */
  async function act(calls: readonly ToolCall[]): Promise<keyof Limits | undefined> {
    const isReader = (call: ToolCall) => (tools.get(call.name)?.effect ?? 'readonly') === 'readonly';
    for (let next = 0; next < calls.length; ) {
      if (outOfTime()) return 'minutes';
      const room = limits.callsPerRun - spent.calls;
      if (room <= 0) return 'callsPerRun';
      let end = next + 1;
      if (isReader(calls[next] as ToolCall)) while (end < calls.length && end - next < room && isReader(calls[end] as ToolCall)) end++;
      spent.calls += end - next;
      await Promise.all(calls.slice(next, end).map(answerCall));
      next = end;
    }
    return undefined;
  }

  async function answerCall(call: ToolCall): Promise<void> {
    const begun = now();
    const waitedBefore = spent.waitedMs;
    let decision: Decision | undefined;
    const result: ToolResult = { type: 'tool_result', callId: call.id, name: call.name, content: [] };
    let events: EventBody[] = [];
    try {
      if (state.begun.has(call.id)) throw new ToolError(textOfOrphan(call));
      if (state.open.indexOf(call) >= limits.callsPerTurn)
        throw new ToolError(`Not executed: at most ${limits.callsPerTurn} calls a turn. Ask for it again in the next turn.`);
      if (call.malformed !== undefined) throw new ToolError('The arguments are not valid JSON. Send them again as one JSON object.');
      const tool = tools.get(call.name);
      const prepared = tool && (await abortable(tool.prepare(call.input ?? {}, signal), signal));
      decision = ports.decide(call, tool, prepared);
      if (!tool || !prepared) throw new ToolError(decision.reason);
      const { title, targets } = prepared;
      const started = { type: 'tool_started', callId: call.id, name: call.name, title, effect: tool.effect, targets } as const;
      emit({ ...started, decision });
      if (decision.kind === 'deny') throw new ToolError(`Denied: ${decision.reason}`);
      if (decision.kind === 'ask') {
        await approval(call, prepared, decision);
        // An effect that stages no changes leaves no other mark that it began, and after a crash it must not happen twice.
        if (prepared.digest === undefined) emit({ ...started, decision: { kind: 'allow', rule: 'approved', reason: 'You approved it.' } });
      }
      const output = await abortable(
        prepared.execute({
          callId: call.id,
          signal,
          progress: (text) => emit({ type: 'tool_progress', callId: call.id, text }),
          record: emit,
          ask: (question) => reply(call, question),
        }),
        signal,
        // A write that has begun is given a moment to end, so that the log says what became of it.
        tool.effect === 'readonly' ? 0 : 100,
      );
      result.content = typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
      if (output.isError) result.isError = true;
      events = output.events ?? [];
      endsRun ||= output.endsRun ?? false;
    } catch (error) {
      if (signal.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      result.content = [{ type: 'text', text: error instanceof ToolError ? message : `The tool failed: ${message}` }];
      result.isError = true;
    }
    for (const event of events) emit(event);
    const durationMs = Math.max(0, now() - begun - (spent.waitedMs - waitedBefore));
    emit({ type: 'tool_finished', callId: call.id, result, durationMs, ...(decision && { decision }) });
  }

  /** Returns when the user agreed to exactly this effect; an earlier yes to another effect does not count. */
  async function approval(call: ToolCall, { title, changes = [], digest }: PreparedCall, { rule, reason }: Decision): Promise<void> {
    const given = () => {
      const known = state.approvals.get(call.id);
      return known?.digest === digest ? known?.answer : undefined;
    };
    let answer = given();
    if (!answer) {
      const approvalId = digest === undefined ? call.id : `${call.id}:${digest.slice(0, 12)}`;
      const asked = now();
      if (!state.pendingApprovals.has(approvalId)) {
        const bound = digest !== undefined && { digest };
        emit({ type: 'approval_requested', approvalId, callId: call.id, title, rule, reason, changes, ...bound });
      }
      // A listener may have answered while it was told of the question.
      answer = given() ?? (await ports.answered(approvalId, signal));
      spent.waitedMs += now() - asked;
    }
    if (!answer.approve && answer.by === 'nobody') throw new ToolError(answer.words ?? 'Nobody could be asked.');
    if (!answer.approve) throw new ToolError(answer.words ? `The user rejected this: ${answer.words}` : 'The user rejected this.');
  }

  async function reply({ id: callId }: ToolCall, question: Question): Promise<QuestionAnswer> {
    const questionId = `${callId}:${question.id}`;
    const known = state.questionAnswers.get(questionId);
    if (known) return known;
    const asked = now();
    if (!state.pendingQuestions.has(questionId)) emit({ type: 'question_asked', questionId, callId, question });
    const answer = state.questionAnswers.get(questionId) ?? (await ports.replied(questionId, signal));
    spent.waitedMs += now() - asked;
    return answer;
  }

  try {
    for (;;) {
      if (state.open.length > 0) {
        const reached = await act(state.open.filter((call) => !state.results.has(call.id)));
        if (reached) return pauseAt(reached);
        if (endsRun) return finish('plan_proposed');
      }
      const last = state.messages.at(-1);
      if (last?.role === 'assistant') {
        if (last.stop === 'refusal') return finish('refused');
        if (last.stop !== 'max_tokens' && last.stop !== 'aborted') return finish('answered');
        emit({ type: 'message_added', message: user(goOn(last.stop)) });
      }
      if (spent.turns >= limits.turns) return pauseAt('turns');
      if (outOfTime()) return pauseAt('minutes');
      const answer = await think();
      if (answer.stop === 'max_tokens')
        return emit({ type: 'run_paused', reason: 'max_tokens', summary: describeProgress(state.messages) });
    }
  } catch (error) {
    if (signal.aborted) return finish('stopped');
    return finish('failed', runError(error));
  }
}

export function runError(error: unknown): RunError {
  return {
    kind: error instanceof ModelError ? error.kind : 'internal',
    message: error instanceof Error ? error.message : String(error),
  };
}

function textOfOrphan(call: ToolCall): string {
  const [part] = orphanResult(call, true).content;
  return part?.type === 'text' ? part.text : '';
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
