/** Kedge's models in VS Code's own model picker; with them the native Chat works without an account. */
import * as vscode from 'vscode';
import type { Message, ReasoningPart, TextPart, ToolCall, ToolResult } from '../../core/messages.ts';
import type { ModelRequest } from '../../core/model.ts';
import { parseModelRef } from '../../providers/catalog.ts';
import { type Kedge, modelName } from './kedge.ts';

export const VENDOR = 'kedge';

export function registerModelProvider(kedge: Kedge): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async () => models(kedge),
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

function models(kedge: Kedge): vscode.LanguageModelChatInformation[] {
  const chosen = kedge.settings.model();
  const ids = chosen.provider === 'offline' ? ['offline'] : [`${chosen.provider}/${chosen.model}`, 'offline'];
  return ids.map((id, index) => ({
    id,
    name: `${modelName(parseModelRef(id))} (Kedge)`,
    family: parseModelRef(id).model,
    version: '1',
    detail: id === 'offline' ? 'no language model' : chosen.provider,
    tooltip:
      id === 'offline'
        ? 'Answers a small set of requests without a language model, an account or a network.'
        : `By ${chosen.provider}, through Kedge.`,
    maxInputTokens: 200_000,
    maxOutputTokens: 16_000,
    capabilities: { toolCalling: true },
    isUserSelectable: true,
    isDefault: index === 0,
  }));
}

async function respond(
  kedge: Kedge,
  id: string,
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  options: vscode.ProvideLanguageModelChatResponseOptions,
  progress: vscode.Progress<vscode.LanguageModelResponsePart>,
  token: vscode.CancellationToken,
): Promise<void> {
  const ref = parseModelRef(id);
  const adapter = await kedge.adapter(ref);
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => controller.abort());
  const request: ModelRequest = {
    model: ref.model,
    system: '',
    messages: messages.flatMap((message) => neutral(message, ref)),
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
        progress.report(new vscode.LanguageModelToolCallPart(event.part.id, event.part.name, (event.part.input ?? {}) as object));
      }
    }
  } finally {
    cancelling.dispose();
  }
}

/** One of VS Code's messages; its tool results are a message of their own for us. */
function neutral({ role, content }: vscode.LanguageModelChatRequestMessage, from: { provider: string; model: string }): Message[] {
  const results: ToolResult[] = [];
  const parts: (TextPart | ReasoningPart | ToolCall)[] = [];
  for (const part of content) {
    if (part instanceof vscode.LanguageModelTextPart) parts.push({ type: 'text', text: part.value });
    else if (part instanceof vscode.LanguageModelToolCallPart)
      parts.push({ type: 'tool_call', id: part.callId, name: part.name, input: part.input });
    else if (part instanceof vscode.LanguageModelToolResultPart) {
      const text = part.content.map((piece) => (piece instanceof vscode.LanguageModelTextPart ? piece.value : '')).join('');
      results.push({ type: 'tool_result', callId: part.callId, name: '', content: [{ type: 'text', text }] });
    }
  }
  const toolMessages: Message[] = results.length > 0 ? [{ role: 'tool', content: results }] : [];
  if (parts.length === 0) return toolMessages;
  if (role === vscode.LanguageModelChatMessageRole.Assistant) {
    const calls = parts.some((part) => part.type === 'tool_call');
    return [{ role: 'assistant', content: parts, from, stop: calls ? 'tool_use' : 'end_turn' }];
  }
  return [...toolMessages, { role: 'user', content: parts.filter((part) => part.type === 'text') }];
}
