/** Kedge's status bar item. It exists from activation on. attention.ts, which is loaded with the first run, updates it. */
import * as vscode from 'vscode';
import type { SessionStatus } from './session-status.ts';

/** The content of the status bar item: the most urgent status of all sessions, and the session that a click opens. */
export type Shown = { status: SessionStatus; sessionId?: string };

const IDLE = { text: '$(milestone) Kedge', tooltip: 'Open Kedge' };

export class StatusItem implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  #current = '';

  constructor() {
    this.#item = vscode.window.createStatusBarItem('kedge.status', vscode.StatusBarAlignment.Right, 100);
    this.#item.name = 'Kedge';
    this.show({ status: { kind: 'idle' } });
    this.#item.show();
  }

  show(shown: Shown): void {
    const { status, sessionId } = shown;
    const key = JSON.stringify(shown);
    if (key === this.#current) return;
    this.#current = key;
    const { text, tooltip } = status.kind === 'idle' ? IDLE : labelOf(status);
    const { kind } = status;
    const color = kind === 'waiting' ? 'warning' : kind === 'failed' ? 'error' : undefined;
    Object.assign(this.#item, {
      text,
      tooltip,
      backgroundColor: color && new vscode.ThemeColor(`statusBarItem.${color}Background`),
      accessibilityInformation: { label: `Kedge: ${status.kind === 'idle' ? 'no run' : tooltip}`, role: 'button' },
      command:
        sessionId === undefined ? 'kedge.openPanel' : { command: 'kedge.showInPanel', title: 'Show in Kedge', arguments: [sessionId] },
    });
  }

  dispose(): void {
    this.#item.dispose();
  }
}

/** The longest step that the item shows. The tooltip contains the complete text. */
const MAX_STEP = 32;

function labelOf({ kind, text }: Exclude<SessionStatus, { kind: 'idle' }>): { text: string; tooltip: string } {
  // `$(name)` would be shown as an icon.
  const words = (text.length <= MAX_STEP ? text : `${text.slice(0, MAX_STEP - 1)}…`).replaceAll('$(', '$\u200b(');
  switch (kind) {
    case 'running':
      return { text: `$(loading~spin) Kedge: ${words}`, tooltip: `Running: ${text}` };
    case 'waiting':
      return { text: '$(bell-dot) Kedge: Waiting for you', tooltip: `Waiting for you: ${text}` };
    case 'failed':
      return { text: '$(error) Kedge: Failed', tooltip: `The run failed: ${text}` };
    case 'done':
      return { text: '$(check) Kedge: Done', tooltip: text };
  }
}
