/** Choosing and connecting a model. A key goes from the input box to the secret storage and nowhere else. */
import * as vscode from 'vscode';
import { user } from '../../core/messages.ts';
import { CATALOG, catalogEntry } from '../../providers/catalog.ts';
import type { Kedge } from './kedge.ts';
import { modelName } from './kedge.ts';

const CONNECT = 'Connect a model…';

export async function pickModel(kedge: Kedge): Promise<void> {
  const current = kedge.settings.model();
  const refs = [{ provider: 'offline', model: 'offline' }];
  for (const { id, keyless, defaultModel } of CATALOG) {
    if (!keyless && (await kedge.keys.get(id))) refs.push({ provider: id, model: current.provider === id ? current.model : defaultModel });
  }
  const items: (vscode.QuickPickItem & { ref?: (typeof refs)[number] })[] = refs.map((ref) => ({
    label: modelName(ref),
    description: catalogEntry(ref.provider)?.label ?? ref.provider,
    ...(ref.provider === current.provider && ref.model === current.model && { detail: 'in use' }),
    ref,
  }));
  items.push({ label: CONNECT });
  const chosen = await vscode.window.showQuickPick(items, { title: 'Kedge: Choose a Model' });
  if (chosen?.ref) await kedge.settings.setModel(chosen.ref);
  else if (chosen) await connectModel(kedge);
}

export async function connectModel(kedge: Kedge): Promise<void> {
  const items = CATALOG.filter(({ keyless }) => !keyless).map(({ id, label, defaultModel }) => ({
    label,
    description: `e.g. ${defaultModel}`,
    id,
  }));
  const provider = await vscode.window.showQuickPick(items, { title: 'Kedge: Connect a Model', placeHolder: 'Whose model?' });
  if (!provider) return;
  const known = kedge.settings.baseUrl(provider.id);
  const baseUrl = await vscode.window.showInputBox({
    title: `${provider.label}: address`,
    prompt: 'Leave it empty for the service itself, or give the base URL of a gateway',
    value: known ?? '',
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || /^https?:\/\/\S+$/.test(text.trim()) ? undefined : 'A URL begins with https:// or http://',
  });
  if (baseUrl === undefined) return;
  const hasKey = (await kedge.keys.get(provider.id)) !== undefined;
  const key = await vscode.window.showInputBox({
    title: `${provider.label}: key`,
    prompt: hasKey ? 'Leave it empty to keep the key that is stored' : 'It is kept in VS Code’s secret storage',
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || (key.trim() === '' && !hasKey)) return;
  const entry = catalogEntry(provider.id);
  const model = await vscode.window.showInputBox({
    title: `${provider.label}: model`,
    value: entry?.defaultModel ?? '',
    ignoreFocusOut: true,
  });
  if (!model?.trim()) return;

  if (key.trim()) await kedge.keys.set(provider.id, key.trim());
  await kedge.settings.setBaseUrl(provider.id, baseUrl.trim() || undefined);
  const ref = { provider: provider.id, model: model.trim() };
  const problem = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Trying ${ref.model}…`, cancellable: true },
    (_, token) => tryModel(kedge, ref, token),
  );
  await kedge.settings.setModel(ref);
  if (problem) void vscode.window.showWarningMessage(`${ref.model} is chosen, but did not answer: ${problem}`);
  else void vscode.window.showInformationMessage(`Kedge now uses ${ref.model}.`);
}

/** Asks for one short answer. Returns what went wrong, if anything did. */
async function tryModel(
  kedge: Kedge,
  ref: { provider: string; model: string },
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => controller.abort());
  try {
    const adapter = await kedge.adapter(ref);
    const request = { model: ref.model, system: 'Answer with one word.', messages: [user('Are you there?')], tools: [] };
    for await (const event of adapter.stream(request, controller.signal)) if (event.type === 'stop') return undefined;
    return undefined;
  } catch (error) {
    return token.isCancellationRequested ? 'it was not tried to the end.' : error instanceof Error ? error.message : String(error);
  } finally {
    cancelling.dispose();
  }
}
