// Drives VS Code's own Chat view by keyboard and mouse.
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

  /** The element of the newest answer. */
  get response(): Locator {
    return this.page.locator('.interactive-response.chat-most-recent-response');
  }

  /** The enabled buttons of all answers. The buttons of a chat that was restored after a reload are disabled. */
  get buttons(): Locator {
    return this.page.locator('.interactive-response .chat-command-button .monaco-button:not(.disabled)');
  }

  /** The links with this text in all answers. */
  link(text: string): Locator {
    return this.page.locator('.interactive-response a').filter({ hasText: text });
  }

  async focus(): Promise<void> {
    // The shortcut is pressed only if the view is hidden, because it would close a visible view.
    if (!(await this.input.isVisible())) await this.page.keyboard.press('Control+Alt+i');
    // The input is focused without a click, because a notification may cover it.
    await this.input.locator('[role=textbox]').focus();
  }

  /** Begins a new conversation. */
  async clear(): Promise<void> {
    await this.focus();
    // If the conversation is empty, nothing shows when a new conversation replaces it, and a message could go to the old conversation.
    if ((await this.requests.count()) === 0) return;
    await this.page
      .getByRole('button', { name: /^New Chat/ })
      .first()
      .click();
    await this.requests.first().waitFor({ state: 'hidden' });
  }

  /**
   * Sends a message. '@kedge ' at its beginning addresses the participant. Without an address, the message goes to the participant of the
   * last message, which stays in the input.
   */
  async send(text: string): Promise<void> {
    await this.focus();
    const participant = /^@\w+ /.exec(text)?.[0];
    if (participant) await this.#address(participant);
    // A message without a participant would go to VS Code's own assistant, which opens a dialog to sign in.
    else await this.#addressed.waitFor();
    // The text is inserted in one step, so that no suggestion opens. Enter would accept a suggestion.
    await this.page.keyboard.insertText(text.slice(participant?.length ?? 0));
    await until('the message to be typed', async () => (await this.#typed()) !== '');
    await this.page.keyboard.press('Enter');
    await until('the message to be sent', async () => (await this.#typed()) === '');
  }

  /** The element of the participant in the input. It exists only after VS Code has recognized the participant. */
  get #addressed(): Locator {
    return this.input.locator('[class*="ced-chat-session-text"]').first();
  }

  /**
   * Types the participant until VS Code recognises it. While the extension is activating, VS Code looks again only when the text changes.
   */
  async #address(participant: string): Promise<void> {
    // VS Code also opens the dialog to sign in if it knows no model yet.
    await this.page.locator('.model-picker-name .codicon-chat-model-provider-generic-compact').waitFor();
    await until(`the participant ${participant}`, async () => {
      await this.page.keyboard.press('ControlOrMeta+a');
      await this.page.keyboard.press('Delete');
      await this.page.keyboard.insertText(participant);
      return this.#addressed.waitFor({ timeout: 400 }).then(() => true);
    });
  }

  /** Returns the text in the input without the participant, which may stay in the input after sending. */
  async #typed(): Promise<string> {
    const lines = await this.input.locator('.view-line').allTextContents();
    return lines
      .join('\n')
      .replaceAll('\u00a0', ' ')
      .replace(/^\s*@\w+/, '')
      .trim();
  }

  /** Waits until the newest answer is complete, and resolves to its text. */
  async finished(): Promise<string> {
    await this.response.and(this.page.locator(':not(.chat-response-loading)')).waitFor();
    return this.lastResponseText();
  }

  /** Waits for a text in the newest answer. */
  async waitForAnswer(text: string | RegExp): Promise<void> {
    await this.response.locator('.value').filter({ hasText: text }).waitFor();
  }

  /** Returns the text of the newest answer, without progress and buttons. */
  async lastResponseText(): Promise<string> {
    return (await this.response.locator('.value .chat-markdown-part').allInnerTexts()).join('\n').trim();
  }

  async clickButton(label: string | RegExp): Promise<void> {
    await this.buttons.filter({ hasText: label }).last().click();
  }
}
