/** Tests the abilities of a model on the user's computer with a minimal task. */
import { interruptible } from '../../core/abort.ts';
import { user } from '../../core/model/messages.ts';
import { type ModelAdapter, ModelError, type ToolSpec } from '../../core/model/model.ts';
import { loadTextTools } from '../../providers/catalog.ts';
import { SMALLEST_CONTEXT } from '../limits.ts';

/** How the model calls tools, and whether it followed the instruction, even if only in text. */
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
 * Tests a native tool call and, if that fails, a tool call in text. Returns undefined if this takes longer than `timeoutMs`. @throws for a
 * failure that says nothing about the model, such as a server that cannot be reached or a model that does not exist.
 */
export async function probeModel(adapter: ModelAdapter, model: string, signal: AbortSignal, timeoutMs: number): Promise<Probe | undefined> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, late]);
  try {
    const native = await attempt(adapter, model, either);
    const written = native.called
      ? undefined
      : await attempt((await loadTextTools()).withTextTools(adapter, { mode: 'text' }), model, either);
    // If both attempts fail, the failures say nothing about the model.
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
    // Servers reject tools for a model whose template does not support them. This is a result of the test.
    if (!(error instanceof ModelError) || (error.kind !== 'invalid_request' && error.kind !== 'bad_stream')) throw error;
    return { called, follows, failure: error };
  }
  return { called, follows: follows || answersWithWord(said) };
}

/**
 * Returns true if the answer is the word, possibly with quotes or a full stop. A long text that contains the word does not follow the
 * instruction.
 */
function answersWithWord(said: string): boolean {
  return said.toLowerCase().includes(WORD) && said.trim().length <= WORD.length + 12;
}

/** Models that are recommended instead, by the memory in GB that they need. The last model that fits is the best. */
const ADVISED_MODELS: readonly { pull: string; needsGb: number }[] = [
  { pull: 'ollama pull qwen3:4b', needsGb: 6 },
  { pull: 'ollama pull qwen3:8b', needsGb: 10 },
  { pull: 'ollama pull qwen3:14b', needsGb: 16 },
  { pull: 'ollama pull qwen3-coder:30b', needsGb: 32 },
];
const USUAL_ADVICE = 'ollama pull qwen3:8b';

/** The modes that a model is suitable for. `reason` is one sentence for the user. It is set if the model is unsuitable for Agent mode. */
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
  const ask = tools ? '' : ', or use Ask mode without tools';
  return {
    agent: false,
    tools,
    reason: `This model is unsuitable for Agent mode, because ${why}. Try another model with \`${pull}\`${ask}.`,
    pull,
  };
}
