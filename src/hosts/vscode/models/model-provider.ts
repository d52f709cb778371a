/** Offers Kedge's models in VS Code's model picker, so that the native Chat works without an account. */
import * as vscode from 'vscode';
import { withoutImages } from '../../../core/model/images.ts';
import type { ImagePart, Message, ModelRef, TextPart, ToolCall, ToolResult } from '../../../core/model/messages.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import { withoutFramedNotes } from '../../../core/model/notes.ts';
import { MODES } from '../../../core/session/events.ts';
import { catalogEntry, EDITOR, modelText, parseModelRef } from '../../../providers/catalog.ts';
import { echoInput } from '../../../providers/tool-calls.ts';
import type { ModelFacts } from '../../../providers/types.ts';
import type { Kedge } from '../kedge.ts';
import { modelName } from './model-label.ts';

export const VENDOR = 'kedge';
const LIST_MS = 10_000;

/** The tooltip of each model in VS Code's picker. */
const NATIVE_MODES =
  'Begin a message with @kedge to have Kedge answer. A message without it goes to VS Code’s own assistant, which needs GitHub Copilot.';
/** The answer of the Offline model to another assistant, whose instructions and tools it does not understand. */
const ONLY_IN_KEDGE = [
  'Offline is not a language model, so it cannot work for VS Code’s own assistant or another extension.',
  'Begin the message with `@kedge`, or use the Kedge panel (Ctrl+Alt+K).',
  'To use another model here, run *Kedge: Connect a Model…* and select that model.',
].join(' ');

/** The parts of Kedge that the editor's model picker uses. */
type Provided = Pick<Kedge, 'settings' | 'models' | 'mode' | 'onDidChange'>;

export function registerModelProvider(kedge: Provided): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: ({ silent }, token) => models(kedge, silent, token),
    provideLanguageModelChatResponse: (model, messages, options, progress, token) =>
      respond(kedge, model.id, messages, options, progress, token),
    // The count is an estimate, because tokenizers are megabytes in size and the provider reports its own count with each answer.
    provideTokenCount: async (_model, text) => Math.ceil((typeof text === 'string' ? text : JSON.stringify(text.content)).length / 4),
  });
  const watching = kedge.onDidChange(() => changed.fire());
  // VS Code resolves models lazily. Without this call, the first message in a new profile would find no model.
  void vscode.lm.selectChatModels({ vendor: VENDOR }).then(undefined, () => undefined);
  return vscode.Disposable.from(registration, watching, changed);
}

/** Lists the models. Services are asked only when the user opens the picker; before that, known models are listed. Exported for its test. */
export async function models(kedge: Provided, silent: boolean, token: vscode.CancellationToken): Promise<ReturnType<typeof information>[]> {
  const services = await kedge.models.connected();
  if (!silent) await Promise.all(services.map(({ id }) => loadList(kedge, id, token)));
  const chosen = kedge.settings.model(kedge.mode);
  const ofModes = MODES.map((mode) => kedge.settings.model(mode));
  const refs = [
    chosen,
    ...ofModes,
    ...services.flatMap(({ id }) => kedge.models.known(id).map((info) => ({ provider: id, model: info.id }))),
  ];
  refs.push({ provider: 'offline', model: 'offline' });
  const byName = new Map(refs.filter(({ provider }) => provider !== EDITOR).map((ref) => [modelText(ref), ref]));
  return [...byName].map(([id, ref]) => information(id, ref, kedge.models.facts(ref), id === modelText(chosen)));
}

/** Loads the list of a service. If the service does not answer, its known models are offered. */
async function loadList(kedge: Provided, provider: string, token: vscode.CancellationToken): Promise<void> {
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => controller.abort());
  try {
    await kedge.models.list(provider, AbortSignal.any([controller.signal, AbortSignal.timeout(LIST_MS)]));
  } catch {
  } finally {
    cancelling.dispose();
  }
}

function information(id: string, ref: ModelRef, facts: ModelFacts, isDefault: boolean) {
  const label = catalogEntry(ref.provider)?.label ?? ref.provider;
  const maxOutputTokens = facts.maxOutput ?? 16_000;
  return {
    id,
    name: `${modelName(ref)} (Kedge)`,
    family: ref.model,
    version: '1',
    detail: id === 'offline' ? 'not a language model, for @kedge' : label,
    tooltip: `${
      id === 'offline'
        ? 'Answers a small set of requests without a language model, an account or a network.'
        : `From ${label}, through Kedge.`
    } ${NATIVE_MODES}`,
    maxInputTokens: facts.contextWindow ? Math.max(1_000, facts.contextWindow - maxOutputTokens) : 200_000,
    maxOutputTokens,
    capabilities: { toolCalling: facts.tools !== false, ...(facts.vision !== undefined && { imageInput: facts.vision }) },
    isUserSelectable: true,
    isDefault,
  };
}

