/** The models of the sessions in the panel. A session keeps the models that it has used, even if another session chooses other models. */
import type * as vscode from 'vscode';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { Mode } from '../../../core/session/events.ts';

const KEY = 'kedge.sessionModels';
const MAX_SESSIONS = 100;

type Used = Partial<Record<Mode, ModelRef>>;

export class SessionModels {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Returns undefined for a mode that the session has not used, to which the settings apply. */
  modelOf(sessionId: string, mode: Mode): ModelRef | undefined {
    return this.#all()[sessionId]?.[mode];
  }

  async keep(sessionId: string, mode: Mode, model: ModelRef): Promise<void> {
    const { [sessionId]: used, ...others } = this.#all();
    const newest = Object.entries(others).slice(-MAX_SESSIONS + 1);
    await this.#memory.update(KEY, { ...Object.fromEntries(newest), [sessionId]: { ...used, [mode]: model } });
  }

  /** Makes the settings apply to the session again after the user has changed the model in the settings. */
  async forget(sessionId: string): Promise<void> {
    const { [sessionId]: used, ...others } = this.#all();
    if (used) await this.#memory.update(KEY, others);
  }

  #all(): Record<string, Used> {
    return this.#memory.get(KEY, {});
  }
}
