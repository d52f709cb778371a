/** The commands for choosing and connecting a model. */
import { totalmem } from 'node:os';
import * as vscode from 'vscode';
import { isServedHere, tryModel } from '../../../app/models/models.ts';
import { suitability } from '../../../app/models/probe.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { ModelError } from '../../../core/model/model.ts';
import type { Mode } from '../../../core/session/events.ts';
import { type CatalogEntry, catalogEntry } from '../../../providers/catalog.ts';
import type { ModelFacts, ProviderConfig } from '../../../providers/types.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';
import { providerConfig } from '../settings/settings.ts';
import { connectFlow } from './connect-flow.ts';
import { editorModelRef, editorModels } from './lm-adapter.ts';
import { describeFacts, modelName } from './model-label.ts';
import { quickInput } from './quick-input.ts';

const CONNECT = 'Connect a model…';
/** How long the picker waits for a service to list its models. */
const LIST_MS = 10_000;
const PROBE_MS = 300_000;

type Item = vscode.QuickPickItem & { ref?: ModelRef };

/** The parts of Kedge that connecting a model uses. */
type Connection = Pick<Kedge, 'settings' | 'keys' | 'models' | 'mode' | 'modelsChanged' | 'followSettings'>;

export async function connectModel(kedge: Connection): Promise<void> {
  const { settings, keys, models } = kedge;
  await connectFlow({
    ask: quickInput,
    env: process.env,
    configOf: (provider) => providerConfig(provider, settings, keys),
    ollama: () => models.ollama(),
    memoryGb,
    save: async ({ ref, mode, apiKey, baseUrl, calls, models: list }) => {
      await settings.setBaseUrl(ref.provider, baseUrl);
      await keys.set(ref.provider, apiKey);
      await models.keep(ref.provider, list);
      await use(kedge, ref, mode, calls);
    },
  });
}

/** Lets the user choose the model for the next messages, or connect a model. */
export async function pickModel(kedge: Connection): Promise<void> {
  const { settings, mode } = kedge;
  const only: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('pin'), tooltip: `Use only in ${modeTitle(mode)} mode` };
  const answer = await chooseModel(kedge, 'Kedge: Choose a Model', [only]);
  const ref = answer?.item.ref;
  if (ref) await use(kedge, ref, answer.mode ?? (settings.hasOwnModel(mode) ? mode : undefined), await probeLocal(kedge, ref));
  else if (answer?.item.label === CONNECT) await connectModel(kedge);
}

/** Lets the user choose a model for one message, without changing the settings. */
export async function pickModelOnce(kedge: Connection): Promise<ModelRef | undefined> {
  const answer = await chooseModel(kedge, 'Kedge: Choose a Model for This Message');
  if (answer?.item.label === CONNECT) await connectModel(kedge);
  return answer?.item.ref;
}

