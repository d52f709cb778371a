/**
 * The steps of connecting a model: the service, its address, the key, the model, a live test, and the modes that use it.
 * Nothing is stored before the last step. A key goes from the input box only to the secret storage.
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

/** The result of the flow. Without `mode` it applies to all modes; without `apiKey` no key is stored. */
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
  /** Returns the current configuration of a provider. */
  configOf(provider: string): Promise<ProviderConfig>;
  /** Returns the number of models of an Ollama that runs on this computer, or undefined if Ollama is not running. */
  ollama(): Promise<number | undefined>;
  save(connection: Connection): Promise<void>;
  /** Returns the memory of this machine in GB, or undefined if another machine serves the model. */
  memoryGb?(provider: string, config: ProviderConfig): number | undefined;
};

const TRY = { again: 'Try Again', key: 'Enter Another Key', address: 'Change Address', model: 'Choose Another Model' } as const;
const ANYWAY = 'Use Anyway';
const NAME = 'Enter Model Name';
const HOW = {
  native: 'This model calls tools.',
  text: 'This model writes tool calls as text, which Kedge reads.',
  none: 'This model does not call tools. It can answer in Ask mode, but cannot read files.',
};

/** How long the test may take. A local server may first have to load the model. */
const TRY_MS = 60_000;
const TRY_LOCAL_MS = 300_000;

