import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import { ToHost, type ToPanel } from '../../../src/protocol/panel.ts';
import { EMPTY, reduce } from '../../../webview-ui/state.ts';
import { adding, choices, mentioned, secret } from '../../support/mention-states.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

const TIDE: MentionRef = { kind: 'file', path: 'src/tide.ts' };
const ENV: MentionRef = { kind: 'file', path: '.env' };

const CHOICES = choices();

const refusal = (id: string | undefined): ToPanel => ({
  type: 'not_sent',
  ...(id !== undefined && { id }),
  level: 'info',
  reason: 'src/tide.ts was not sent: There is no file src/tide.ts.',
});

describe('mentions in the state of the panel', () => {
  it('are kept once, however often and how many at once the host adds', () => {
    const model = [adding(TIDE), adding({ kind: 'problems' }), adding(TIDE)].reduce(reduce, EMPTY);
    assert.deepEqual(model.mentions, [{ ref: TIDE }, { ref: { kind: 'problems' } }]);
  });

  it('are shown with the prompt, from the log', () => {
    const model = reduce(EMPTY, session(mentioned(), false));
    assert.deepEqual(
      model.runs[0]?.mentions?.map(({ kind }) => kind),
      ['file', 'selection', 'folder', 'problems'],
    );
    assert.deepEqual(model.runs[0]?.said, []);
  });

  it('are only accepted by the host in valid messages', () => {
    const accepts = (message: object) => ToHost.safeParse(message).success;
    assert.ok(accepts({ type: 'prompt', text: 'x', mode: 'ask', mentions: [{ ref: TIDE, confirmed: '.env' }] }));
    assert.ok(accepts({ type: 'check_mention', ref: { kind: 'selection', path: 'a', lines: { from: 1, to: 2 } } }));
    assert.ok(!accepts({ type: 'check_mention', ref: { kind: 'command', path: 'rm' } }));
    assert.ok(!accepts({ type: 'check_mention', ref: { kind: 'file', path: 'a', lines: { from: 0, to: 2 } } }));
    assert.ok(!accepts({ type: 'prompt', text: '', mode: 'ask', mentions: [{ ref: TIDE }] }));
  });
});

describe('the composer completes mentions', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const open = () => panel.show([host('ask'), session(new Script(), false)]);
  const box = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });
  const active = (page: Page) =>
    box(page).evaluate((element) => document.getElementById(element.getAttribute('aria-activedescendant') ?? '')?.textContent);
  const found = (page: Page, query: string, choices = CHOICES) => deliver(page, [{ type: 'mentions_found', query, choices }]);

  it('with the keyboard: the text keeps the focus and names the active option', async () => {
    const page = await open();
    await box(page).pressSequentially('Why @ti');
    await found(page, 'ti');
    assert.equal(await page.getByRole('option').count(), CHOICES.length);
    assert.match((await active(page)) ?? '', /^selection/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match((await active(page)) ?? '', /^tide\.ts/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    assert.equal(await box(page).inputValue(), 'Why @src/tide.ts ');
    assert.equal(await page.getByRole('option').count(), 0);
    assert.equal(await box(page).getAttribute('aria-activedescendant'), null);
    assert.deepEqual(
      (await panel.posted()).filter(({ type }) => type === 'check_mention'),
      [{ type: 'check_mention', ref: TIDE }],
    );
    await box(page).pressSequentially('and');
    await page.keyboard.press('Enter');
    assert.equal((await panel.posted()).at(-1)?.type, 'prompt');
  });

  it('with the mouse, in the middle of a text', async () => {
    const page = await open();
    await box(page).fill('See  now');
    await box(page).evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 4));
    await box(page).pressSequentially('@ti');
    await found(page, 'ti');
    await page.getByRole('option', { name: 'tides/' }).click();
    assert.equal(await box(page).inputValue(), 'See @src/tides/ now');
    assert.ok(await box(page).evaluate((element) => element === document.activeElement));
  });

  it('Escape closes the list, and does not stop the run; the list stays closed while the user continues typing', async () => {
    const page = await open();
    await box(page).pressSequentially('@t');
    await found(page, 't');
    await page.keyboard.press('Escape');
    await box(page).pressSequentially('i');
    await found(page, 'ti');
    assert.equal(await page.getByRole('option').count(), 0);
    await page.keyboard.press('Enter');
    assert.deepEqual((await panel.posted()).at(-1), { type: 'prompt', text: '@ti', mode: 'ask', sessionId: 'session-1' });
  });

  it('Enter before the choices arrive chooses the first of them', async () => {
    const page = await open();
    await box(page).pressSequentially('@tide.ts');
    await page.keyboard.press('Enter');
    await found(page, 'tide.ts', CHOICES.slice(2));
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '@src/tide.ts ');
    assert.ok(!(await panel.posted()).some(({ type }) => type === 'prompt'));
  });

  it('Enter still works if the search fails; Escape ends the wait for it, and does not stop the run', async () => {
    const page = await open();
    await box(page).pressSequentially('@anna');
    await page.keyboard.press('Enter');
    await found(page, 'anna', []);
    await page.keyboard.press('Enter');
    assert.equal((await panel.posted()).at(-1)?.type, 'prompt');
    await box(page).pressSequentially('@berta');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await found(page, 'berta', CHOICES.slice(2));
    assert.equal(await box(page).inputValue(), '@berta');
    await page.keyboard.press('Enter');
    assert.equal(((await panel.posted()).at(-1) as { text?: string }).text, '@berta');
  });

  it('a mention without choices is text, and is sent', async () => {
    const page = await open();
    await box(page).pressSequentially('Thanks @anna');
    await found(page, 'anna', []);
    await page.keyboard.press('Enter');
    assert.equal((await panel.posted()).at(-1)?.type, 'prompt');
  });
});

