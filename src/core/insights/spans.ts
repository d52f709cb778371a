/**
 * Converts a run to OpenTelemetry spans, following the semantic conventions for generative AI. Spans contain names, counts and times, but
 * never the text of a prompt, an answer, a call or a result.
 */
import type { ModelRef, Usage } from '../model/messages.ts';
import type { AgentEvent } from '../session/events.ts';
import { addUsage } from '../session/usage-totals.ts';

/** Times are in milliseconds since 1970. If the work of the span failed, `error` is the kind of the failure. */
export type Span = {
  name: string;
  kind: 'client' | 'internal';
  start: number;
  end: number;
  attributes: Readonly<Record<string, string | number | boolean | string[]>>;
  error?: string;
  children: readonly Span[];
};

/** The name for calls of unknown tools. The actual name was made up by the model and can be a whole sentence. */
const UNKNOWN_TOOL = 'unknown tool';

/** The names that the conventions define for services, if they differ from Kedge's names. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/**
 * Returns the spans of a run between its start, or the last time that it was continued, and its last event: the run, and below it each request to a
 * model and each tool call. `events` can include events of other runs. @returns undefined if the run is unknown
 */
export function spansOf(events: readonly AgentEvent[], runId: string, sessionId: string): Span | undefined {
  const all = events.filter((event) => event.runId === runId);
  const started = all.find((event) => event.type === 'run_started');
  const from = all.findLastIndex(({ type }) => type === 'run_started' || type === 'run_resumed');
  const own = all.slice(from);
  const [first, last] = [own[0], own.at(-1)];
  if (started?.type !== 'run_started' || !first || !last) return undefined;
  const children: Span[] = [];
  const begun = new Map<string, Extract<AgentEvent, { type: 'tool_started' }>>();
  const tools = toolsIn(all);
  let asked = first.at;
  let usage: Usage = {};
  for (const event of own) {
    if (event.type === 'turn_started') asked = event.at;
    else if (event.type === 'tool_started') begun.set(event.callId, event);
    else if (event.type === 'tool_finished') children.push(toolSpan(event, begun.get(event.callId), tools));
    else if (event.type === 'message_added' && event.message.role === 'assistant') {
      children.push(chatSpan(event.message, asked, event.at));
      usage = addUsage(usage, event.message.usage ?? {});
    }
  }
  const error = last.type === 'run_finished' && last.outcome === 'failed' ? (last.error?.kind ?? 'internal') : undefined;
  return {
    name: 'invoke_agent Kedge',
    kind: 'internal',
    start: first.at,
    end: last.at,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'Kedge',
      'gen_ai.conversation.id': sessionId,
      ...ofModel(started.model),
      ...ofUsage(usage),
      'kedge.run.id': runId,
      'kedge.run.mode': started.mode,
      'kedge.run.outcome': outcomeOf(last),
    },
    ...(error !== undefined && { error }),
    children,
  };
}

function outcomeOf(last: AgentEvent): string {
  if (last.type === 'run_finished') return last.outcome;
  return last.type === 'run_paused' ? `paused: ${last.reason}` : 'live';
}

type Answer = Extract<Extract<AgentEvent, { type: 'message_added' }>['message'], { role: 'assistant' }>;

function chatSpan({ from, stop, usage, usd }: Answer, start: number, end: number): Span {
  return {
    name: `chat ${from.model}`,
    kind: 'client',
    start,
    end,
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...ofModel(from),
      'gen_ai.response.finish_reasons': [stop],
      ...ofUsage(usage ?? {}),
      ...(usd !== undefined && { 'kedge.cost.usd': usd }),
    },
    ...(stop === 'aborted' && { error: 'aborted' }),
    children: [],
  };
}

/** Returns the tool names in these calls that exist. A call that was withheld before it was judged can have any name. */
function toolsIn(events: readonly AgentEvent[]): Set<string> {
  const finished = events.filter((event) => event.type === 'tool_finished');
  return new Set(
    finished
      .filter(({ decision, withheld }) => (decision ? decision.rule !== 'unknown-tool' : withheld !== true))
      .map(({ result }) => result.name),
  );
}

/** The id of the call is omitted, because some models make it up. */
function toolSpan(
  { result, decision, withheld, at }: Extract<AgentEvent, { type: 'tool_finished' }>,
  started: Extract<AgentEvent, { type: 'tool_started' }> | undefined,
  tools: ReadonlySet<string>,
): Span {
  const isKnown = decision?.rule !== 'unknown-tool' && tools.has(result.name);
  const name = isKnown ? result.name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) : UNKNOWN_TOOL;
  return {
    name: `execute_tool ${name}`,
    kind: 'internal',
    start: Math.min(started?.at ?? at, at),
    end: at,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      ...(started && { 'kedge.tool.effect': started.effect }),
      ...(decision && { 'kedge.policy.rule': decision.rule, 'kedge.policy.decision': decision.kind }),
    },
    ...(result.isError && { error: withheld ? 'withheld' : 'tool_error' }),
    children: [],
  };
}

function ofModel({ provider, model }: ModelRef): Record<string, string> {
  return { 'gen_ai.provider.name': PROVIDERS[provider] ?? provider, 'gen_ai.request.model': model };
}

function ofUsage({ input, cached, cacheWrite, output, reasoning }: Usage): Record<string, number> {
  return {
    ...(input !== undefined && { 'gen_ai.usage.input_tokens': input }),
    ...(cached !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cached }),
    ...(cacheWrite !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': cacheWrite }),
    ...(output !== undefined && { 'gen_ai.usage.output_tokens': output }),
    ...(reasoning !== undefined && { 'gen_ai.usage.reasoning.output_tokens': reasoning }),
  };
}
