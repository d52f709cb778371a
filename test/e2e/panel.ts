// Drives the panel by keyboard and mouse.
import type { Frame, Locator } from 'playwright-core';

/** The element with the conversation. The panel repeats some of its text in another element for screen readers. */
export function conversation(panel: Frame): Locator {
  return panel.getByRole('log', { name: 'Conversation' });
}

/** Begins a new session in Ask mode after another session. */
export async function newSession(panel: Frame): Promise<void> {
  const runs = conversation(panel).locator('> *');
  if (await runs.count()) await panel.getByRole('button', { name: 'New session' }).click();
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
