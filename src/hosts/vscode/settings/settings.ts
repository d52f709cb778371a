import * as vscode from 'vscode';
import { PARTS, type Part } from '../../../app/context/surroundings-parts.ts';
import { DEFAULT_LIMITS, DEFAULT_MEMORY_TOKENS, MIN_CONTEXT_TOKENS } from '../../../app/limits.ts';
import { DEFAULT_THRESHOLDS, type PressureThresholds } from '../../../app/models/memory-pressure.ts';
import type { Settings, Tuning } from '../../../app/ports.ts';
import type { Budgets } from '../../../app/run/day-budget.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { MODES, type Mode } from '../../../core/session/events.ts';
import type { DayBudget, Limits, RunBudget } from '../../../core/session/limits.ts';
import { modelText, parseModelRef } from '../../../providers/catalog.ts';
import { filledHeaders } from '../../../providers/headers.ts';
import type { ModelFacts, ProviderConfig } from '../../../providers/types.ts';
import type { EnvironmentRules } from '../../node/commands/command-environment.ts';
import { isBetween, isCount, isFacts, isOneOf, isText, isTexts, isThresholds } from './settings-values.ts';

export class VsCodeSettings implements Settings {
  /** Returns the model in use. A setting that cannot be read falls back to Offline, and `modelProblem` says why. */
  model(mode?: Mode): ModelRef {
    try {
      return parseModelRef(this.#modelText(mode));
    } catch {
      return parseModelRef('offline');
    }
  }

  modelProblem(mode?: Mode): string | undefined {
    try {
      parseModelRef(this.#modelText(mode));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #modelText(mode: Mode | undefined): string {
    const own = mode ? read<string>(`modelFor.${mode}`, '').trim() : '';
    return own || read<string>('model', 'offline').trim() || 'offline';
  }

  /** Returns true if the mode has its own model setting. */
  hasOwnModel(mode: Mode): boolean {
    return read<string>(`modelFor.${mode}`, '').trim() !== '';
  }

  /** Lets a mode use the model of all modes again. */
  async dropOwnModel(mode: Mode): Promise<void> {
    await write(`modelFor.${mode}`, undefined);
  }

  /** Sets the model for one mode, or for all modes. */
  async setModel(model: ModelRef, mode?: Mode): Promise<void> {
    if (mode) return write(`modelFor.${mode}`, modelText(model));
    await write('model', modelText(model));
    for (const each of MODES) if (this.hasOwnModel(each)) await write(`modelFor.${each}`, undefined);
  }

  /** Returns the limits of a run. A workspace can only lower the user's limits, because the limits determine the cost of a run. */
  limits(mode: Mode): Limits {
    const key = `limits.${mode}`;
    const own = withOverrides(DEFAULT_LIMITS[mode], userSetting(key), (_, value) => value);
    return withOverrides(own, read(key, {}), Math.min);
  }

  /** Returns the budgets of runs. A workspace can only lower the user's budgets, or lengthen the cool-down. */
  budgets(): Budgets & { run: RunBudget } {
    const lower = <T extends object>(key: string, kinds: readonly (keyof T & string)[]) =>
      lowest(kinds, userSetting<T>(key), read<Partial<T>>(key, {})) as T;
    const runsPerMinute = Math.min(...withAndWithoutWorkspace('budget.runsPerMinute').map(orInfinity));
    const cooldownSeconds = Math.max(...withAndWithoutWorkspace('budget.cooldownSeconds').map(orZero));
    return {
      run: lower<RunBudget>('budget.run', ['tokens', 'usd']),
      day: lower<DayBudget>('budget.day', ['runs', 'turns', 'calls', 'tokens', 'usd', 'minutes']),
      ...(Number.isFinite(runsPerMinute) && { runsPerMinute }),
      ...(cooldownSeconds > 0 && { cooldownSeconds }),
    };
  }

  /** Returns the thresholds for free memory, in percent. */
  pressure(): PressureThresholds {
    const thresholds = readValid('memoryPressure', isThresholds);
    return {
      moderatePercent: thresholds?.moderatePercent ?? DEFAULT_THRESHOLDS.moderatePercent,
      criticalPercent: thresholds?.criticalPercent ?? DEFAULT_THRESHOLDS.criticalPercent,
    };
  }

  /** Returns true if a run must propose a plan first. A workspace can turn this setting on, but cannot turn off the user's setting. */
  requirePlan(): boolean {
    const { globalValue, workspaceValue, workspaceFolderValue } =
      vscode.workspace.getConfiguration('kedge').inspect<boolean>('requirePlanApproval') ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].includes(true);
  }

  /**
   * Returns the parts of the surroundings that are sent to the model. A workspace can turn parts off, but cannot turn on parts that the
   * user turned off.
   */
  surroundings(): Set<Part> {
    const { globalValue, workspaceValue, workspaceFolderValue } =
      vscode.workspace.getConfiguration('kedge').inspect<Partial<Record<Part, unknown>> | null>('surroundings') ?? {};
    return new Set(PARTS.filter((part) => ![globalValue, workspaceValue, workspaceFolderValue].some((value) => value?.[part] === false)));
  }

  /** Returns how the panel shows the steps of a run. */
  steps(): 'summary' | 'full' {
    return readValid('panel.steps', isOneOf('summary', 'full')) ?? 'summary';
  }

  /** Returns true if the model gives sessions their titles. A workspace cannot set it, because a title costs tokens. */
  titles(): boolean {
    return userSetting<unknown>('sessions.titles') !== false;
  }

  /** Returns the maximum size of the memory in a conversation. A workspace cannot set it. */
  memoryTokens(): number {
    const tokens = userSetting<unknown>('memoryTokens');
    return isBetween(0, 100_000)(tokens) ? tokens : DEFAULT_MEMORY_TOKENS;
  }

  /** Returns the part of a model's context window that is used. A workspace cannot set it. */
  contextTokens(): number | undefined {
    const tokens = userSetting<unknown>('contextTokens');
    return isBetween(MIN_CONTEXT_TOKENS, Number.MAX_SAFE_INTEGER)(tokens) ? tokens : undefined;
  }

  /** Returns true if Kedge may propose what to remember after a run. A workspace cannot set it. */
  lessons(): boolean {
    return userSetting<unknown>('proposeLessons') !== false;
  }

  /** Returns how deep runs may delegate. A workspace cannot set it, because the tool costs tokens. */
  delegation(): number {
    const depth = userSetting<unknown>('delegation');
    return isBetween(0, 3)(depth) ? Math.floor(depth) : 0;
  }

  /** Returns whether models may use a browser, and the path of the browser. A workspace cannot set it. */
  browser(): { path?: string } | undefined {
    const path = userSetting<unknown>('browser.path');
    if (userSetting<unknown>('browser.enabled') !== true) return undefined;
    return typeof path === 'string' && path.trim() !== '' ? { path: path.trim() } : {};
  }

  tuning(model: ModelRef, facts: ModelFacts = {}): Tuning {
    const temperature = readValid('temperature', isBetween(0, 2));
    const maxTokens = readValid('maxOutputTokens', isCount);
    const maxOutputTokens = maxTokens && Math.min(maxTokens, facts.maxOutput ?? maxTokens);
    const reasoningEffort = facts.reasoning === false ? undefined : readValid('reasoningEffort', isOneOf('low', 'medium', 'high'));
    const contextWindow = this.facts[modelText(model)]?.contextWindow;
    return {
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
      ...(contextWindow !== undefined && { contextWindow }),
    };
  }

  /** The facts that the user has set, by provider and model. Invalid values are ignored. */
  get facts(): Record<string, ModelFacts> {
    const entries = Object.entries(read<Record<string, unknown>>('models', {}));
    return Object.fromEntries(entries.flatMap(([name, value]) => (isFacts(value) ? [[name, value]] : [])));
  }

  /** The addresses that the user has set, by provider. */
  get baseUrls(): Readonly<Record<string, string>> {
    const entries = Object.entries(userSetting<Record<string, unknown>>('baseUrls') ?? {});
    return Object.fromEntries(entries.flatMap(([provider, url]) => (isText(url) && url.trim() ? [[provider, url.trim()]] : [])));
  }

  /** Returns the address and headers of a provider. A workspace cannot set them, because the user's key is sent to the address. */
  server(provider: string): Pick<ProviderConfig, 'baseUrl' | 'headers' | 'silenceMs'> {
    const baseUrl = this.baseUrls[provider];
    const headers = userSetting<Record<string, unknown>>('headers')?.[provider];
    const seconds = userSetting<unknown>('serverTimeout');
    return {
      ...(baseUrl && { baseUrl }),
      ...(isTexts(headers) && { headers }),
      ...(isTimeout(seconds) && { silenceMs: seconds * 1000 }),
    };
  }

  /** Returns the address of the collector to which runs are sent as traces. A workspace cannot set it. */
  get otlpEndpoint(): string | undefined {
    const address = userSetting<unknown>('telemetry.otlpEndpoint');
    return isText(address) ? address : undefined;
  }

  /** Returns the variables to pass to commands or withhold from them. A workspace cannot set them. */
  environment(): EnvironmentRules {
    const names = (key: string) => {
      const value = userSetting<unknown>(`commands.${key}`);
      return Array.isArray(value) ? value.filter(isText) : [];
    };
    return { pass: names('passEnvironment'), withhold: names('withholdEnvironment') };
  }

  async setBaseUrl(provider: string, url: string | undefined): Promise<void> {
    const { [provider]: before, ...others } = userSetting<Record<string, string>>('baseUrls') ?? {};
    if (before === url) return;
    await vscode.workspace
      .getConfiguration('kedge')
      .update('baseUrls', url === undefined ? others : { ...others, [provider]: url }, vscode.ConfigurationTarget.Global);
  }
}

/** The keys of services, stored only in VS Code's secret storage. */
export class Keys {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async get(provider: string): Promise<string | undefined> {
    return (await this.#secrets.get(`kedge.key.${provider}`)) || undefined;
  }

  async set(provider: string, key: string | undefined): Promise<void> {
    if (key === undefined) await this.#secrets.delete(`kedge.key.${provider}`);
    else await this.#secrets.store(`kedge.key.${provider}`, key);
  }

  onChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(listener);
  }
}

export async function providerConfig(provider: string, settings: VsCodeSettings, keys: Keys): Promise<ProviderConfig> {
  const { headers = {}, ...server } = settings.server(provider);
  const apiKey = await keys.get(provider);
  return {
    ...(apiKey && { apiKey }),
    ...server,
    usesFetch: true,
    ...(Object.keys(headers).length > 0 && { headers: filledHeaders(headers, apiKey) }),
  };
}

/** Returns true if a timeout in seconds is valid. The limit is 290, because Node closes an idle connection after 300 seconds. */
const isTimeout = isBetween(5, 290);
const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;
const orInfinity = (value: unknown): number => (isAmount(value) ? value : Number.POSITIVE_INFINITY);
const orZero = (value: unknown): number => (isAmount(value) ? value : 0);

/** Returns the lowest amount of each kind that is set. */
function lowest<Kind extends string>(
  kinds: readonly Kind[],
  ...sets: (Partial<Record<Kind, unknown>> | undefined)[]
): Partial<Record<Kind, number>> {
  const amounts: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) {
    const amount = Math.min(...sets.map((set) => orInfinity(set?.[kind])));
    if (Number.isFinite(amount)) amounts[kind] = amount;
  }
  return amounts;
}

function withOverrides(limits: Limits, overrides: Partial<Limits> | undefined, choose: (current: number, value: number) => number): Limits {
  const result = { ...limits };
  for (const key of Object.keys(limits) as (keyof Limits)[]) {
    const value = overrides?.[key];
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) result[key] = choose(limits[key], value);
  }
  return result;
}

function read<T>(key: string, fallback: T): T {
  return vscode.workspace.getConfiguration('kedge').get<T>(key) ?? fallback;
}

/** Returns undefined for an invalid value. */
function readValid<T>(key: string, is: (value: unknown) => value is T): T | undefined {
  const value = read<unknown>(key, undefined);
  return is(value) ? value : undefined;
}

/** Returns the value from the user's settings, and ignores the settings of the workspace. */
export function userSetting<T>(key: string): T | undefined {
  return vscode.workspace.getConfiguration('kedge').inspect<T>(key)?.globalValue;
}

/** Returns the value that applies without the workspace's settings, and the value that applies with them. */
function withAndWithoutWorkspace(key: string): unknown[] {
  const { globalValue, defaultValue } = vscode.workspace.getConfiguration('kedge').inspect(key) ?? {};
  return [globalValue ?? defaultValue, read<unknown>(key, undefined)];
}

/** Writes to the workspace's settings if they contain the setting, because they override the user's settings. */
async function write(key: string, value: string | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('kedge');
  const { workspaceValue } = configuration.inspect(key) ?? {};
  const target = workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
  await configuration.update(key, value, target);
}