describe('mentions above the input', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const box = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });
  const open = (...mentions: Parameters<typeof adding>[]) =>
    panel.show([host('ask'), session(new Script(), false), ...mentions.map((each) => adding(...each))]);
  const lastPrompt = async () => (await panel.posted()).findLast(({ type }) => type === 'prompt');

  it('are sent with the message, can be removed with the keyboard, and disappear when they are sent', async () => {
    const page = await open([TIDE], [{ kind: 'problems' }], [{ kind: 'folder', path: 'src' }]);
    await page.getByRole('button', { name: 'Remove src/', exact: true }).press('Enter');
    await box(page).focus();
    await page.keyboard.press('Backspace');
    await box(page).pressSequentially('Look');
    await page.keyboard.press('Enter');
    assert.deepEqual(await lastPrompt(), { type: 'prompt', text: 'Look', mode: 'ask', sessionId: 'session-1', mentions: [{ ref: TIDE }] });
    await page.getByRole('list', { name: 'Sent with the message' }).waitFor({ state: 'detached' });
  });

  it('a suggestion is not sent unless it is added', async () => {
    const page = await open();
    await deliver(page, [{ type: 'suggest_mention', ref: TIDE }]);
    assert.equal(await page.getByRole('list', { name: 'Sent with the message' }).count(), 0);
    await box(page).fill('Look');
    await page.keyboard.press('Enter');
    assert.equal(((await lastPrompt()) as { mentions?: unknown }).mentions, undefined);
    await page.getByRole('button', { name: 'Add src/tide.ts to the message' }).click();
    assert.deepEqual((await panel.posted()).at(-1), { type: 'check_mention', ref: TIDE });
    await deliver(page, [adding(TIDE)]);
    assert.equal(await page.getByRole('button', { name: 'Add src/tide.ts to the message' }).count(), 0);
  });

  it('a file that may contain keys is sent only after a confirmation', async () => {
    const page = await open([ENV, secret()]);
    await box(page).fill('Look');
    await page.keyboard.press('Enter');
    assert.equal(await lastPrompt(), undefined);
    assert.ok(await page.getByRole('button', { name: 'Send content of .env' }).evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await box(page).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(((await lastPrompt()) as { mentions?: unknown }).mentions, [{ ref: ENV, confirmed: '.env' }]);
  });

  it('return with the text if the host does not accept the message', async () => {
    const page = await open([TIDE]);
    await box(page).fill('Look');
    await page.keyboard.press('Enter');
    const [id] = await panel.promptIds();
    await deliver(page, [refusal(id)]);
    assert.equal(await box(page).inputValue(), 'Look');
    assert.ok(await page.getByText('There is no file src/tide.ts.').isVisible());
    assert.ok(await page.getByRole('button', { name: 'Remove src/tide.ts' }).isVisible());
  });

  it('return with their own message if another message was sent after it', async () => {
    const page = await open([TIDE]);
    await box(page).fill('First');
    await page.keyboard.press('Enter');
    await box(page).fill('Second');
    await page.keyboard.press('Enter');
    const [first, second = ''] = await panel.promptIds();
    await deliver(page, [{ type: 'sent', id: second }, refusal(first)]);
    assert.equal(await box(page).inputValue(), 'First');
    assert.ok(await page.getByRole('button', { name: 'Remove src/tide.ts' }).isVisible());
  });

  it('return before the text that the user has written in the meantime, and so does each refused message', async () => {
    const page = await open([TIDE]);
    await box(page).fill('First');
    await page.keyboard.press('Enter');
    await deliver(page, [adding({ kind: 'problems' })]);
    await box(page).fill('Second');
    await page.keyboard.press('Enter');
    await box(page).fill('Third');
    await deliver(page, [adding({ kind: 'changes' })]);
    const ids = await panel.promptIds();
    await deliver(page, ids.map(refusal));
    assert.equal(await box(page).inputValue(), 'First\n\nSecond\n\nThird');
    await box(page).pressSequentially('!');
    assert.equal(await box(page).inputValue(), 'First\n\nSecond\n\nThird!');
    for (const name of ['src/tide.ts', 'problems', 'changes'])
      assert.ok(await page.getByRole('button', { name: `Remove ${name}` }).isVisible());
  });

  it('return in the order in which they were sent, also one by one', async () => {
    const page = await open([TIDE]);
    for (const text of ['First', 'Second']) {
      await box(page).fill(text);
      await page.keyboard.press('Enter');
    }
    await box(page).fill('Third');
    const [first, second] = await panel.promptIds();
    await deliver(page, [refusal(first)]);
    assert.equal(await box(page).inputValue(), 'First\n\nThird');
    await box(page).pressSequentially('!');
    await deliver(page, [refusal(second)]);
    await box(page).pressSequentially('!');
    assert.equal(await box(page).inputValue(), 'First\n\nSecond\n\nThird!!');
  });

  it('are shown while they are read, which Escape or Stop ends', async () => {
    const page = await open([TIDE]);
    await box(page).fill('Look');
    await page.keyboard.press('Enter');
    const status = page.getByText('Reading the mentions…');
    await status.waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual((await panel.posted()).slice(-2), [{ type: 'stop' }, { type: 'stop' }]);
    const [id = ''] = await panel.promptIds();
    await deliver(page, [{ type: 'sent', id }]);
    assert.equal(await status.count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0);
  });

  it('stay for the next message if a command only takes text', async () => {
    const page = await open([TIDE]);
    await box(page).fill('/remember Run the tests');
    await page.keyboard.press('Enter');
    assert.deepEqual(await lastPrompt(), { type: 'prompt', text: '/remember Run the tests', mode: 'ask', sessionId: 'session-1' });
    assert.ok(await page.getByRole('button', { name: 'Remove src/tide.ts' }).isVisible());
    await box(page).fill('/init');
    await page.keyboard.press('Enter');
    assert.deepEqual(((await lastPrompt()) as { mentions?: unknown }).mentions, [{ ref: TIDE }]);
  });

  it('are not removed by a repeating Backspace key', async () => {
    const page = await open([TIDE]);
    await box(page).pressSequentially('ab');
    await page.keyboard.down('Backspace');
    for (let index = 0; index < 4; index++) await page.keyboard.down('Backspace');
    await page.keyboard.up('Backspace');
    assert.equal(await box(page).inputValue(), '');
    assert.ok(await page.getByRole('button', { name: 'Remove src/tide.ts' }).isVisible());
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Remove src/tide.ts' }).waitFor({ state: 'detached' });
  });

  it('survive a reload of the panel', async () => {
    const page = await open([TIDE]);
    await page.reload();
    await deliver(page, [host('ask'), session(new Script(), false)]);
    assert.ok(await page.getByRole('button', { name: 'Remove src/tide.ts' }).isVisible());
  });

  it('can be added by dropping files', async () => {
    const page = await open();
    await page.locator('form').evaluate((form) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///w/src/a.ts\r\nhttps://tides.example');
      data.setData('application/vnd.code.uri-list', 'file:///w/src/a.ts');
      form.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    assert.deepEqual((await panel.posted()).at(-1), { type: 'drop_uris', uris: ['file:///w/src/a.ts'] });
  });

  it('of a sent message open their files', async () => {
    const page = await panel.open('mention-sent');
    await page.getByRole('button', { name: 'Open src/deep/water/tide-table.ts:10-24' }).click();
    assert.deepEqual((await panel.posted()).at(-1), { type: 'open_file', path: 'src/deep/water/tide-table.ts', line: 10 });
  });
});
