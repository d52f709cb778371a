import type { Frame } from 'playwright-core';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';
import { contents } from './workspace.ts';

const filler = Array.from({ length: 20 }, (_, index) => `// ${index}`).join('\n');
const lamp = (first: string, second: string) => `export const ${first} = 1;\n${filler}\nexport const bright = ${second} + 1;\n`;
const FILES = { 'src/lamp.ts': lamp('lampLevel', 'lampLevel') };

describe('the review of a change', () => {
  let workbench: Workbench;
  let panel: Frame;

  const begin = sharedWorkbench(() => ({ files: FILES }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const button = (name: string) => panel.getByRole('button', { name, exact: true });
  const lampIs = (text: string, what: string) =>
    until(what, async () => (await contents(workbench.folder, Object.keys(FILES)))['src/lamp.ts'] === text);

  it('applies a part of a proposal as the user edited it, undoes an applied hunk, and restores everything', async () => {
    await choose(panel, 'Agent');
    await send(panel, 'Rename lampLevel to lightLevel in src/**');
    await panel.getByRole('checkbox', { name: 'Hunk 2 of 2 in src/lamp.ts, accepted' }).uncheck();
    await button('Apply 1 of 2 hunks').waitFor();
    await workbench.screenshot('review-hunks');
    await panel.getByRole('checkbox', { name: 'Hunk 2 of 2 in src/lamp.ts, rejected' }).check();

    await button('Edit the proposal for src/lamp.ts').click();
    const proposal = workbench.page.locator('.diff-editor .editor.modified, .monaco-diff-editor .editor.modified').first();
    await proposal.locator('.view-line').filter({ hasText: 'lightLevel' }).first().click();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('let mine;\n');
    await workbench.page.keyboard.press('Control+s');
    await conversation(panel).getByText('edited by you').waitFor();
    await workbench.screenshot('review-edited');
    await button('Apply as edited').click();
    await lampIs(`let mine;\n${lamp('lightLevel', 'lightLevel')}`, 'what was edited');

    await button('Remaining changes in src/lamp.ts').click();
    await button('Undo hunk 2 of 2 in src/lamp.ts').click();
    await lampIs(`let mine;\n${lamp('lightLevel', 'lampLevel')}`, 'the undo of one hunk');
    // Kedge begins no other undo before the panel shows the end of this undo.
    await button('Undo hunk 2 of 2 in src/lamp.ts').waitFor({ state: 'detached' });
    await workbench.screenshot('review-hunk-undone');

    await panel.getByRole('button', { name: 'Restore the files to their state before this prompt' }).click();
    await lampIs(FILES['src/lamp.ts'], 'the restore');
    await button('Undo restore').click();
    await lampIs(`let mine;\n${lamp('lightLevel', 'lampLevel')}`, 'the undo of the restore');
    await button('Restore again').waitFor();
    await workbench.screenshot('review-restored');
  });
});
