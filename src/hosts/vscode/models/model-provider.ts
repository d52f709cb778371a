/** Kedge's models in VS Code's own model picker; with them the native Chat works without an account. */
import * as vscode from 'vscode';
import { withoutImages } from '../../../core/model/images.ts';
import type { ImagePart, Message, ModelRef, TextPart, ToolCall, ToolResult } from '../../../core/model/messages.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import { MODES } from '../../../core/session/events.ts';
import { catalogEntry, EDITOR, modelText, parseModelRef } from '../../../providers/catalog.ts';
import { echoInput } from '../../../providers/tool-calls.ts';
import type { ModelFacts } from '../../../providers/types.ts';
import type { Kedge } from '../kedge.ts';
import { modelName } from './model-label.ts';

export const VENDOR = 'kedge';
const LIST_MS = 10_000;

/** What the editor's model picker is given. */
type Provided = Pick<Kedge, 'settings' | 'models' | 'mode' | 'onDidChange'>;

export function registerModelProvider(kedge: Provided): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: ({ silent }, token) => models(kedge, silent, token),
    provideLanguageModelChatResponse: (model, messages, options, progress, token) =>
      respond(kedge, model.id, messages, options, progress, token),
    // An estimate: tokenizers weigh megabytes, and the provider's own count comes with each answer.
    provideTokenCount: async (_model, text) => Math.ceil((typeof text === 'string' ? text : JSON.stringify(text.content)).length / 4),
  });
  const watching = kedge.onDidChange(() => changed.fire());
  // Models are resolved lazily: unless somebody asks for them once, the first message of a fresh profile finds none.
  void vscode.lm.selectChatModels({ vendor: VENDOR }).then(undefined, () => undefined);
  return vscode.Disposable.from(registration, watching, changed);
}

/** Nobody is asked for a list unless the user opens the picker: until then it is what is known. Exported for its test. */
export async function models(kedge: Provided, silent: boolean, token: vscode.CancellationToken): Promise<ReturnType<typeof information>[]> {
  const services = await kedge.models.connected();
  if (!silent) await Promise.all(services.map(({ id }) => listed(kedge, id, token)));
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

/** A service that does not answer has the models that are known of it. */
async function listed(kedge: Provided, provider: string, token: vscode.CancellationToken): Promise<void> {
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
    detail: id === 'offline' ? 'no language model' : label,
    tooltip:
      id === 'offline'
        ? 'Answers a small set of requests without a language model, an account or a network.'
        : `By ${label}, through Kedge.`,
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
  const adapter = await kedge.models.adapter(ref);
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => controller.abort());
  const facts = kedge.models.facts(ref);
  const sent = neutralMessages(messages, ref);
  const request: ModelRequest = {
    model: ref.model,
    ...kedge.settings.tuning(ref, facts),
    system: '',
    messages: facts.vision === false ? withoutImages(sent) : sent,
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
        for (const part of reported(event.part)) progress.report(part);
      }
    }
  } finally {
    cancelling.dispose();
  }
}

/** A call as VS Code may execute it. One that only may have been meant is none: it stands in the text. Exported for its test. */
export function reported(call: ToolCall): vscode.LanguageModelToolCallPart[] {
  return call.problem === undefined ? [new vscode.LanguageModelToolCallPart(call.id, call.name, echoInput(call))] : [];
}

/** VS Code's messages in Kedge's form. Exported for its test. */
export function neutralMessages(messages: readonly vscode.LanguageModelChatRequestMessage[], from: ModelRef): Message[] {
  /** Some wires want a result's name too, which VS Code does not give again. */
  const names = new Map<string, string>();
  for (const { content } of messages)
    for (const part of content) if (part instanceof vscode.LanguageModelToolCallPart) names.set(part.callId, part.name);
  return messages.flatMap((message) => neutral(message, from, names));
}

/** One of VS Code's messages; its tool results are a message of their own for us. */
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

/** What a model can read or see; other data is left out. */
function toInput(parts: readonly unknown[]): (TextPart | ImagePart)[] {
  return parts.flatMap((part): (TextPart | ImagePart)[] => {
    if (part instanceof vscode.LanguageModelTextPart) return [{ type: 'text', text: part.value }];
    if (!(part instanceof vscode.LanguageModelDataPart)) return [];
    const { mimeType, data } = part;
    if (mimeType.startsWith('image/')) return [{ type: 'image', mediaType: mimeType, data: Buffer.from(data).toString('base64') }];
    return /^text\/|\bjson$/.test(mimeType) ? [{ type: 'text', text: Buffer.from(data).toString() }] : [];
  });
}
