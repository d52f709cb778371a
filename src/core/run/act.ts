/** Executes one tool call of a run, from its preparation to its result, including approvals and questions. */
import { abortable } from '../abort.ts';
import { isTooLong } from '../context/shorten.ts';
import { orphanResult, REJECTED, type ToolCall, type ToolResult } from '../model/messages.ts';
import type { Decision } from '../session/effects.ts';
import type { Question, QuestionAnswer } from '../session/events.ts';
import type { Permission } from '../session/grant-scope.ts';
import { addCompletedCall, REPEATED, repeatsThrice } from '../session/repeats.ts';
import { visibleText } from '../words/visible-text.ts';
import type { RunPorts } from './ports.ts';
import {
  CallHalted,
  type Halt,
  type Judgement,
  type PreparedCall,
  type RunEnd,
  type Tool,
  ToolError,
  type ToolEvent,
  type ToolOutput,
} from './tool.ts';

/** Thrown when a call is not executed. The message explains the reason to the model. */
class Withheld extends ToolError {}

/**
 * Executes a call. A failure becomes the tool result. The model receives at most `most` characters of it. Returns how the call ends the run,
 * if it does. @throws when the run is stopped.
 */
export async function carryOut(
  call: ToolCall,
  tool: Tool | undefined,
  ports: RunPorts,
  signal: AbortSignal,
  most?: number,
): Promise<RunEnd | Halt | undefined> {
  const { state, emit, meter } = ports;
  const workedBefore = meter.use.ms;
  const ended = meter.calling();
  let decision: Decision | undefined;
  const result: ToolResult = { type: 'tool_result', callId: call.id, name: call.name, content: [] };
  let events: ToolEvent[] = [];
  let ending: Pick<ToolOutput, 'note' | 'stopped'> = {};
  let endsRun: RunEnd | undefined;
  let isWithheld = false;
  let executed: PreparedCall | undefined;
  let shown = most;
  try {
    if (state.begun.has(call.id)) throw new ToolError(textOfOrphan(call));
    if (state.open.indexOf(call) >= meter.callsPerTurn)
      throw new Withheld(
        `Not executed: at most ${meter.callsPerTurn} tool calls are allowed in one turn. Repeat this call in the next turn.`,
      );
    if (call.malformed !== undefined)
      throw new Withheld(call.problem ?? 'The arguments are not valid JSON. Send them again as one JSON object.');
    let prepared = tool && (await abortable(tool.prepare(call.input ?? {}, signal), signal));
    const judgement = await abortable(Promise.resolve(ports.decide(call, tool, prepared)), signal);
    const { kind, rule, reason } = judgement;
    decision = { kind, rule, reason };
    if (!tool || !prepared) throw new ToolError(reason);
    const { title, targets, command, hosts } = prepared;
    const beyond = {
      ...(tool.source !== 'builtin' && { source: tool.source }),
      ...(command && { command: command.text }),
      ...(hosts && { hosts }),
    };
    const started = { type: 'tool_started', callId: call.id, name: call.name, title, effect: tool.effect, targets, ...beyond } as const;
    emit({ ...started, decision });
    if (kind === 'deny') throw new Withheld(`Denied: ${reason}`);
    if (kind === 'ask') {
      prepared = await approval(call, prepared, judgement, ports, signal);
      // For a tool that stages no changes, this event is the only record that the call has begun. After a crash, the call must not be
      // executed twice.
      if (!prepared.changes) emit({ ...started, decision: { kind: 'allow', rule: 'approved', reason: 'You approved it.' } });
    }
    const output = await abortable(
      prepared.execute({
        callId: call.id,
        signal,
        ...(most !== undefined && { mostCharacters: most }),
        progress: (text) => signal.aborted || emit({ type: 'tool_progress', callId: call.id, text }),
        record: emit,
        ask: (question) => reply(call, question, ports, signal),
        model: {
          name: ports.model.model,
          sample: async (request) => (await import('./sample.ts')).sample(request, ports, signal),
        },
      }),
      signal,
      graceOf(tool),
    );
    result.content = typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
    if (output.isError) result.isError = true;
    events = output.events ?? [];
    ending = {
      ...(output.note && { note: output.note }),
      ...(output.stopped && { stopped: output.stopped }),
      ...(output.read && { read: output.read }),
    };
    endsRun = output.endsRun;
    executed = prepared;
    shown = least(most, output.most);
  } catch (error) {
    if (signal.aborted || error instanceof CallHalted) ended();
    if (signal.aborted) throw error;
    if (error instanceof CallHalted) return error.halt;
    isWithheld = error instanceof Withheld;
    const message = error instanceof Error ? error.message : String(error);
    result.content = [
      {
        type: 'text',
        text: error instanceof ToolError ? message : `The tool failed: ${message.replace(/\.?$/, '.')} Try again, or use another tool.`,
      },
    ];
    result.isError = true;
  }
  // Tool results must not contain text that the model reads but the user cannot see.
  result.content = result.content.map((part) => (part.type === 'text' ? { ...part, text: visibleText(part.text) } : part));
  // A rules file that cannot be read must not cause a call that has taken effect to fail.
  const rules = executed && (await ports.rulesFor?.(executed).catch(() => []));
  if (rules) result.content = [...result.content, ...rules];
  if (executed && ports.afterCall)
    result.content = [...result.content, ...(await ports.afterCall(call, tool, executed, result).catch(() => []))];
  if (repeatsThrice(addCompletedCall(state.recent, { call, result }, state.open))) result.content = [...result.content, REPEATED];
  for (const event of events) emit(event);
  ended();
  const durationMs = Math.max(0, meter.use.ms - workedBefore);
  const isCut = shown !== undefined && isTooLong(result, shown);
  const more = { ...(decision && { decision }), ...ending, ...(isCut && { shown }), ...(isWithheld && { withheld: true as const }) };
  emit({ type: 'tool_finished', callId: call.id, result, durationMs, ...more });
  return endsRun;
}

