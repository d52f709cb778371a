import * as vscode from 'vscode';
import type { Settings } from '../../app/assistant.ts';
import type { Limits, Mode } from '../../core/events.ts';
import type { ModelRef } from '../../core/messages.ts';
import { parseModelRef } from '../../providers/catalog.ts';
import type { ProviderConfig } from '../../providers/types.ts';

export const DEFAULT_LIMITS: Record<Mode, Limits> = {
  ask: { turns: 15, callsPerTurn: 16, callsPerRun: 100, minutes: 10 },
  plan: { turns: 20, callsPerTurn: 16, callsPerRun: 150, minutes: 15 },
  agent: { turns: 60, callsPerTurn: 32, callsPerRun: 500, minutes: 60 },
};

export class VsCodeSettings implements Settings {
  /** The model in use. A setting that names none falls back to Offline, and `modelProblem` says why. */
  model(): ModelRef {
    try {
      return parseModelRef(this.modelText);
    } catch {
      return parseModelRef('offline');
    }
  }

  get modelText(): string {
    return read<string>('model', 'offline').trim() || 'offline';
  }

  get modelProblem(): string | undefined {
    try {
      parseModelRef(this.modelText);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  limits(mode: Mode): Limits {
    const set = read<Partial<Limits>>(`limits.${mode}`, {});
    const limits = { ...DEFAULT_LIMITS[mode] };
    for (const key of Object.keys(limits) as (keyof Limits)[]) {
      const value = set[key];
      if (typeof value === 'number' && Number.isFinite(value) && value > 0) limits[key] = value;
    }
    return limits;
  }

  async setModel(model: ModelRef): Promise<void> {
    const text = model.provider === model.model ? model.provider : `${model.provider}/${model.model}`;
    await vscode.workspace.getConfiguration('kedge').update('model', text, vscode.ConfigurationTarget.Global);
  }

  baseUrl(provider: string): string | undefined {
    return read<string>(`${provider}.baseUrl`, '').trim() || undefined;
  }

  async setBaseUrl(provider: string, url: string | undefined): Promise<void> {
    await vscode.workspace.getConfiguration('kedge').update(`${provider}.baseUrl`, url, vscode.ConfigurationTarget.Global);
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

  async set(provider: string, key: string): Promise<void> {
    await this.#secrets.store(`kedge.key.${provider}`, key);
  }

  onChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(listener);
  }
}

export async function providerConfig(provider: string, settings: VsCodeSettings, keys: Keys): Promise<ProviderConfig> {
  const baseUrl = settings.baseUrl(provider);
  const apiKey = await keys.get(provider);
  return { ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }) };
}

function read<T>(key: string, fallback: T): T {
  return vscode.workspace.getConfiguration('kedge').get<T>(key) ?? fallback;
}
