/**
 * Connecting a model, step by step: which service, at which address, with which key; then a live test, and for which modes.
 * Nothing is stored before the end. A key goes from the input box to the secret storage and nowhere else.
 */
import { listModels, tryModel } from '../../../app/models/models.ts';
import { suitability } from '../../../app/models/probe.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { ModelError, type ModelErrorKind } from '../../../core/model/model.ts';
import { MODES, type Mode } from '../../../core/session/events.ts';
import { CATALOG, type CatalogEntry, factsOf } from '../../../providers/catalog.ts';
import type { ModelFacts, ModelInfo, ProviderConfig } from '../../../providers/types.ts';
import { describeFacts } from './model-label.ts';
import { type Answer, type Ask, BACK, type Choice, type Step, walk } from './prompts.ts';

/** What the flow ends with. `mode` is absent for all modes; without `apiKey` none is kept. */
export type Connection = {
  ref: ModelRef;
  mode?: Mode;
  apiKey?: string;
  baseUrl?: string;
  calls?: ModelFacts['calls'];
  models: readonly ModelInfo[];
};

export type ConnectPorts = {
  ask: Ask;
  env: Readonly<Record<string, string | undefined>>;
  /** What is configured for a provider already. */
  configOf(provider: string): Promise<ProviderConfig>;
  /** How many models an Ollama has that runs on this computer; undefined where none does. */
  ollama(): Promise<number | undefined>;
  save(connection: Connection): Promise<void>;
  /** Of the machine that serves the model, in GB, where that is this one. */
  memoryGb?(provider: string, config: ProviderConfig): number | undefined;
};

const TRY = { again: 'Try Again', key: 'Enter Another Key', address: 'Change the Address', model: 'Choose Another Model' } as const;
const ANYWAY = 'Use It Anyway';
const NAME = 'Name a Model';
const HOW = {
  native: 'It calls tools.',
  text: 'It writes its tool calls into its text, where Kedge reads them.',
  none: 'It calls no tools: it can answer in Ask mode, without looking into files.',
};

/** A tool call may take as long as it takes a local server to load the model. */
const TRY_MS = 60_000;
const TRY_LOCAL_MS = 300_000;