export async function connectFlow({ ask, env, configOf, ollama, save, memoryGb }: ConnectPorts): Promise<void> {
  let entry: CatalogEntry = CATALOG[0] as CatalogEntry;
  let begun = false;
  let stored: ProviderConfig = {};
  let config: ProviderConfig = {};
  let models: readonly ModelInfo[] = [];
  let listedWith: ProviderConfig | undefined;
  /** The key that the user entered. It is kept until the user selects another service. */
  let typedKey = '';
  let model = '';
  let calls: ModelFacts['calls'];

  const service: Step = async () => {
    const chosen = await ask.pick({
      title: 'Kedge: Connect a Model',
      first: true,
      placeholder: 'Select a service',
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
    const input = await ask.input({
      title: `${entry.label}: address`,
      prompt:
        entry.needsUrl || entry.local
          ? 'Enter the address of the server'
          : 'Enter the base URL of a gateway, or leave the field empty to use the service itself',
      value: config.baseUrl ?? entry.baseUrl ?? '',
      validate: (text) => addressProblem(text, entry),
    });
    if (input === undefined || input === BACK) return input;
    const { baseUrl: _, ...rest } = config;
    config = input ? { ...rest, baseUrl: input } : rest;
    return key;
  };

  /** Asks for the key in a password box. Its prompt and buttons offer the alternatives, such as a stored key. */
  const key: Step = async () => {
    const where = config.baseUrl ?? entry.baseUrl;
    const host = where && new URL(where).host;
    const elsewhere = config.baseUrl !== stored.baseUrl && host ? ` at ${host}` : '';
    const setVariables = (entry.keyVariables ?? []).filter((name) => env[name]?.trim());
    const use = (apiKey: string | undefined) => () => {
      const { apiKey: _, ...rest } = config;
      config = apiKey ? { ...rest, apiKey } : rest;
      return chooseModel;
    };
    const others = [
      ...(stored.apiKey ? [{ label: `Use the stored key${elsewhere}`, icon: 'key', value: use(stored.apiKey) }] : []),
      ...setVariables.map((name) => ({
        label: `Use the key found in $${name}${elsewhere}`,
        icon: 'symbol-variable',
        value: use(env[name]?.trim()),
      })),
      ...(entry.keyless || config.baseUrl ? [{ label: 'Use no key', icon: 'circle-slash', value: use(undefined) }] : []),
    ];
    const [ifEmpty, ...rest] = others;
    const otherAddress = { label: 'Use another address…', icon: 'globe', value: () => address };
    const input = await ask.input<() => Step>({
      title: `${entry.label}: key`,
      prompt: [
        'The key is stored in VS Code’s secret storage and sent only to the service.',
        ...(ifEmpty ? [`Leave the field empty to ${lowerFirst(ifEmpty.label)}.`] : []),
      ].join(' '),
      placeholder: 'Paste the key',
      password: true,
      value: typedKey,
      validate: (text) =>
        (ifEmpty && text.trim() === '') || /^\s*[\x21-\x7e]+\s*$/.test(text)
          ? undefined
          : 'Enter a key without spaces, in ASCII letters, digits and symbols',
      actions: [...rest, ...(!entry.local && !entry.needsUrl ? [otherAddress] : [])],
    });
    if (input === undefined || input === BACK) return input;
    if (typeof input === 'function') return input();
    typedKey = input;
    if (input === '') return ifEmpty?.value();
    if (config.apiKey !== input) config = { ...config, apiKey: input };
    return chooseModel;
  };

  const chooseModel: Step = async () => {
    if (listedWith !== config) {
      models = [];
      try {
        models = await ask.progress(`Getting the models of ${entry.label}…`, (signal) => listModels(entry.id, config, signal));
        listedWith = config;
      } catch (error) {
        // Many proxies do not list models. If the cause is a wrong address, the test in the next step fails.
        const hasNoList = error instanceof ModelError && (error.kind === 'invalid_request' || error.kind === 'unknown_model');
        if (hasNoList) listedWith = config;
        const next = hasNoList ? NAME : await recoverFrom(error, NAME);
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
      placeholder: 'Select a model, or type its name',
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
      prompt: `The server${where ? ` at ${where}` : ''} does not list its models. Enter the name of the model, or go back to correct the address`,
      value: model,
      validate: (text) => (text.trim() ? undefined : 'Enter the exact name of the model on the server'),
    });
  };

  const test = async (): Promise<Step | typeof BACK | undefined> => {
    const ref = { provider: entry.id, model };
    try {
      const limit = entry.local ? TRY_LOCAL_MS : TRY_MS;
      const probe = await ask.progress(`Testing a tool call with ${model}…`, (signal) => tryModel(ref, config, signal, limit));
      if (!probe)
        throw new ModelError('network', `${model} did not answer within ${limit / 1000} seconds. Try again, or choose another model.`);
      calls = probe.calls;
      const contextWindow = models.find(({ id }) => id === model)?.contextWindow;
      const { agent, reason = '' } = suitability({
        probe,
        ...(contextWindow && { contextWindow }),
        memoryGb: memoryGb?.(entry.id, config),
      });
      if (agent) return useFor;
      const noTools = `${model} did not call the tool in the test. You can use it in Ask mode, but Agent mode needs another model.`;
      const next = await ask.trouble(entry.local ? reason : noTools, [TRY.model, ANYWAY]);
      return next === ANYWAY ? useFor : chooseModel;
    } catch (error) {
      const next = await recoverFrom(error, TRY.model, ANYWAY);
      if (next === TRY.model || next === BACK) return chooseModel;
      return next === ANYWAY ? useFor : next;
    }
  };

  const useFor: Step = async () => {
    const all = { label: 'All modes', description: 'Ask, Plan and Agent', value: 'all' as Mode | 'all' };
    const choices = [all, ...MODES.map((mode) => ({ label: `${title(mode)} only`, value: mode }))];
    const how = calls && { placeholder: HOW[calls] };
    const chosen = await ask.pick({ title: `${model}: modes`, choices, ...how });
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

  /** Shows the error with buttons for possible solutions. Goes back if the user closes the error, or has cancelled the request. */
  async function recoverFrom<T extends string>(error: unknown, ...more: readonly T[]): Promise<Answer<Step | T>> {
    if (!(error instanceof ModelError)) {
      if (error instanceof DOMException && error.name === 'AbortError') return BACK;
      throw error;
    }
    const next = await ask.trouble(error.message, [...remedies(error.kind), ...more]);
    if (next === undefined) return BACK;
    if (next === TRY.key) return key;
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
  const group = ({ local, needsUrl }: CatalogEntry) => (local ? 'On your machine' : needsUrl ? 'At your own address' : 'Services');
  const order = ['Services', 'On your machine', 'At your own address'];
  return CATALOG.filter(({ id }) => id !== 'offline')
    .map((entry) => ({ label: entry.label, group: group(entry), value: entry, ...ollamaStatus(entry, ollamaModels) }))
    .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function ollamaStatus({ id }: CatalogEntry, models: number | undefined): { description?: string } {
  if (id !== 'ollama' || models === undefined) return {};
  return { description: `running on this machine with ${models} ${models === 1 ? 'model' : 'models'}` };
}

/** Validates an address. It is stored in a settings file, so it must not contain anything secret. */
function addressProblem(text: string, entry: CatalogEntry): string | undefined {
  const address = text.trim();
  if (!address) return entry.needsUrl || entry.local ? 'Enter the address of the server' : undefined;
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return 'The address must begin with https:// or http://';
  const { username, password, search } = new URL(address);
  return username || password || search ? 'Remove keys and passwords from the address. You enter the key in the next step' : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function title(mode: Mode): string {
  return mode[0]?.toUpperCase() + mode.slice(1);
}
