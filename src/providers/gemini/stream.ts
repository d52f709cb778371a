import { GrowingText } from '../../core/growing-text.ts';
import type { ToolCall, Usage } from '../../core/model/messages.ts';
import type { ModelEvent } from '../../core/model/model.ts';
import { failureError, failureOf, modelError } from '../errors.ts';
import type { Reader } from '../exchange.ts';
import type { Server } from '../server.ts';
import { newId } from '../tool-calls.ts';
import type { Token } from './convert.ts';
import { type PartialArg, setPartial } from './partial.ts';

type FunctionCall = { id?: string; name?: string; args?: Record<string, unknown>; partialArgs?: PartialArg[]; willContinue?: boolean };
type WirePart = { text?: string; thought?: boolean; thoughtSignature?: string; functionCall?: FunctionCall };
type Chunk = {
  candidates?: { content?: { parts?: (WirePart | null)[] | null } | null; finishReason?: string }[] | null;
  promptFeedback?: { blockReason?: string } | null;
  usageMetadata?: {
    promptTokenCount?: number;
    toolUsePromptTokenCount?: number;
    candidatesTokenCount?: number;
    thoughtsTokenCount?: number;
    cachedContentTokenCount?: number;
  } | null;
  error?: unknown;
};

type Open = { id?: string; name: string; args: Record<string, unknown>; signature?: string };

const REFUSALS = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII|MODEL_ARMOR/;

export function* toModelEvents(server: Server): Reader<Chunk> {
  const words = { type: 'text' as 'text' | 'reasoning', text: new GrowingText() };
  let open: Open | undefined;
  let counts: Chunk['usageMetadata'];
  let reason: string | undefined;
  const calls = new Set<string>();

  /** Text pieces have no end marker: text ends where another kind of part begins, or with a signature, which belongs to the last piece. */
  function* flush(signature?: string): Generator<ModelEvent> {
    const { type } = words;
    const text = words.text.take();
    const replay: Token = { signature };
    if (text || signature) yield { type: 'part', part: { type, text, ...(signature ? { replay } : {}) } };
  }

  function* say(type: 'text' | 'reasoning', { text = '', thoughtSignature }: WirePart): Generator<ModelEvent> {
    // A signature on an empty part belongs to that part, not to the preceding text.
    if (type !== words.type || (text === '' && thoughtSignature)) yield* flush();
    words.type = type;
    words.text.add(text);
    if (text) yield { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text };
    if (thoughtSignature) yield* flush(thoughtSignature);
  }

  function* close(): Generator<ModelEvent> {
    if (!open) return;
    const { id, name, args, signature } = open;
    open = undefined;
    const replay: Token = { ...(id ? { id } : {}), ...(signature ? { signature } : {}) };
    const part: ToolCall = { type: 'tool_call', id: newId(id, calls), name, input: args };
    calls.add(part.id);
    yield { type: 'part', part: Object.keys(replay).length > 0 ? { ...part, replay } : part };
  }

  /** A call is usually a single part. With streamed arguments it has several parts, and `willContinue` is set on all but the last. */
  function* call(functionCall: FunctionCall, signature: string | undefined): Generator<ModelEvent> {
    yield* flush();
    if (functionCall.name && open) yield* close();
    if (!open && !functionCall.name) return;
    open ??= { name: functionCall.name ?? '', args: {} };
    open.id ??= functionCall.id;
    open.signature ??= signature;
    Object.assign(open.args, functionCall.args);
    for (const partial of functionCall.partialArgs ?? []) setPartial(open.args, partial);
    const text = functionCall.partialArgs
      ? functionCall.partialArgs.map((partial) => partial.stringValue ?? '').join('')
      : JSON.stringify(functionCall.args ?? {});
    yield { type: 'tool_input_delta', name: open.name, text };
    if (!functionCall.willContinue) yield* close();
  }

  try {
    for (let chunk = yield; chunk; chunk = yield) {
      if (chunk.error) throw failureError(server, failureOf(chunk));
      const candidate = chunk.candidates?.[0];
      for (const part of candidate?.content?.parts ?? []) {
        if (!part) continue;
        if (part.functionCall) yield* call(part.functionCall, part.thoughtSignature);
        else if (part.text !== undefined || (part.thoughtSignature && isBare(part))) yield* say(part.thought ? 'reasoning' : 'text', part);
        else {
          yield* flush();
          yield { type: 'part', part: { type: 'reasoning', text: '', replay: { part } as Token } };
        }
      }
      if (chunk.usageMetadata) counts = { ...counts, ...chunk.usageMetadata };
      reason = candidate?.finishReason ?? reason ?? (chunk.promptFeedback?.blockReason ? 'SAFETY' : undefined);
    }
    if (reason === undefined) throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    // The user has already seen the streamed text, so it is kept when the answer is interrupted. An incomplete tool call is dropped.
    yield* flush();
    throw error;
  }
  yield* flush();
  // The end of the answer also ends an open call, unless the answer was cut off.
  if (reason === 'STOP') yield* close();
  if (counts) yield { type: 'usage', usage: toUsage(counts) };
  yield { type: 'stop', reason: stopOf(reason, calls.size > 0) };
}

function stopOf(reason: string, hasToolCall: boolean): (ModelEvent & { type: 'stop' })['reason'] {
  if (reason === 'MAX_TOKENS') return 'max_tokens';
  if (REFUSALS.test(reason)) return 'refusal';
  if (hasToolCall) return 'tool_use';
  return reason === 'STOP' ? 'end_turn' : 'other';
}

function isBare(part: WirePart): boolean {
  return Object.keys(part).every((key) => key === 'thoughtSignature' || key === 'thought');
}

/** Counts are cumulative. Prompt content added by server-side tools counts as input. */
function toUsage(counts: NonNullable<Chunk['usageMetadata']>): Usage {
  const {
    promptTokenCount: prompt,
    toolUsePromptTokenCount: tool,
    candidatesTokenCount: candidateTokens,
    thoughtsTokenCount: thoughtTokens,
  } = counts;
  return {
    ...(prompt === undefined ? {} : { input: prompt + (tool ?? 0) }),
    ...(candidateTokens === undefined && thoughtTokens === undefined ? {} : { output: (candidateTokens ?? 0) + (thoughtTokens ?? 0) }),
    ...(counts.cachedContentTokenCount === undefined ? {} : { cached: counts.cachedContentTokenCount }),
    ...(thoughtTokens === undefined ? {} : { reasoning: thoughtTokens }),
  };
}