export async function connectFlow({ ask, env, configOf, ollama, save, memoryGb }: ConnectPorts): Promise<void> {
  let entry: CatalogEntry = CATALOG[0] as CatalogEntry;
  let begun = false;
  let stored: ProviderConfig = {};
  let config: ProviderConfig = {};
  let models: readonly ModelInfo[] = [];
  let listedWith: ProviderConfig | undefined;
  /** The key that was typed; it stays as long as the service does. */
  let typedKey = '';
  let model = '';
  let calls: ModelFacts['calls'];

  const service: Step = async () => {
    const chosen = await ask.pick({
      title: 'Kedge: Connect a Model',
      first: true,
      placeholder: 'Whose model?',
      choices: services(),
      later: ollama().then(services),
    });
    if (chosen === undefined || chosen === BACK) return chosen;
    if (chosen !== entry || !begun) {
      entry = chosen;
      begun = true;
      stored = await configOf(entry.id);
      config = { ...stored };
      typedKey = model = '';
    }
    return entry.local || entry.needsUrl ? address : key;
  };

  const address: Step = async () => {
    const given = await ask.input({
      title: `${entry.label}: address`,
      prompt: entry.needsUrl || entry.local ? 'Where does it listen?' : 'The base URL of a gateway; empty for the service itself',
      value: config.baseUrl ?? entry.baseUrl ?? '',
      validate: (text) => addressProblem(text, entry),
    });
    if (given === undefined || given === BACK) return given;
    const { baseUrl: _, ...rest } = config;
    config = given ? { ...rest, baseUrl: given } : rest;
    return key;
  };

  const key: Step = async () => {
    const where = config.baseUrl ?? entry.baseUrl;
    const elsewhere = config.baseUrl !== stored.baseUrl && where ? ` at ${new URL(where).host}` : '';
    const found = (entry.keyVariables ?? []).filter((name) => env[name]?.trim());
    const choices: Choice<() => Step>[] = [];
    const use = (apiKey: string | undefined) => () => {
      const { apiKey: _, ...rest } = config;
      config = apiKey ? { ...rest, apiKey } : rest;
      return chooseModel;
    };
    if (typedKey) choices.push({ label: `Use the key that you entered${elsewhere}`, value: use(typedKey) });
    if (entry.keyless) choices.push({ label: 'No key', description: 'it asks for none', value: use(undefined) });
    if (stored.apiKey) choices.push({ label: `Use the stored key${elsewhere}`, value: use(stored.apiKey) });
    for (const name of found) choices.push({ label: `Use the key found in $${name}${elsewhere}`, value: use(env[name]?.trim()) });
    choices.push({ label: 'Enter a key…', description: 'kept in VS Code’s secret storage', value: () => enterKey });
    if (!entry.keyless && config.baseUrl) choices.push({ label: 'No key', description: 'the server asks for none', value: use(undefined) });
    if (!entry.local && !entry.needsUrl) {
      const description = config.baseUrl ? `now ${new URL(config.baseUrl).host}` : 'a gateway or a proxy';
      choices.push({ label: 'Use another address…', description, value: () => address });
    }
    const chosen = await ask.pick({ title: `${entry.label}: key`, placeholder: 'How does Kedge get in?', choices });
    return chosen === undefined || chosen === BACK ? chosen : chosen();
  };

  const enterKey: Step = async () => {
    const given = await ask.input({
      title: `${entry.label}: enter a key`,
      prompt: 'It is kept in VS Code’s secret storage, and sent to the service only',
      password: true,
      value: typedKey,
      validate: (text) => (/^\s*[\x21-\x7e]+\s*$/.test(text) ? undefined : 'A key is one word of letters, digits and signs'),
    });
    if (given === undefined || given === BACK) return given;
    typedKey = given;
    if (config.apiKey !== given) config = { ...config, apiKey: given };
    return chooseModel;
  };

  const chooseModel: Step = async () => {
    if (listedWith !== config) {
      models = [];
      try {
        models = await ask.progress(`Asking ${entry.label} for its models…`, (signal) => listModels(entry.id, config, signal));
        listedWith = config;
      } catch (error) {
        // Many proxies have none, which is no trouble: what is wrong with the address, if anything is, the test will tell.
        const listless = error instanceof ModelError && (error.kind === 'invalid_request' || error.kind === 'unknown_model');
        if (listless) listedWith = config;
        const next = listless ? NAME : await afterTrouble(error, NAME);
        if (next !== NAME) return next;
      }
    }
    const chosen = models.length > 0 ? await pickModel() : await nameModel();
    if (chosen === undefined || chosen === BACK) return chosen;
    model = chosen;
    calls = undefined;
    return await test();
  };

  const pickModel = () =>
    ask.pick({
      title: `${entry.label}: model`,
      placeholder: 'Choose a model, or type a name',
      choices: models.map((info) => ({
        label: info.id,
        ...describeFacts(factsOf({ provider: entry.id, model: info.id }, info)),
        value: info.id,
      })),
      proposed: models.some(({ id }) => id === entry.defaultModel) ? entry.defaultModel : undefined,
      typed: (text) => ({ label: text, description: 'as typed', value: text }),
    });

  const nameModel = () => {
    const where = config.baseUrl ?? entry.baseUrl;
    return ask.input({
      title: `${entry.label}: name of the model`,
      prompt: `There is no list of models${where ? ` at ${where}` : ''}: name the one to use, or go back to correct the address`,
      value: model,
      validate: (text) => (text.trim() ? undefined : 'Give the name of a model, as the server knows it'),
    });
  };

  const test = async (): Promise<Step | typeof BACK | undefined> => {
    const ref = { provider: entry.id, model };
    try {
      const limit = entry.local ? TRY_LOCAL_MS : TRY_MS;
      const probe = await ask.progress(`Having ${model} call a tool…`, (signal) => tryModel(ref, config, signal, limit));
      if (!probe)
        throw new ModelError('network', `${model} did not answer within ${limit / 1000} seconds: try again, or choose another model.`);
      calls = probe.calls;
      const contextWindow = models.find(({ id }) => id === model)?.contextWindow;
      const { agent, reason = '' } = suitability({
        probe,
        ...(contextWindow && { contextWindow }),
        memoryGb: memoryGb?.(entry.id, config),
      });
      if (agent) return useFor;
      const noTools = `${model} did not call the tool that it was told to call: it may do for Ask, and Agent mode needs another model.`;
      const next = await ask.trouble(entry.local ? reason : noTools, [TRY.model, ANYWAY]);
      return next === ANYWAY ? useFor : chooseModel;
    } catch (error) {
      const next = await afterTrouble(error, TRY.model, ANYWAY);
      if (next === TRY.model || next === BACK) return chooseModel;
      return next === ANYWAY ? useFor : next;
    }
  };

  const useFor: Step = async () => {
    const all = { label: 'All modes', description: 'Ask, Plan and Agent', value: 'all' as Mode | 'all' };
    const choices = [all, ...MODES.map((mode) => ({ label: `${title(mode)} only`, value: mode }))];
    const how = calls && { placeholder: HOW[calls] };
    const chosen = await ask.pick({ title: `${model}: for which modes?`, choices, ...how });
    if (chosen === undefined || chosen === BACK) return chosen;
    const { apiKey, baseUrl } = config;
    await save({
      ref: { provider: entry.id, model },
      models,
      ...(chosen !== 'all' && { mode: chosen }),
      ...(calls && { calls }),
      ...(apiKey && { apiKey }),
      ...(baseUrl && { baseUrl }),
    });
    return undefined;
  };

  /** Says what happened, and offers what helps against that, or the way back. What the user cancelled needs no words. */
  async function afterTrouble<T extends string>(error: unknown, ...more: readonly T[]): Promise<Answer<Step | T>> {
    if (!(error instanceof ModelError)) {
      if (error instanceof DOMException && error.name === 'AbortError') return BACK;
      throw error;
    }
    const next = await ask.trouble(error.message, [...remedies(error.kind), ...more]);
    if (next === undefined) return BACK;
    if (next === TRY.key) return enterKey;
    if (next === TRY.address) return address;
    if (next === TRY.again) return chooseModel;
    return next as T;
  }

  await walk(service);
}

