/** What a model of the user's own machine can do, tried once with the smallest task there is. */
import { interruptible } from '../../core/abort.ts';
import { user } from '../../core/model/messages.ts';
import { type ModelAdapter, ModelError, type ToolSpec } from '../../core/model/model.ts';
import { loadTextTools } from '../../providers/catalog.ts';

/** How the model calls tools, and whether it did what it was told, be it in words only. */
export type Probe = { calls: 'native' | 'text' | 'none'; follows: boolean };

const WORD = 'harbour';
const TOOL: ToolSpec = {
  name: 'note_word',
  description: 'Notes one word.',
  inputSchema: { type: 'object', properties: { word: { type: 'string', description: 'The word to note' } }, required: ['word'] },
};
const TASK = `Call the tool ${TOOL.name} with the word "${WORD}". If you cannot call tools, answer with that word and nothing else.`;
const MAX_TOKENS = 1000;

/**
 * What one native and, where that fails, one written call shows. Undefined where the time was not enough. Failures that say nothing
 * of the model (no server, no such model) are thrown.
 */
export async function probeModel(adapter: ModelAdapter, model: string, signal: AbortSignal, timeoutMs: number): Promise<Probe | undefined> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, late]);
  try {
    const native = await attempt(adapter, model, either);
    const written = native.called
      ? undefined
      : await attempt((await loadTextTools()).withTextTools(adapter, { mode: 'text' }), model, either);
    // Who answers neither has said nothing of the model.
    if (native.failure && written?.failure) throw written.failure;
    const follows = native.follows || (written?.follows ?? false);
    return { calls: native.called ? 'native' : written?.called ? 'text' : 'none', follows };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return undefined;
    throw error;
  }
}

type Attempt = { called: boolean; follows: boolean; failure?: ModelError };

async function attempt(adapter: ModelAdapter, model: string, signal: AbortSignal): Promise<Attempt> {
  const request = { model, system: 'You are a test subject. Do exactly what you are told.', messages: [user(TASK)], tools: [TOOL] };
  let called = false;
  let follows = false;
  let said = '';
  try {
    for await (const event of interruptible(adapter.stream({ ...request, maxOutputTokens: MAX_TOKENS }, signal), signal)) {
      if (event.type !== 'part') continue;
      const { part } = event;
      if (part.type === 'text') said += part.text;
      if (part.type !== 'tool_call' || part.name !== TOOL.name || part.malformed !== undefined) continue;
      called = true;
      follows ||= JSON.stringify(part.input ?? '')
        .toLowerCase()
        .includes(WORD);
    }
  } catch (error) {
    // Servers refuse tools for a model whose template has no place for them. That is an answer.
    if (!(error instanceof ModelError) || (error.kind !== 'invalid_request' && error.kind !== 'bad_stream')) throw error;
    return { called, follows, failure: error };
  }
  return { called, follows: follows || answersWithWord(said) };
}

/** The word, perhaps with quotes or a full stop; an essay on it is not what was asked for. */
function answersWithWord(said: string): boolean {
  return said.toLowerCase().includes(WORD) && said.trim().length <= WORD.length + 12;
}

/** What to get instead, by the memory that the machine has; the last that fits is the best. */
const ADVISED_MODELS: readonly { pull: string; needsGb: number }[] = [
  { pull: 'ollama pull qwen3:4b', needsGb: 6 },
  { pull: 'ollama pull qwen3:8b', needsGb: 10 },
  { pull: 'ollama pull qwen3:14b', needsGb: 16 },
  { pull: 'ollama pull qwen3-coder:30b', needsGb: 32 },
];
const USUAL_ADVICE = 'ollama pull qwen3:8b';
const SMALLEST_CONTEXT = 8192;

/** Which modes a model is fit for. `reason` is one sentence for the user, there when Agent mode is out of its reach. */
export type Suitability = { agent: boolean; tools: boolean; reason?: string; pull?: string };

export function suitability(facts: { contextWindow?: number; probe?: Probe; memoryGb?: number | undefined }): Suitability {
  const { contextWindow, probe, memoryGb } = facts;
  const tools = probe === undefined || probe.calls !== 'none';
  const why =
    contextWindow !== undefined && contextWindow < SMALLEST_CONTEXT
      ? `its context of ${contextWindow} tokens is below ${SMALLEST_CONTEXT}`
      : probe && !probe.follows
        ? 'it did not follow a simple instruction'
        : tools
          ? undefined
          : 'it can call tools neither natively nor as text';
  if (!why) return { agent: true, tools };
  const pull =
    memoryGb === undefined ? USUAL_ADVICE : (ADVISED_MODELS.findLast(({ needsGb }) => needsGb <= memoryGb) ?? ADVISED_MODELS[0])?.pull;
  const ask = tools ? '' : ' or use Ask without tools';
  return { agent: false, tools, reason: `This model is unsuitable for Agent mode, since ${why}: try \`${pull}\`${ask}.`, pull };
}
