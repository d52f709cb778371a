/** Follows what a page does by itself: it writes to the console, and opens dialogs, windows and downloads, none of which is let through. */
import type { ConsoleMessage, Dialog, Page } from 'playwright-core';

const MAX_LINES = 200;
const MAX_LINE = 500;
/** A page that writes more lines, or opens more dialogs and windows, is not listened to or shown any longer. */
const MAX_MESSAGES = 2_000;
const MAX_OPENED = 20;
const MAX_NOTICES = 20;
const MAX_HOSTS = 10_000;

export class PageEvents {
  readonly #page: Page;
  readonly #end: (why: string) => void;
  readonly #lines: string[] = [];
  readonly #notices = new Set<string>();
  /** The hosts from which the page, and not the browser itself, requested something. */
  readonly hosts = new Set<string>();
  #messages = 0;
  #opened = 0;

  /** `end` closes the page. */
  constructor(page: Page, end: (why: string) => void) {
    this.#page = page;
    this.#end = end;
    page.on('console', this.#onConsole);
    page.on('pageerror', (error) => this.#addLine('error', `Uncaught ${error.message}`));
    page.on('dialog', (dialog) => this.#onDialog(dialog));
    page.on('popup', (popup) => this.#onPopup(popup));
    page.on('download', (download) => {
      this.#note(`The page offered a download (${quoted(download.url())}), which was refused.`);
      void download.cancel().catch(() => undefined);
    });
    page.on('filechooser', () => this.#note('The page asked for a file, and got none.'));
    page.on('request', (request) => this.#addHost(request.url()));
    page.on('websocket', (socket) => this.#addHost(socket.url()));
    page.on('crash', () => end('The page crashed, so it was closed.'));
  }

  get lines(): readonly string[] {
    const left = this.#messages - this.#lines.length;
    const more = this.#messages >= MAX_MESSAGES ? ` The page wrote ${MAX_MESSAGES} lines; later ones were not read.` : '';
    return left > 0 ? [`[${left} earlier lines are left out.${more}]`, ...this.#lines] : this.#lines;
  }

  /** Returns what happened since the last call. */
  takeNotices(): string[] {
    const notices = [...this.#notices];
    this.#notices.clear();
    return notices;
  }

  readonly #onConsole = (message: ConsoleMessage): void => {
    this.#addLine(message.type(), message.text());
    if (this.#messages >= MAX_MESSAGES) this.#page.off('console', this.#onConsole);
  };

  #addLine(kind: string, text: string): void {
    if (this.#messages >= MAX_MESSAGES) return;
    this.#messages += 1;
    const short = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
    this.#lines.push(`${kind}: ${short.replace(/\s*\n\s*/g, ' ⏎ ')}`);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  #onDialog(dialog: Dialog): void {
    if (dialog.type() !== 'beforeunload')
      this.#countOpened(`The page showed a dialog (${dialog.type()}: ${quoted(dialog.message())}), which was dismissed.`);
    // Dismissing this dialog would keep the page open.
    void (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  }

  #onPopup(popup: Page): void {
    this.#countOpened(`The page opened a window (${quoted(popup.url())}), which was closed. Open its address if you need it.`);
    void popup.close().catch(() => undefined);
  }

  #countOpened(notice: string): void {
    this.#note(notice);
    this.#opened += 1;
    if (this.#opened > MAX_OPENED) this.#end('The page opened one dialog or window after the other, so it was closed.');
  }

  #note(notice: string): void {
    if (this.#notices.size < MAX_NOTICES) this.#notices.add(notice);
  }

  #addHost(address: string): void {
    if (this.hosts.size >= MAX_HOSTS || address.length > 10_000 || !URL.canParse(address)) return;
    const { protocol, hostname, port } = new URL(address);
    const usual = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }[protocol];
    if (usual) this.hosts.add(`${hostname}:${port || usual}`);
  }
}

/** Quotes text of the page, so that it cannot look like text of Kedge. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
