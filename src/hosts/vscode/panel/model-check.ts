/**
 * Checks whether the server of a model can be reached: when the panel is shown, and again after a run has failed. The first check only opens a
 * connection and sends nothing, because the user may not use the model at all. After a failure, the list of models is requested from the
 * server.
 */
import { connect } from 'node:net';
import type { ModelRef } from '../../../core/model/messages.ts';
import { ModelError } from '../../../core/model/model.ts';
import type { RunError } from '../../../core/session/events.ts';
import { type CatalogEntry, completeConfig, EDITOR } from '../../../providers/catalog.ts';
import type { ProviderConfig } from '../../../providers/types.ts';
import type { Kedge } from '../kedge.ts';

/** `problem` is a sentence for the user. `isRefused` is set if the server answers but refuses the key. */
export type CheckResult = { answers: true } | { answers: false; problem: string; isRefused?: true };

type Sources = Pick<Kedge, 'models'>;
type Parts = { isShown(): boolean; onResult(): void; timeoutMs?: number };

/** How long a server may take to answer. */
const CHECK_MS = 5_000;

export class ModelCheck {
  readonly #kedge: Sources;
  readonly #parts: Parts;
  readonly #timeoutMs: number;
  /** The results by model and configuration, so that a new key or address is checked again. */
  readonly #results = new Map<string, CheckResult>();
  readonly #checking = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(kedge: Sources, parts: Parts) {
    this.#kedge = kedge;
    this.#parts = parts;
    this.#timeoutMs = parts.timeoutMs ?? CHECK_MS;
  }

  /** Returns true if the last run of the model with this configuration has failed. */
  hasFailed(ref: ModelRef, config: ProviderConfig): boolean {
    return this.#failed.has(keyOf(ref, config));
  }

  /** Returns the last result, or undefined while the first check is in progress. */
  resultOf(ref: ModelRef, config: ProviderConfig, entry?: CatalogEntry): CheckResult | undefined {
    const key = keyOf(ref, config);
    const result = this.#results.get(key);
    if (!result) void this.#check(key, ref, config, entry);
    return result;
  }

  /** Checks again. The last result is used until there is a new one. */
  async again(ref: ModelRef, entry?: CatalogEntry): Promise<void> {
    const config = ref.provider === EDITOR ? {} : await this.#kedge.models.configOf(ref.provider);
    const key = keyOf(ref, config);
    if (this.#results.has(key)) await this.#check(key, ref, config, entry);
  }

  /** Records how a run of the model has ended. A failure that the server did not cause is ignored. */
  async ended(ref: ModelRef, error: RunError | undefined): Promise<void> {
    const config = ref.provider === EDITOR ? {} : await this.#kedge.models.configOf(ref.provider);
    const key = keyOf(ref, config);
    const isOfServer = error && ['auth', 'network', 'timeout', 'unknown_model', 'no_credit'].includes(error.kind);
    if (isOfServer) {
      this.#failed.add(key);
      this.#results.set(key, { answers: false, problem: error.message, ...(error.kind === 'auth' && { isRefused: true }) });
    } else if (!error) {
      this.#failed.delete(key);
      this.#results.set(key, { answers: true });
    }
    this.#parts.onResult();
  }

  async #check(key: string, ref: ModelRef, config: ProviderConfig, entry: CatalogEntry | undefined): Promise<void> {
    if (this.#checking.has(key) || !this.#parts.isShown()) return;
    this.#checking.add(key);
    const ask = () => {
      if (ref.provider === EDITOR) return this.#askEditor(ref);
      return this.#failed.has(key) ? this.#askServer(ref, config, entry) : this.#reach(ref, config, entry);
    };
    const result = await ask().finally(() => this.#checking.delete(key));
    if (result.answers) this.#failed.delete(key);
    this.#results.set(key, result);
    this.#parts.onResult();
  }

  /**
   * Returns true if a connection can be opened. A server on another computer may only be reachable through a proxy. If no connection can be
   * opened, a request is sent to it.
   */
  async #reach(ref: ModelRef, config: ProviderConfig, entry: CatalogEntry | undefined): Promise<CheckResult> {
    const { baseUrl = '' } = entry ? completeConfig(entry, config) : config;
    if (!URL.canParse(baseUrl)) return { answers: true };
    if (await canConnect(new URL(baseUrl), this.#timeoutMs)) return { answers: true };
    return entry?.local ? silentServer(entry.label, baseUrl) : this.#askServer(ref, config, entry);
  }

  /** Requests the list of models. An error response also shows that the server answers, because many proxies do not list models. */
  async #askServer(ref: ModelRef, config: ProviderConfig, entry: CatalogEntry | undefined): Promise<CheckResult> {
    const { listModels } = await import('../../../app/models/models.ts');
    try {
      const models = await listModels(ref.provider, config, AbortSignal.timeout(this.#timeoutMs));
      const isMissing = ref.provider === 'ollama' && !models.some(({ id }) => id === ref.model || id === `${ref.model}:latest`);
      return isMissing
        ? { answers: false, problem: `Ollama does not have ${ref.model}. Run \`ollama pull ${ref.model}\`, or choose another model.` }
        : { answers: true };
    } catch (error) {
      const kind = error instanceof ModelError ? error.kind : 'network';
      if (kind === 'auth') return { answers: false, problem: (error as Error).message, isRefused: true };
      if (kind !== 'network' && kind !== 'timeout') return { answers: true };
      const { baseUrl = '' } = entry ? completeConfig(entry, config) : config;
      return silentServer(entry?.label ?? ref.provider, baseUrl);
    }
  }

  async #askEditor({ model }: ModelRef): Promise<CheckResult> {
    const { isEditorModel } = await import('../models/lm-adapter.ts');
    return (await isEditorModel(model, this.#kedge.models.picked))
      ? { answers: true }
      : {
          answers: false,
          problem: `VS Code offers no model ${model}. Check that you are signed in to its extension, or choose another model.`,
        };
  }
}

function silentServer(label: string, baseUrl: string): CheckResult {
  const where = URL.canParse(baseUrl) ? ` at ${new URL(baseUrl).host}` : '';
  return { answers: false, problem: `${label}${where} does not answer. Check that it is running.` };
}

function canConnect({ hostname, port, protocol }: URL, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), timeout: timeoutMs });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

function keyOf(ref: ModelRef, config: ProviderConfig): string {
  return JSON.stringify([ref, config]);
}
