/** All communication of the panel with the extension host. */
import type { Mention, ToHost } from '../src/protocol/panel.ts';
import type { RejectedHunks } from './hunk-choice.ts';

/**
 * The state that survives a reload of the panel: the draft with its mentions, the prompts that the arrow keys recall, and the hunks that the
 * user has rejected in open approvals.
 */
export type SavedState = {
  draft: string;
  mentions: readonly Mention[];
  history: string[];
  rejected: Readonly<Record<string, RejectedHunks>>;
};

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
  return { draft: '', mentions: [], history: [], rejected: {}, ...api.getState() };
}

export function saveState(state: Partial<SavedState>): void {
  api.setState({ ...loadState(), ...state });
}
