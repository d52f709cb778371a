import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';
import { branches, entries, everywhere, manySessions, OTHER, sessionsPage, twoPrompts } from '../../support/session-states.ts';

describe('an earlier prompt in the panel', function () {
  this.timeout(120_000);
  const sessionId = 'session-1';
  const panel = panelPage();
  const posted = async (...types: string[]) => (await panel.posted()).filter(({ type }) => types.includes(type));
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('is edited in its place, with its images and mentions, and the user chooses about the files', async () => {
    const page = await panel.show([host('agent'), session(twoPrompts(), false)]);
    await button(page, 'Edit and send again').first().press('Enter');
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    assert.equal(await field.inputValue(), 'Rename tideAt to heightAt, as in this picture.');
    await page.keyboard.press('Escape');
    assert.equal(await field.count(), 0);
    assert.ok(
      await button(page, 'Edit and send again')
        .first()
        .evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('Enter');
    await button(page, 'Remove src/harbour.ts').press('Enter');
    await field.fill('Rename tideAt to level');
    assert.ok(await page.getByRole('checkbox', { name: 'Restore 2 files' }).isChecked());
    await field.press('Enter');
    const without = { images: [], mentions: [1] };
    assert.deepEqual(await posted('resend', 'stop'), [
      { type: 'resend', sessionId, runId: 'run-1', edited: { text: 'Rename tideAt to level', without }, restore: true },
    ]);
    // The host shows the branch, in which nothing is edited.
    await deliver(page, [{ ...session(new Script().run('agent', 'Rename tideAt to level'), true), sessionId: 'session-2' } as never]);
    assert.equal(await field.count(), 0);
  });

  it('stops the run in progress when it is sent again', async () => {
    const page = await panel.show([host('ask'), session(new Script().run('ask', 'Where is it?').turn(), true)]);
    await button(page, 'Edit and send again').press('Enter');
    await page.keyboard.type(' Look in src.');
    await button(page, 'Stop and send').press('Enter');
    const edited = { text: 'Where is it? Look in src.', without: { images: [], mentions: [] } };
    assert.deepEqual(await posted('resend'), [{ type: 'resend', sessionId, runId: 'run-1', edited, restore: false }]);
  });

  it('is sent again as a command of the input', async () => {
    const page = await panel.show([host('ask'), session(new Script().run('ask', 'Where is it?').turn().finishes(), false)]);
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    const send = async (text: string) => {
      await button(page, 'Edit and send again').press('Enter');
      await field.fill(text);
      await field.press('Enter');
    };
    await send('/undo');
    assert.equal(await field.count(), 0, 'nothing is sent');
    await send('/compact the names');
    assert.equal(await field.count(), 0, 'no branch is shown');
    await send('/plan Move it');
    const without = { images: [], mentions: [] };
    const resend = { type: 'resend', sessionId, runId: 'run-1', restore: false };
    assert.deepEqual(await posted('resend', 'set_mode', 'prompt'), [
      { ...resend, edited: { text: '/compact the names', without } },
      { type: 'set_mode', mode: 'plan' },
      { ...resend, edited: { text: 'Move it', without, mode: 'plan' } },
    ]);
  });

  it('is regenerated, and the conversation branches, after the choice about the files', async () => {
    const page = await panel.show([host('agent', { steps: 'full' }), session(twoPrompts(), false)]);
    assert.equal(await button(page, 'Regenerate').count(), 1, 'only the last answer is regenerated');
    await button(page, 'Regenerate with another model…').press('Enter');
    await button(page, 'Branch from here').first().press('Enter');
    await page.getByRole('button', { name: 'Edit 2 files' }).first().press('Enter');
    await button(page, 'Branch after this step').press('Enter');
    assert.deepEqual(await posted('resend', 'branch'), [
      { type: 'resend', sessionId, runId: 'run-2', restore: false, otherModel: true },
      { type: 'branch', sessionId, runId: 'run-1', restore: false },
      { type: 'branch', sessionId, runId: 'run-1', callId: 'call-1', restore: false },
    ]);
    await deliver(page, [session(new Script(), false)]);
    await deliver(page, [session(changedAfter(twoPrompts()), false)]);
    await button(page, 'Branch from here').nth(1).press('Enter');
    const choice = page.getByRole('region', { name: 'Branch from here' });
    assert.ok(await button(page, 'Restore 1 file').evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Escape');
    assert.equal(await choice.count(), 0);
    await button(page, 'Branch from here').nth(1).press('Enter');
    await button(page, 'Keep the file').press('Enter');
    await button(page, 'Regenerate').press('Enter');
    await button(page, 'Restore 1 file').press('Enter');
    assert.deepEqual((await posted('resend', 'branch', 'stop')).slice(3), [
      { type: 'branch', sessionId, runId: 'run-2', restore: false },
      { type: 'resend', sessionId, runId: 'run-3', restore: true },
    ]);
  });

  it('leads to its other versions, and a branch to where it comes from', async () => {
    const page = await panel.show([host('agent'), session(twoPrompts(), false), branches(1, 'Tide levels')]);
    const versions = page.getByRole('toolbar', { name: 'Versions of this message' });
    assert.equal((await versions.innerText()).replace(/\s/g, ''), 'Version2/of2');
    assert.ok(await button(page, 'Show the later version').isDisabled());
    await button(page, 'Show the earlier version').press('Enter');
    await page.getByRole('button', { name: 'Tide levels' }).press('Enter');
    assert.deepEqual(await posted('show_session'), [
      { type: 'show_session', sessionId: 'session-1' },
      { type: 'show_session', sessionId: 'session-0' },
    ]);
  });

  it('that was imported offers no undo', async () => {
    const page = await panel.show([host('agent'), session(twoPrompts().add({ type: 'session_imported' }), false)]);
    await page.getByText('2 files changed before the import').waitFor();
    for (const name of ['Undo run', 'Undo changes in src/tide.ts', 'Restore the files to their state before this prompt'])
      assert.equal(await button(page, name).count(), 0, name);
    await page.getByRole('textbox', { name: 'Prompt' }).fill('/undo');
    await page.keyboard.press('Enter');
    await page.getByText('No run of this session has changes that could be undone.').waitFor();
  });

  it('of another session that waits is one click away', async () => {
    const page = await panel.show([host('agent'), session(twoPrompts(), false), OTHER]);
    await page.getByText('Another session is waiting for you: Move the harbour lights').waitFor();
    await button(page, 'Show the session that is waiting: Move the harbour lights into a table').press('Enter');
    assert.deepEqual(await posted('show_session'), [{ type: 'show_session', sessionId: 'session-9' }]);
    await deliver(page, [{ type: 'other_waits' }]);
    assert.equal(await page.getByText('Another session is waiting').count(), 0);
  });
});

describe('the sessions in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const list = (page: Page) => page.getByRole('list', { name: 'Sessions' });
  const rows = (page: Page) => list(page).getByRole('listitem');
  const requests = async () =>
    (await panel.posted()).flatMap((each) => (each.type === 'page_request' ? [(each as unknown as { request: object }).request] : []));

  it('are listed with their states, filtered, and found by their titles and texts', async () => {
    const page = await panel.show(sessionsPage());
    await rows(page).nth(6).waitFor();
    assert.match(await rows(page).nth(2).innerText(), /Waiting for you/);
    assert.match(await rows(page).nth(1).innerText(), /Running · .* · current/);
    await page.getByRole('combobox', { name: 'State' }).selectOption('waiting');
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('combobox', { name: 'State' }).selectOption('pinned');
    assert.match(await rows(page).first().innerText(), /Notes for the release/);
    await page.getByRole('combobox', { name: 'State' }).selectOption('all');
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('plan');
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('all');
    await page.getByRole('searchbox').fill('draught');
    await page.getByText('1 session, searching…').waitFor();
    const lines = [{ sessionId: 'paused', line: 'the draught of the quay', from: 'model' as const }];
    const found = { words: 'draught', ids: ['paused'], lines, isComplete: true };
    await deliver(page, [{ type: 'page', name: 'sessions', data: { sessions: entries(), found } }]);
    await page.getByText('2 sessions', { exact: true }).waitFor();
    assert.match(await rows(page).nth(1).innerText(), /the draught of the quay/);
    // Escape empties the search first, and then closes the page.
    await page.getByRole('searchbox').press('Escape');
    assert.equal(await rows(page).count(), 7);
    assert.deepEqual(await requests(), [
      { page: 'sessions', type: 'search_sessions', words: 'draught' },
      { page: 'sessions', type: 'search_sessions', words: '' },
    ]);
    await page.keyboard.press('Escape');
    await list(page).waitFor({ state: 'detached' });
  });

  it('are renamed in place, pinned, deleted with undo, and shown', async () => {
    const page = await panel.show(sessionsPage({ deleted: { id: 'x', title: 'An old idea' } }));
    await page.getByRole('button', { name: 'Rename: Where is draught used?' }).press('Enter');
    await page.keyboard.type('Draught');
    await page.keyboard.press('Enter');
    const row = page.getByRole('button', { name: 'Where is draught used?' }).first();
    assert.ok(await row.evaluate((element) => element === document.activeElement));
    await page.getByRole('button', { name: 'Rename: Plan the new quay' }).press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pin: Plan the new quay' }).press('Enter');
    await page.getByRole('button', { name: 'Unpin: Notes for the release of the tide tables' }).press('Enter');
    await page.getByRole('button', { name: 'Delete: Plan the new quay' }).press('Enter');
    await page.getByRole('button', { name: 'Undo: restore An old idea' }).press('Enter');
    await page.getByRole('button', { name: 'Move the harbour lights into a table' }).first().press('Enter');
    await list(page).waitFor({ state: 'detached' });
    assert.deepEqual(
      (await requests()).filter((each) => (each as { type: string }).type !== 'search_sessions'),
      [
        { page: 'sessions', type: 'rename_session', id: 'failed', title: 'Draught' },
        { page: 'sessions', type: 'pin_session', id: 'paused', pinned: true },
        { page: 'sessions', type: 'pin_session', id: 'pinned', pinned: false },
        { page: 'sessions', type: 'delete_session', id: 'paused' },
        { page: 'sessions', type: 'restore_session', id: 'x' },
        { page: 'sessions', type: 'show_session', id: 'waits' },
      ],
    );
  });

  it('of all workspaces are listed with their folders, and those of another one open there', async () => {
    const page = await panel.show(sessionsPage());
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption('All workspaces');
    await page.getByText('7 sessions, searching…').waitFor();
    await deliver(page, [{ type: 'page', name: 'sessions', data: { sessions: everywhere(), everywhere: true } }]);
    await page.getByText('7 sessions', { exact: true }).waitFor();
    const waiting = rows(page).nth(2);
    assert.match(await waiting.innerText(), /lights · Waiting for you/);
    assert.equal(await waiting.getByRole('button').count(), 1, 'it can only be opened');
    const open = waiting.getByRole('button', { name: /opens in a new window/ });
    assert.match((await open.getAttribute('title')) ?? '', /\n\/home\/kim\/code\/clients\/.*\/lights\n/);
    await page.getByRole('searchbox').fill('lights');
    await page.getByText('Sessions of other workspaces can be found only by title and folder.').waitFor();
    assert.equal(await rows(page).count(), 2);
    await rows(page).first().getByRole('button').press('Enter');
    assert.ok(await list(page).isVisible());
    assert.deepEqual(
      (await requests()).filter((each) => (each as { type: string }).type !== 'search_sessions'),
      [
        { page: 'sessions', type: 'choose_workspaces', everywhere: true },
        { page: 'sessions', type: 'open_elsewhere', id: 'waits', key: 'lights-0123456789ab' },
      ],
    );
  });

  it('are thousands, of which only those in sight are drawn, and the keyboard reaches all', async () => {
    const page = await panel.show(sessionsPage({ sessions: manySessions(1_000) }));
    await page.getByText('1000 sessions', { exact: true }).waitFor();
    assert.ok((await rows(page).count()) < 60);
    await page.getByRole('searchbox').press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row'));
    assert.equal(await focused(), '0');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row') === '999');
    assert.equal(await rows(page).last().getAttribute('aria-setsize'), '1000');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row') === '0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.deepEqual((await requests())[0], { page: 'sessions', type: 'show_session', id: 'session-1' });
  });
});

/** Adds a run that changes a file. */
function changedAfter(script: Script): Script {
  script.run('agent', 'Round it').calls('apply_patch', 'Edit src/round.ts', {}, { effect: 'mutating' });
  return script
    .add({
      type: 'file_changed',
      callId: script.lastCall,
      changes: [{ path: 'src/round.ts', kind: 'edit', added: 1, removed: 1, diff: '' }],
    })
    .returns('apply_patch', 'Updated 1 file.')
    .turn()
    .says('Rounded.')
    .finishes();
}
