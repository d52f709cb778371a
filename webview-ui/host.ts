/** All communication of the panel with the extension host. */
import type { Mention, ToHost } from '../src/protocol/panel.ts';

/** The state that survives a reload of the panel: the draft with its mentions, and the prompts that the arrow keys recall. */
export type SavedState = { draft: string; mentions: readonly Mention[]; history: string[] };

declare function acquireVsCodeApi(): {
  postMessage(message: ToHost): void;
  getState(): Partial<SavedState> | undefined;
  setState(state: SavedState): void;
};

const api = acquireVsCodeApi();

export function post(message: ToHost): void {
  api.postMessage(message);
}

export function loadState(): SavedState {
  return { draft: '', mentions: [], history: [], ...api.getState() };
}

export function saveState(state: SavedState): void {
  api.setState(state);
}
