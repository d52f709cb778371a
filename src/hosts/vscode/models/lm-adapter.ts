/** An adapter for the models that VS Code provides, from Copilot or any other extension. */
import * as vscode from 'vscode';
import { abortable, interruptible } from '../../../core/abort.ts';
import { imageBytes } from '../../../core/model/images.ts';
import type { ImagePart, Message, ModelRef, TextPart } from '../../../core/model/messages.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../../../core/model/model.ts';
import { type FramedResult, framed } from '../../../core/model/notes.ts';
import { EDITOR } from '../../../providers/catalog.ts';
import { silenceOf, silent } from '../../../providers/connection.ts';
import { failureError, failureOf, modelError } from '../../../providers/errors.ts';
import { echoInput, markedText, wireId } from '../../../providers/tool-calls.ts';

/** How long to wait for VS Code to list models. A vendor may never answer. */
const SELECT_MS = 10_000;

const SERVER = { name: 'VS Code’s model', secrets: [] };

type InputPart = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;

/** The models that the Chat has passed to Kedge, by name. VS Code does not list all models that a user can pick. */
export type PickedModels = Map<string, vscode.LanguageModelChat>;

/** Remembers a model of VS Code and returns its name in Kedge: `vscode/<vendor>/<id>`. */
export function editorModelRef(model: vscode.LanguageModelChat, picked: PickedModels): ModelRef {
  const name = `${model.vendor}/${model.id}`;
  picked.set(name, model);
  return { provider: EDITOR, model: name };
}

export async function editorModels(vendor: string): Promise<vscode.LanguageModelChat[]> {
  return await abortable(Promise.resolve(vscode.lm.selectChatModels({ vendor })), AbortSignal.timeout(SELECT_MS));
}

/** Finds a model by `<vendor>/<id>` or `<vendor>/<family>`, or the first model of a vendor. @throws ModelError if no model matches */
async function findModel(name: string, picked: PickedModels): Promise<vscode.LanguageModelChat> {
  const [vendor = '', ...rest] = name.split('/');
  const wanted = rest.join('/');
  const models = await editorModels(vendor).catch(() => []);
  const model =
    models.find(({ id }) => id === wanted) ?? picked.get(name) ?? models.find(({ family }) => family === wanted || wanted === '');
  if (model) return model;
  const ids = models.map(({ id }) => id).join(', ');
  throw modelError(
    SERVER,
    'unknown_model',
    ids ? `${vendor} offers ${ids}` : `${vendor} offers no models; check that you are signed in to its extension`,
  );
}

/** Returns true if VS Code offers a model with this name, `<vendor>/<id>` or `<vendor>/<family>`. */
export function isEditorModel(name: string, picked: PickedModels): Promise<boolean> {
  return findModel(name, picked).then(
    () => true,
    () => false,
  );
}

export function createEditorAdapter(picked: PickedModels): ModelAdapter {
  const silenceMs = silenceOf({}, true);
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const cancel = new vscode.CancellationTokenSource();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(silent(SERVER, silenceMs)), silenceMs);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const model = await abortable(findModel(request.model, picked), either);
      const response = await abortable(Promise.resolve(model.sendRequest(toMessages(request), toOptions(request), cancel.token)), either);
      yield* toModelEvents(interruptible(response.stream, either), () => timer.refresh());
    } catch (error) {
      signal.throwIfAborted();
      throw explain(error);
    } finally {
      clearTimeout(timer);
      cancel.cancel();
      cancel.dispose();
    }
  }
  return { stream, silenceMs };
}

/** VS Code reports no token counts and no stop reason. A message with tool calls gets the stop reason `tool_use`. */
async function* toModelEvents(parts: AsyncIterable<unknown>, onPart: () => void): AsyncGenerator<ModelEvent> {
  let text = '';
  let calls = 0;
  function* flush(): Generator<ModelEvent> {
    if (text) yield { type: 'part', part: { type: 'text', text } };
    text = '';
  }
  try {
    for await (const part of parts) {
      onPart();
      if (part instanceof vscode.LanguageModelTextPart) {
        text += part.value;
        if (part.value) yield { type: 'text_delta', text: part.value };
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        yield* flush();
        calls++;
        yield { type: 'part', part: { type: 'tool_call', id: part.callId || `call_${calls}`, name: part.name, input: part.input } };
      }
    }
  } catch (error) {
    // The text of a message that was cut off has already been shown, so it is kept.
    yield* flush();
    throw error;
  }
  yield* flush();
  yield { type: 'stop', reason: calls > 0 ? 'tool_use' : 'end_turn' };
}

function toOptions({ tools }: ModelRequest): vscode.LanguageModelChatRequestOptions {
  return {
    justification: 'Kedge uses this model to answer your request.',
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  };
}

/** VS Code has no system role, so the system prompt is the first user message. */
function toMessages({ system, messages }: ModelRequest): vscode.LanguageModelChatMessage[] {
  const first = system === '' ? [] : [vscode.LanguageModelChatMessage.User(system)];
  return [...first, ...messages.flatMap(toMessage)];
}

function toMessage(neutral: Message): vscode.LanguageModelChatMessage[] {
  const message = framed(neutral);
  if (message.role === 'user') return [vscode.LanguageModelChatMessage.User(toInput(message.content))];
  if (message.role === 'tool') return [vscode.LanguageModelChatMessage.User(message.content.map(toResult))];
  const parts = message.content.flatMap((part): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] => {
    if (part.type === 'text') return part.text ? [new vscode.LanguageModelTextPart(part.text)] : [];
    return part.type === 'tool_call' ? [new vscode.LanguageModelToolCallPart(wireId(part.id), part.name, echoInput(part))] : [];
  });
  return parts.length === 0 ? [] : [vscode.LanguageModelChatMessage.Assistant(parts)];
}

function toResult(result: FramedResult): vscode.LanguageModelToolResultPart {
  const images = result.content.filter((part) => part.type === 'image');
  const content = images.length > 0 ? toInput(result.content) : [new vscode.LanguageModelTextPart(markedText(result))];
  return new vscode.LanguageModelToolResultPart(wireId(result.callId), content);
}

function toInput(parts: readonly (TextPart | ImagePart)[]): InputPart[] {
  return parts.map((part) =>
    part.type === 'text'
      ? new vscode.LanguageModelTextPart(part.text)
      : vscode.LanguageModelDataPart.image(imageBytes(part), part.mediaType),
  );
}

function explain(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  // VS Code also throws values that are not errors, for example DOM events when it cannot read an image.
  const failure = failureOf(error instanceof Error ? error.message : 'the request failed');
  const { message = '' } = failure;
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  if (code === vscode.LanguageModelError.NotFound.name) return modelError(SERVER, 'unknown_model', message);
  if (code === vscode.LanguageModelError.NoPermissions.name)
    return modelError(SERVER, 'auth', `Kedge has no permission to use the model; ${message}`);
  if (code === vscode.LanguageModelError.Blocked.name) return modelError(SERVER, 'no_credit', message);
  const status = /(?:failed|status|code|error)\W{0,3}([45]\d\d)\b/i.exec(message)?.[1];
  return failureError(SERVER, { ...failure, ...(status && { status: Number(status) }) });
}