function remedies(kind: ModelErrorKind): string[] {
  if (kind === 'auth') return [TRY.key];
  if (kind === 'network' || kind === 'invalid_request') return [TRY.again, TRY.address];
  return kind === 'no_credit' || kind === 'unknown_model' ? [] : [TRY.again];
}

function services(ollamaModels?: number): Choice<CatalogEntry>[] {
  const group = ({ local, needsUrl }: CatalogEntry) =>
    local ? 'On your own machine' : needsUrl ? 'At an address of your own' : 'Services';
  const order = ['Services', 'On your own machine', 'At an address of your own'];
  return CATALOG.filter(({ id }) => id !== 'offline')
    .map((entry) => ({ label: entry.label, group: group(entry), value: entry, ...running(entry, ollamaModels) }))
    .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function running({ id }: CatalogEntry, models: number | undefined): { description?: string } {
  if (id !== 'ollama' || models === undefined) return {};
  return { description: `running here, with ${models} ${models === 1 ? 'model' : 'models'}` };
}

/** An address goes into a settings file: there must be nothing secret in it. */
function addressProblem(text: string, entry: CatalogEntry): string | undefined {
  const address = text.trim();
  if (!address) return entry.needsUrl || entry.local ? 'Give the address at which it listens' : undefined;
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return 'An address begins with https:// or http://';
  const { username, password, search } = new URL(address);
  return username || password || search ? 'Leave keys and passwords out of the address: the key is asked for next' : undefined;
}

function title(mode: Mode): string {
  return mode[0]?.toUpperCase() + mode.slice(1);
}
