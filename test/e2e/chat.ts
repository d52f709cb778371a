// VS Code's own Chat view, by keyboard and mouse.
import type { Locator, Page } from 'playwright-core';
import { until } from '../support/until.ts';

export class Chat {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get input(): Locator {
    return this.page.locator('.chat-input-container .interactive-input-editor .monaco-editor');
  }

  get requests(): Locator {
    return this.page.locator('.interactive-request');
  }

  /** The newest answer. */
  get response(): Locator {
    return this.page.locator('.interactive-response.chat-most-recent-response');
  }

  /** Buttons of all answers that can be pressed. Those of a chat that was restored after a reload are disabled. */
  get buttons(): Locator {
    return this.page.locator('.interactive-response .chat-command-button .monaco-button:not(.disabled)');
  }

  async focus(): Promise<void> {
    // The view hides behind the panel's tab, or the side bar is closed; the shortcut would close it when it is open.
    if (!(await this.input.isVisible())) await this.page.keyboard.press('Control+Alt+i');
    // Not by a click: a notification may lie over it.
    await this.input.locator('[role=textbox]').focus();
  }

  /** Begins a new conversation. */
  async clear(): Promise<void> {
    await this.focus();
    // Of an empty conversation nothing tells when a new one has taken its place: a message could still be sent to the old one.
    if ((await this.requests.count()) === 0) return;
    await this.page
      .getByRole('button', { name: /^New Chat/ })
      .first()
      .click();
    await this.requests.first().waitFor({ state: 'hidden' });
  }

  /**
   * Sends a message; '@kedge ' at its beginning addresses the participant. Where nobody is addressed, the participant of the last
   * message is, who stays in the input.
   */
  async send(text: string): Promise<void> {
    await this.focus();
    const participant = /^@\w+ /.exec(text)?.[0];
    if (participant) await this.#address(participant);
    // A message to nobody would go to VS Code's own assistant, and that opens a dialog to sign in.
    else await this.#addressed.waitFor();
    // Inserted at once, so that no suggestion opens that Enter would take.
    await this.page.keyboard.insertText(text.slice(participant?.length ?? 0));
    await until('the message to be typed', async () => (await this.#typed()) !== '');
    await this.page.keyboard.press('Enter');
    await until('the message to be sent', async () => (await this.#typed()) === '');
  }

  /** The participant in the input, once VS Code has recognised it. */
  get #addressed(): Locator {
    return this.input.locator('[class*="ced-chat-session-text"]').first();
  }

  /** An extension that is still being activated is not recognised yet, and only a change of the text makes VS Code look again. */
  async #address(participant: string): Promise<void> {
    // Before it knows of a model, VS Code asks to sign in, too.
    await this.page.locator('.model-picker-name .codicon-chat-model-provider-generic-compact').waitFor();
    await until(`the participant ${participant}`, async () => {
      await this.page.keyboard.press('ControlOrMeta+a');
      await this.page.keyboard.press('Delete');
      await this.page.keyboard.insertText(participant);
      return this.#addressed.waitFor({ timeout: 400 }).then(() => true);
    });
  }

  /** What the input holds besides a participant, who may stay there after sending. */
  async #typed(): Promise<string> {
    const lines = await this.input.locator('.view-line').allTextContents();
    return lines
      .join('\n')
      .replaceAll('\u00a0', ' ')
      .replace(/^\s*@\w+/, '')
      .trim();
  }

  /** Waits until the newest answer is complete; resolves to its text. */
  async finished(): Promise<string> {
    await this.response.and(this.page.locator(':not(.chat-response-loading)')).waitFor();
    return this.lastResponseText();
  }

  /** Waits for a text in the newest answer. */
  async waitForAnswer(text: string | RegExp): Promise<void> {
    await this.response.locator('.value').filter({ hasText: text }).waitFor();
  }

  /** What the newest answer says, without progress and buttons. */
  async lastResponseText(): Promise<string> {
    return (await this.response.locator('.value .chat-markdown-part').allInnerTexts()).join('\n').trim();
  }

  async clickButton(label: string | RegExp): Promise<void> {
    await this.buttons.filter({ hasText: label }).last().click();
  }
}
