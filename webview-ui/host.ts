/** The one door to the extension host. */
import type { ToHost } from '../src/protocol/panel.ts';

/** What survives a reload of the panel: the draft and the prompts that arrow-up recalls. */
export type Saved = { draft: string; history: string[] };

declare function acquireVsCodeApi(): {
  postMessage(message: ToHost): void;
  getState(): Partial<Saved> | undefined;
  setState(state: Saved): void;
};

const api = acquireVsCodeApi();

export function post(message: ToHost): void {
  api.postMessage(message);
}

export function saved(): Saved {
  return { draft: '', history: [], ...api.getState() };
}

export function save(state: Saved): void {
  api.setState(state);
}
