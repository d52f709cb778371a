// Drives the panel by keyboard and mouse.
import type { Frame, Locator } from 'playwright-core';
import type { Workbench } from './harness.ts';

/** The element with the conversation. The panel repeats some of its text in another element for screen readers. */
export function conversation(panel: Frame): Locator {
  return panel.getByRole('log', { name: 'Conversation' });
}

/** Begins a new session in Ask mode after another session. */
export async function newSession(panel: Frame): Promise<void> {
  // The panel has no session while it is loading.
  await promptBox(panel).waitFor();
  await panel.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' });
  const runs = conversation(panel).locator('> *');
  if (await runs.count()) await send(panel, '/new');
  await runs.first().waitFor({ state: 'detached' });
  await choose(panel, 'Ask');
}

export function promptBox(panel: Frame): Locator {
  return panel.getByRole('textbox', { name: /^Prompt/ });
}

export async function send(panel: Frame, text: string): Promise<void> {
  await promptBox(panel).fill(text);
  await promptBox(panel).press('Enter');
}

export async function choose(panel: Frame, mode: 'Ask' | 'Plan' | 'Agent'): Promise<void> {
  await panel.getByRole('radiogroup', { name: 'Mode' }).getByText(mode, { exact: true }).click();
}

/** Approves an edit, and allows all edits for this run. */
export async function approveInThisRun(panel: Frame): Promise<void> {
  await panel.getByRole('button', { name: 'More approval options' }).click();
  await panel
    .getByRole('group', { name: /edits in this workspace/ })
    .getByRole('button', { name: 'For this run' })
    .click();
}

/** Connects `test-model` for all modes with "Kedge: Connect a Model…": OpenAI at this address, with this key. */
export async function connect(workbench: Workbench, url: string, key: string): Promise<void> {
  const { page } = workbench;
  const input = page.locator('.quick-input-widget:visible .quick-input-box input');
  const title = (text: string) => page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: text }).waitFor();
  await workbench.command('Kedge: Connect a Model…');
  await title('Kedge: Connect a Model');
  await workbench.clickQuickItem('OpenAI');
  await title('OpenAI: key');
  await page.getByRole('button', { name: 'Use another address…' }).click();
  await title('address');
  await input.fill(url);
  await page.keyboard.press('Enter');
  await title('OpenAI: key');
  await input.fill(key);
  await page.keyboard.press('Enter');
  await title('OpenAI: model');
  await workbench.screenshot('connect-model');
  await workbench.clickQuickItem('test-model');
  await title('modes');
  await page.keyboard.press('Enter');
  await page.locator('.notification-list-item-message').filter({ hasText: 'Kedge now uses test-model' }).first().waitFor();
}
