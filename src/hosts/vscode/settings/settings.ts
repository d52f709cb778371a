import * as vscode from 'vscode';
import { DEFAULT_LIMITS } from '../../../app/limits.ts';
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
  /** The model in use. A setting that names none falls back to Offline, and `modelProblem` says why. */
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

  /** Whether the mode has a model of its own. */
  hasOwnModel(mode: Mode): boolean {
    return read<string>(`modelFor.${mode}`, '').trim() !== '';
  }

  /** For one mode, or for all. */
  async setModel(model: ModelRef, mode?: Mode): Promise<void> {
    if (mode) return write(`modelFor.${mode}`, modelText(model));
    await write('model', modelText(model));
    for (const each of MODES) if (this.hasOwnModel(each)) await write(`modelFor.${each}`, undefined);
  }

  /** Of the user. A workspace may only lower them: what a run costs is the user's to say. */
  limits(mode: Mode): Limits {
    const key = `limits.${mode}`;
    const own = overlaid(DEFAULT_LIMITS[mode], ofUser(key), (_, value) => value);
    return overlaid(own, read(key, {}), Math.min);
  }

  /** Of the user too: a workspace may only lower them, or ask for a longer cool-down. */
  budgets(): Budgets & { run: RunBudget } {
    const lower = <T extends object>(key: string, kinds: readonly (keyof T & string)[]) =>
      lowest(kinds, ofUser<T>(key), read<Partial<T>>(key, {})) as T;
    const runsPerMinute = Math.min(...both('budget.runsPerMinute').map(orNone));
    const cooldownSeconds = Math.max(...both('budget.cooldownSeconds').map(orZero));
    return {
      run: lower<RunBudget>('budget.run', ['tokens', 'usd']),
      day: lower<DayBudget>('budget.day', ['runs', 'turns', 'calls', 'tokens', 'usd', 'minutes']),
      ...(Number.isFinite(runsPerMinute) && { runsPerMinute }),
      ...(cooldownSeconds > 0 && { cooldownSeconds }),
    };
  }

  /** Shares of free memory, in percent. */
  pressure(): PressureThresholds {
    const set = valid('memoryPressure', isThresholds);
    return {
      moderatePercent: set?.moderatePercent ?? DEFAULT_THRESHOLDS.moderatePercent,
      criticalPercent: set?.criticalPercent ?? DEFAULT_THRESHOLDS.criticalPercent,
    };
  }

  /** A workspace can ask for it; it cannot do without it where the user asks. */
  requirePlan(): boolean {
    const { globalValue, workspaceValue, workspaceFolderValue } =
      vscode.workspace.getConfiguration('kedge').inspect<boolean>('requirePlanApproval') ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].includes(true);
  }

  tuning(model: ModelRef, facts: ModelFacts = {}): Tuning {
    const temperature = valid('temperature', isBetween(0, 2));
    const wanted = valid('maxOutputTokens', isCount);
    const maxOutputTokens = wanted && Math.min(wanted, facts.maxOutput ?? wanted);
    const reasoningEffort = facts.reasoning === false ? undefined : valid('reasoningEffort', isOneOf('low', 'medium', 'high'));
    const contextWindow = this.facts[modelText(model)]?.contextWindow;
    return {
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
      ...(contextWindow !== undefined && { contextWindow }),
    };
  }

  /** What the user says about models, by provider and model. What is no fact is left out. */
  get facts(): Record<string, ModelFacts> {
    const set = Object.entries(read<Record<string, unknown>>('models', {}));
    return Object.fromEntries(set.flatMap(([name, value]) => (isFacts(value) ? [[name, value]] : [])));
  }

  /** Addresses that the user gave, by provider. */
  get baseUrls(): Readonly<Record<string, string>> {
    const set = Object.entries(ofUser<Record<string, unknown>>('baseUrls') ?? {});
    return Object.fromEntries(set.flatMap(([provider, url]) => (isText(url) && url.trim() ? [[provider, url.trim()]] : [])));
  }

  /** Where a provider is reached, and with which headers. A workspace has no say in it: its key would go there. */
  server(provider: string): Pick<ProviderConfig, 'baseUrl' | 'headers' | 'silenceMs'> {
    const baseUrl = this.baseUrls[provider];
    const headers = ofUser<Record<string, unknown>>('headers')?.[provider];
    const seconds = ofUser<unknown>('serverTimeout');
    return {
      ...(baseUrl && { baseUrl }),
      ...(isTexts(headers) && { headers }),
      ...(isTimeout(seconds) && { silenceMs: seconds * 1000 }),
    };
  }

  /** Which variables commands get besides the usual, and which they do not. A workspace has no say in it. */
  environment(): EnvironmentRules {
    const names = (key: string) => {
      const set = ofUser<unknown>(`commands.${key}`);
      return Array.isArray(set) ? set.filter(isText) : [];
    };
    return { pass: names('passEnvironment'), withhold: names('withholdEnvironment') };
  }

  async setBaseUrl(provider: string, url: string | undefined): Promise<void> {
    const { [provider]: before, ...others } = ofUser<Record<string, string>>('baseUrls') ?? {};
    if (before === url) return;
    await vscode.workspace
      .getConfiguration('kedge')
      .update('baseUrls', url === undefined ? others : { ...others, [provider]: url }, vscode.ConfigurationTarget.Global);
  }
}

/** Keys live in VS Code's secret storage and nowhere else. */
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
    ...(Object.keys(headers).length > 0 && { headers: filledHeaders(headers, apiKey) }),
  };
}

/** Node itself gives up after 300 seconds. */
const isTimeout = isBetween(5, 290);
const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;
const orNone = (value: unknown): number => (isAmount(value) ? value : Number.POSITIVE_INFINITY);
const orZero = (value: unknown): number => (isAmount(value) ? value : 0);

/** Of each kind the lowest amount that somebody set. */
function lowest<Kind extends string>(
  kinds: readonly Kind[],
  ...sets: (Partial<Record<Kind, unknown>> | undefined)[]
): Partial<Record<Kind, number>> {
  const found: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) {
    const amount = Math.min(...sets.map((set) => orNone(set?.[kind])));
    if (Number.isFinite(amount)) found[kind] = amount;
  }
  return found;
}

function overlaid(limits: Limits, set: Partial<Limits> | undefined, choose: (known: number, value: number) => number): Limits {
  const result = { ...limits };
  for (const key of Object.keys(limits) as (keyof Limits)[]) {
    const value = set?.[key];
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) result[key] = choose(limits[key], value);
  }
  return result;
}

function read<T>(key: string, fallback: T): T {
  return vscode.workspace.getConfiguration('kedge').get<T>(key) ?? fallback;
}

/** undefined where it is not what it has to be. */
function valid<T>(key: string, is: (value: unknown) => value is T): T | undefined {
  const value = read<unknown>(key, undefined);
  return is(value) ? value : undefined;
}

/** The user's own value, whatever a workspace says. */
export function ofUser<T>(key: string): T | undefined {
  return vscode.workspace.getConfiguration('kedge').inspect<T>(key)?.globalValue;
}

/** What counts without a workspace, and with it. */
function both(key: string): unknown[] {
  const { globalValue, defaultValue } = vscode.workspace.getConfiguration('kedge').inspect(key) ?? {};
  return [globalValue ?? defaultValue, read<unknown>(key, undefined)];
}

/** Where a workspace sets the value, it is changed there: elsewhere the change would show nowhere. */
async function write(key: string, value: string | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('kedge');
  const { workspaceValue } = configuration.inspect(key) ?? {};
  const target = workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
  await configuration.update(key, value, target);
}