/** Lists the models of all connected services: first the known models, and later also the models that the services report. */
async function chooseModel(
  kedge: Connection,
  title: string,
  buttons: vscode.QuickInputButton[] = [],
): Promise<{ item: Item; mode?: Mode } | undefined> {
  const { models, settings, mode } = kedge;
  const box = vscode.window.createQuickPick<Item>();
  const leaving = new AbortController();
  let services: CatalogEntry[] = [];
  let editors: ModelRef[] = [];
  const failed = new Map<string, string>();
  const show = () => {
    const current = settings.model(mode);
    const item = (ref: ModelRef): Item => ({
      label: modelName(ref),
      ...describeFacts(models.facts(ref)),
      ...(ref.provider === current.provider && ref.model === current.model && { description: 'in use' }),
      buttons,
      ref,
    });
    const itemsOf = ({ id, label, defaultModel }: CatalogEntry): Item[] => {
      const listed = models.known(id).map((info) => ({ provider: id, model: info.id }));
      const refs = current.provider === id && !listed.some(({ model }) => model === current.model) ? [current, ...listed] : listed;
      const offeredRefs = refs.length > 0 ? refs : [{ provider: id, model: defaultModel }];
      const why = failed.get(id);
      return [
        { label, kind: vscode.QuickPickItemKind.Separator },
        ...offeredRefs.map(item),
        ...(why ? [{ label: `$(warning) ${why}` }] : []),
      ];
    };
    const editorItems = editors.length > 0 ? [{ label: 'VS Code', kind: vscode.QuickPickItemKind.Separator }, ...editors.map(item)] : [];
    const connectItems = [
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: CONNECT, alwaysShow: true },
    ];
    box.items = [item({ provider: 'offline', model: 'offline' }), ...services.flatMap(itemsOf), ...editorItems, ...connectItems];
    if (!box.value) box.activeItems = box.items.filter(({ description }) => description === 'in use').slice(0, 1);
  };
  Object.assign(box, { title, busy: true, keepScrollPosition: true, matchOnDescription: true });
  const chosen = new Promise<{ item: Item; mode?: typeof mode } | undefined>((resolve) => {
    box.onDidAccept(() => box.selectedItems[0] && resolve({ item: box.selectedItems[0] }));
    box.onDidTriggerItemButton(({ item }) => resolve({ item, mode }));
    box.onDidHide(() => resolve(undefined));
  });
  show();
  box.show();
  void fill();

  async function fill(): Promise<void> {
    services = await models.connected();
    show();
    const list = async ({ id }: CatalogEntry) => {
      try {
        await models.list(id, AbortSignal.any([leaving.signal, AbortSignal.timeout(LIST_MS)]));
      } catch (error) {
        if (!leaving.signal.aborted) failed.set(id, error instanceof Error ? error.message : String(error));
      }
    };
    const copilot = editorModels('copilot').then(
      (available) => {
        editors = available.map((model) => editorModelRef(model, kedge.models.picked));
      },
      () => undefined,
    );
    await Promise.all([copilot, models.ollama(), ...services.filter(({ id }) => id !== 'ollama').map(list)]);
    if (leaving.signal.aborted) return;
    services = await models.connected();
    show();
    box.busy = false;
    kedge.modelsChanged();
  }

  const answer = await chosen;
  leaving.abort();
  box.dispose();
  return answer;
}

/** Tests a local model once, because local models differ in how they call tools. */
async function probeLocal(kedge: Connection, ref: ModelRef): Promise<ModelFacts['calls']> {
  const facts = kedge.models.facts(ref);
  if (!catalogEntry(ref.provider)?.local || facts.calls) return undefined;
  const config = await providerConfig(ref.provider, kedge.settings, kedge.keys);
  try {
    const probe = await quickInput.progress(`Testing a tool call with ${ref.model}…`, (signal) => tryModel(ref, config, signal, PROBE_MS));
    const { reason } = suitability({
      ...(probe && { probe }),
      ...(facts.contextWindow && { contextWindow: facts.contextWindow }),
      memoryGb: memoryGb(ref.provider, config),
    });
    if (reason) void vscode.window.showWarningMessage(notificationText(reason));
    return probe?.calls;
  } catch (error) {
    if (error instanceof ModelError) void vscode.window.showWarningMessage(notificationText(error.message));
    return undefined;
  }
}

function memoryGb(provider: string, config: ProviderConfig): number | undefined {
  return isServedHere(provider, config) ? totalmem() / 2 ** 30 : undefined;
}

function modeTitle(mode: Mode): string {
  return mode.slice(0, 1).toUpperCase() + mode.slice(1);
}

async function use(kedge: Connection, ref: ModelRef, mode?: Mode, calls?: ModelFacts['calls']): Promise<void> {
  await kedge.models.remember(ref, calls);
  await kedge.settings.setModel(ref, mode);
  // If the user chooses the model of the settings again, the settings do not change, so the session is updated here.
  await kedge.followSettings();
  kedge.modelsChanged();
  void vscode.window.showInformationMessage(
    notificationText(`Kedge now uses ${modelName(ref)}${mode ? ` in ${modeTitle(mode)} mode` : ''}.`),
  );
}
