/** Registers the panel's view. The code behind its webview (panel-view.ts) is loaded when the panel is first shown. */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ToPanel } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';
import type { Proposals } from '../review-proposals.ts';
import type { PanelView } from './panel-view.ts';

const VIEW_ID = 'kedge.panel';

export class Panel implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #proposals: Proposals;
  readonly #registration: vscode.Disposable;
  /** Messages for a webview that is not ready yet. */
  readonly #queue: ToPanel[] = [];
  readonly #visibility = new vscode.EventEmitter<void>();
  readonly onDidChangeVisibility = this.#visibility.event;
  #view: Promise<PanelView> | undefined;
  #webviewView: vscode.WebviewView | undefined;
  #badge: vscode.ViewBadge | undefined;

  constructor(kedge: Kedge, proposals: Proposals) {
    this.#kedge = kedge;
    this.#proposals = proposals;
    this.#registration = vscode.window.registerWebviewViewProvider(VIEW_ID, this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    const { extensionUri } = this.#kedge.context;
    const loadedView = this.#load(webview);
    this.#view = loadedView;
    this.#webviewView = view;
    view.badge = this.#badge;
    view.onDidChangeVisibility(() => this.#visibility.fire());
    this.#visibility.fire();
    // The listener is added immediately, so that no message is lost while the view is still loading.
    webview.onDidReceiveMessage(async (message) => (await loadedView).receive(message));
    view.onDidDispose(async () => {
      if (this.#view === loadedView) this.#view = this.#webviewView = undefined;
      (await loadedView).dispose();
    });
    webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist')] };
    webview.html = html(webview, extensionUri);
  }

  async #load(webview: vscode.Webview): Promise<PanelView> {
    const { PanelView } = await import('./panel-view.ts');
    return new PanelView({ kedge: this.#kedge, proposals: this.#proposals, webview, queue: this.#queue, isShown: () => this.isVisible });
  }

  get isVisible(): boolean {
    return this.#webviewView?.visible === true;
  }

  /** Shows a number on the icon of the view, if it is not 0. */
  setBadge(value: number, tooltip: string): void {
    if (value === (this.#badge?.value ?? 0) && tooltip === (this.#badge?.tooltip ?? '')) return;
    this.#badge = value > 0 ? { value, tooltip } : undefined;
    if (this.#webviewView) this.#webviewView.badge = this.#badge;
  }

  /** Shows a progress bar in the view until the promise `work` settles. */
  async withProgress(work: Promise<void>): Promise<void> {
    await vscode.window.withProgress({ location: { viewId: VIEW_ID } }, () => work);
  }

  /** Shows the panel, and sends it a message. */
  async reveal(message?: ToPanel): Promise<void> {
    if (message) this.#queue.push(message);
    (await this.#view)?.sendQueued();
    await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
    // VS Code focuses the frame around the panel, which takes the focus from the panel's own frame if that got it first.
    this.#queue.push({ type: 'take_focus' });
    (await this.#view)?.sendQueued();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#visibility.dispose();
    void this.#view?.then((view) => view.dispose());
  }
}

function html(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', name));
  const { cspSource } = webview;
  // Otherwise, the browser would request these modules only after it has read panel.js.
  const shared = readdirSync(join(extensionUri.fsPath, 'dist')).filter((name) => /^panel-chunk-.*\.js$/.test(name));
  const preloads = shared.map((name) => `<link rel="modulepreload" nonce="${nonce}" href="${file(name)}">`);
  // The only images are pasted by the user and shown as data URLs. The policy blocks all other sources.
  const policy = `default-src 'none'; style-src ${cspSource}; font-src ${cspSource}; img-src data:; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('panel.css')}">
${preloads.join('\n')}
<title>Kedge</title>
</head>
<body>
<div id="kedge-panel"></div>
<script type="module" nonce="${nonce}" src="${file('panel.js')}"></script>
</body>
</html>`;
}