/** How long a call has to finish after a stop, in milliseconds: so that the log records a change, and that child runs have ended. */
function graceOf({ effect, delegates }: Tool): number {
  return delegates ? 2_000 : effect === 'readonly' ? 0 : 100;
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : Math.min(one, other ?? one);
}

/**
 * Returns the call that the user approved, which may be a part of the proposal. An earlier approval of a different effect does not apply.
 */
async function approval(
  call: ToolCall,
  prepared: PreparedCall,
  { rule, reason, reasons, covers, secret }: Judgement,
  ports: RunPorts,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const { state, emit } = ports;
  const { title, changes = [], digest, command, hosts, address, mcp, targets } = prepared;
  const approvalId = digest === undefined ? call.id : `${call.id}:${digest.slice(0, 12)}`;
  const earlierAnswer = () => {
    const approval = state.approvals.get(call.id);
    const isRevised = approval?.answer.approve && approval.answer.revised;
    return (isRevised ? approval.approvalId === approvalId : approval?.digest === digest) ? approval?.answer : undefined;
  };
  let answer = earlierAnswer();
  if (!answer) {
    if (!state.pendingApprovals.has(approvalId)) {
      const bound = digest !== undefined && { digest };
      const beyond = {
        ...(command && { command }),
        ...(hosts && { hosts }),
        ...(address !== undefined && { address }),
        ...(mcp && { mcp }),
      };
      const isShown = command || address !== undefined || changes.length > 0;
      const called = !isShown && { input: call.input ?? {}, ...(targets.length > 0 && { targets }) };
      const grants = covers && { covers, ...similarTo(call, covers, ports) };
      emit({
        type: 'approval_requested',
        approvalId,
        callId: call.id,
        title,
        rule,
        reason,
        ...(reasons && { reasons }),
        ...(secret && { secret }),
        changes,
        ...bound,
        ...beyond,
        ...called,
        ...grants,
      });
    }
    // A listener may already have answered the request while it was being emitted.
    answer = earlierAnswer() ?? (await ports.answered(approvalId, signal));
  }
  if (!answer.approve && answer.by === 'nobody')
    throw new Withheld(answer.words ?? 'This call needs approval, but no user is available. Continue without it.');
  if (!answer.approve) throw new Withheld(answer.words ? `${REJECTED}: ${answer.words}` : `${REJECTED}.`);
  if (!answer.revised) return prepared;
  const revisedCall = await prepared.revise?.(answer.revised);
  if (!revisedCall || revisedCall.digest !== state.approvals.get(call.id)?.digest)
    throw new Withheld('This change differs from the change that the user approved, so nothing was changed. Propose the change again.');
  return revisedCall;
}

/** Counts the other calls of the answer that the widest permission would probably allow, too. The policy has not judged them yet. */
function similarTo(call: ToolCall, [widest]: readonly Permission[], { state, alike }: RunPorts): { similar?: number } {
  const others = state.open.filter((other) => other.id !== call.id && !state.results.has(other.id));
  const similar = others.filter((other) => widest && alike?.(widest, other)).length;
  return similar > 0 ? { similar } : {};
}

async function reply({ id: callId }: ToolCall, question: Question, ports: RunPorts, signal: AbortSignal): Promise<QuestionAnswer> {
  const { state, emit } = ports;
  const questionId = `${callId}:${question.id}`;
  const earlierReply = state.questionAnswers.get(questionId);
  if (earlierReply) return earlierReply;
  // Code of the call may still be running after a stop. It must not ask the user.
  signal.throwIfAborted();
  if (!state.pendingQuestions.has(questionId)) emit({ type: 'question_asked', questionId, callId, question });
  return state.questionAnswers.get(questionId) ?? (await ports.replied(questionId, signal));
}

function textOfOrphan(call: ToolCall): string {
  const [part] = orphanResult(call, true).content;
  return part?.type === 'text' ? part.text : '';
}