async function respond(
  kedge: Provided,
  id: string,
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  options: vscode.ProvideLanguageModelChatResponseOptions,
  progress: vscode.Progress<vscode.LanguageModelResponsePart>,
  token: vscode.CancellationToken,
): Promise<void> {
  const ref = parseModelRef(id);
  if (ref.provider === 'offline' && !isFromKedge(messages)) {
    progress.report(new vscode.LanguageModelTextPart(ONLY_IN_KEDGE));
    return;
  }
  const adapter = await kedge.models.adapter(ref);
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => controller.abort());
  const facts = kedge.models.facts(ref);
  const received = neutralMessages(messages, ref);
  const neutralised = ref.provider === 'offline' ? withoutFramedNotes(received) : received;
  const request: ModelRequest = {
    model: ref.model,
    ...kedge.settings.tuning(ref, facts),
    system: '',
    messages: facts.vision === false ? withoutImages(neutralised) : neutralised,
    tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: (inputSchema as Record<string, unknown> | undefined) ?? { type: 'object', properties: {} },
    })),
  };
  try {
    for await (const event of adapter.stream(request, controller.signal)) {
      if (event.type === 'text_delta') progress.report(new vscode.LanguageModelTextPart(event.text));
      else if (event.type === 'part' && event.part.type === 'tool_call') {
        for (const part of toToolCallParts(event.part)) progress.report(part);
      }
    }
  } finally {
    cancelling.dispose();
  }
}

/** Returns true if the request is from Kedge's own loop, whose first message is its system prompt. */
function isFromKedge([first]: readonly vscode.LanguageModelChatRequestMessage[]): boolean {
  const [part] = first?.content ?? [];
  return part instanceof vscode.LanguageModelTextPart && part.value.startsWith('You are Kedge');
}

/** Converts a tool call for VS Code. A malformed call is dropped, because it is still visible in the text. Exported for its test. */
export function toToolCallParts(call: ToolCall): vscode.LanguageModelToolCallPart[] {
  return call.problem === undefined ? [new vscode.LanguageModelToolCallPart(call.id, call.name, echoInput(call))] : [];
}

/** Converts VS Code's messages to Kedge's. Exported for its test. */
export function neutralMessages(messages: readonly vscode.LanguageModelChatRequestMessage[], from: ModelRef): Message[] {
  /** Tool names by call id. Some providers need the name in a tool result, but VS Code's tool results do not contain it. */
  const names = new Map<string, string>();
  for (const { content } of messages)
    for (const part of content) if (part instanceof vscode.LanguageModelToolCallPart) names.set(part.callId, part.name);
  return messages.flatMap((message) => neutral(message, from, names));
}

/** Converts one message of VS Code. Its tool results become a separate message. */
function neutral({ role, content }: vscode.LanguageModelChatRequestMessage, from: ModelRef, names: ReadonlyMap<string, string>): Message[] {
  if (role === vscode.LanguageModelChatMessageRole.Assistant) {
    const parts = content.flatMap((part): (TextPart | ToolCall)[] => {
      if (part instanceof vscode.LanguageModelTextPart) return [{ type: 'text', text: part.value }];
      if (!(part instanceof vscode.LanguageModelToolCallPart)) return [];
      return [{ type: 'tool_call', id: part.callId, name: part.name, input: part.input }];
    });
    const calls = parts.some((part) => part.type === 'tool_call');
    return parts.length === 0 ? [] : [{ role: 'assistant', content: parts, from, stop: calls ? 'tool_use' : 'end_turn' }];
  }
  const results = content.flatMap((part): ToolResult[] => {
    if (!(part instanceof vscode.LanguageModelToolResultPart)) return [];
    return [{ type: 'tool_result', callId: part.callId, name: names.get(part.callId) ?? '', content: toInput(part.content) }];
  });
  const input = toInput(content);
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(input.length > 0 ? [{ role: 'user' as const, content: input }] : []),
  ];
}

/** Converts text and images. Other data is dropped. */
function toInput(parts: readonly unknown[]): (TextPart | ImagePart)[] {
  return parts.flatMap((part): (TextPart | ImagePart)[] => {
    if (part instanceof vscode.LanguageModelTextPart) return [{ type: 'text', text: part.value }];
    if (!(part instanceof vscode.LanguageModelDataPart)) return [];
    const { mimeType, data } = part;
    if (mimeType.startsWith('image/')) return [{ type: 'image', mediaType: mimeType, data: Buffer.from(data).toString('base64') }];
    return /^text\/|\bjson$/.test(mimeType) ? [{ type: 'text', text: Buffer.from(data).toString() }] : [];
  });
}
