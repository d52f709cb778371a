import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { user } from '../../../src/core/model/messages.ts';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { ToHost } from '../../../src/protocol/panel.ts';
import { activityOf, announcementOf } from '../../../webview-ui/activity.ts';
import type { PanelModel } from '../../../webview-ui/model.ts';
import { EMPTY, liveRun, reduce } from '../../../webview-ui/state.ts';
import { asking, atLimit, held, queued } from '../../support/control-states.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { type Script, STATES, session } from '../../support/panel-states.ts';

const opened = (script: Script, running = false) => reduce(EMPTY, session(script, running));
const lastRun = (model: PanelModel) => model.runs.at(-1) as RunView;

describe('questions and queued messages in the state of the panel', () => {
  it('a question makes the run wait until it is answered, also after a reload', () => {
    const script = asking();
    const model = opened(script, false);
    assert.equal(liveRun(model), lastRun(model));
    assert.deepEqual(activityOf(lastRun(model)), { key: 'question call-2:ask', text: 'Waiting for your answer', waiting: true });
    assert.match(announcementOf(lastRun(model), true), /^Question: The almanac.* 3 options\.$/);
    script.add({ type: 'question_answered', questionId: 'call-2:ask', callId: 'call-2', answer: { option: 'The tide gauge' } });
    const answered = lastRun(opened(script, true));
    assert.deepEqual(answered.questions, []);
    assert.deepEqual(
      answered.said.map(({ text, answers }) => [text, answers?.slice(0, 11)]),
      [['The tide gauge', 'The almanac']],
    );
  });

  it('a question of a stopped run is no longer open', () => {
    const model = opened(asking().finishes('stopped'));
    assert.deepEqual(lastRun(model).questions, []);
    assert.equal(liveRun(model), undefined);
  });

  it('queued messages keep their order, can be changed and removed, and are displayed where they joined', () => {
    const script = queued()
      .add({ type: 'message_queued', id: 'queued-1', message: user('Leave the tests.') })
      .add({ type: 'message_unqueued', id: 'queued-2' })
      .add({ type: 'message_queued', id: 'queued-3', message: user('And the docs.') });
    assert.deepEqual(
      opened(script, true).queue.map(({ id, text }) => [id, text]),
      [
        ['queued-1', 'Leave the tests.'],
        ['queued-3', 'And the docs.'],
      ],
    );
    script.add({ type: 'message_added', message: user('Leave the tests.'), queued: 'queued-1' });
    const model = opened(script, true);
    assert.deepEqual(
      model.queue.map(({ id }) => id),
      ['queued-3'],
    );
    assert.deepEqual(
      lastRun(model).said.map(({ text }) => text),
      ['Leave the tests.'],
    );
  });
});

describe('the user controls the run in the panel', () => {
  const panel = panelPage();
  let page: Page;
  const open = async (state: string) => {
    page = await panel.open(state);
  };
  const posted = async () => {
    const said = await panel.posted();
    // The host accepts only messages in this form.
    for (const message of said) assert.ok(ToHost.safeParse(message).success, JSON.stringify(message));
    return said;
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('sends a prompt in the mode that was just chosen, before that mode is rendered', async () => {
    await open('empty-agent');
    await page.getByRole('textbox', { name: /^Prompt/ }).fill('Rename it');
    await page.evaluate(() => {
      // All of this happens in one task, so nothing can be rendered in between.
      document.querySelector<HTMLInputElement>('input[type=radio][value=ask]')?.click();
      const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
      document.querySelector('textarea')?.dispatchEvent(enter);
    });
    const prompts = (await posted()).filter(({ type }) => type === 'prompt');
    assert.deepEqual(
      prompts.map((prompt) => ('mode' in prompt ? prompt.mode : undefined)),
      ['ask'],
    );
  });

  it('focuses a question, and accepts a number for the option', async () => {
    await open('empty-agent');
    await page.getByRole('textbox', { name: /^Prompt/ }).focus();
    await deliver(page, STATES.question?.messages ?? []);
    assert.match((await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))) ?? '', /^Question: The almanac/);
    await page.keyboard.press('9');
    await page.keyboard.press('2');
    assert.deepEqual(await posted(), [{ type: 'answer_question', questionId: 'call-2:ask', answer: { option: 'The tide gauge' } }]);
  });

  it('accepts one click', async () => {
    await open('question');
    await page.getByRole('button', { name: /^The almanac/ }).dblclick();
    assert.deepEqual(await posted(), [{ type: 'answer_question', questionId: 'call-2:ask', answer: { option: 'The almanac' } }]);
  });

  it('accepts an answer in the user’s own words, in which digits are text', async () => {
    await open('question');
    await page.getByRole('textbox', { name: 'Another answer' }).focus();
    await page.keyboard.type('2 cm from each');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'answer_question', questionId: 'call-2:ask', answer: { words: '2 cm from each' } }]);
  });

  it('announces a question to a screen reader', async () => {
    await open('question');
    await page.waitForFunction(() => document.querySelector('.sr-only[role="status"]')?.textContent?.startsWith('Question: The almanac'));
  });

  it('adds a message to the run, and can still stop it', async () => {
    await open('queue');
    await page.getByRole('textbox', { name: /^Prompt/ }).fill('In metres');
    await button('Add to the run').click();
    await button('Stop').click();
    assert.deepEqual(await posted(), [{ type: 'prompt', text: 'In metres', mode: 'agent', sessionId: 'session-1' }, { type: 'stop' }]);
  });

  it('closes the list of the context gauge with Escape, before Escape stops the run', async () => {
    await open('gauge-full');
    const gauge = page.getByRole('button', { name: /^Context/ });
    assert.ok(((await gauge.boundingBox())?.height ?? 0) >= 24);
    await gauge.press('Enter');
    await page.keyboard.press('Escape');
    assert.equal(await gauge.getAttribute('aria-expanded'), 'false');
    assert.deepEqual(await posted(), []);
    await page.keyboard.press('Escape');
    assert.deepEqual(await posted(), [{ type: 'stop' }]);
  });

  it('changes and removes a queued message', async () => {
    await open('queue');
    await button('Edit: Leave the tests alone.').click();
    await page.keyboard.press('Escape');
    await button('Edit: Leave the tests alone.').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Leave the docs alone.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Remove: And use metres/ }).click();
    assert.deepEqual(await posted(), [
      { type: 'edit_queued', id: 'queued-1', text: 'Leave the docs alone.' },
      { type: 'remove_queued', id: 'queued-2' },
    ]);
  });

  it('changes the newest queued message by the keyboard, and returns to the input', async () => {
    await open('queue');
    const prompt = page.getByRole('textbox', { name: /^Prompt/ });
    const field = page.getByRole('textbox', { name: 'Queued message' });
    await prompt.press('ArrowUp');
    await field.press('Escape');
    assert.ok(await prompt.evaluate((element) => element === document.activeElement));
    assert.deepEqual(await posted(), []);
    await prompt.press('ArrowUp');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('And round them.');
    await field.press('Enter');
    const text = 'And use metres everywhere, also in the log, where it is feet today.\nAnd round them.';
    assert.deepEqual(await posted(), [{ type: 'edit_queued', id: 'queued-2', text }]);
    assert.ok(await prompt.evaluate((element) => element === document.activeElement));
  });

  it('keeps what the user writes when the run takes the message meanwhile', async () => {
    await open('queue');
    const prompt = page.getByRole('textbox', { name: /^Prompt/ });
    await prompt.fill('More.');
    await button('Edit: Leave the tests alone.').press('Enter');
    await page.keyboard.type(' All of them.');
    const taken = queued().add({ type: 'message_added', message: user('Leave the tests alone.'), queued: 'queued-1' });
    await deliver(page, [session(taken, true)]);
    await page.getByText('The queued message was already sent.').waitFor();
    assert.equal(await prompt.inputValue(), 'Leave the tests alone. All of them.\n\nMore.');
    assert.deepEqual(await posted(), []);
  });

  it('pauses, cancels the pause, resumes and steps', async () => {
    await open('queue');
    await button('Pause after this step').click();
    await page.getByText('Pausing after this step').waitFor();
    await button('Resume').click();
    await page.getByText('Running').waitFor();
    await deliver(page, [session(held(), false)]);
    await page.getByText('Paused. Next: the model’s next turn.').waitFor();
    await button('Run one step: the model’s next turn').click();
    await button('Resume').click();
    await button('Stop the run').click();
    assert.deepEqual(
      (await posted()).map(({ type }) => type),
      ['pause', 'continue', 'step', 'continue', 'stop'],
    );
  });

  it('adds messages while the run is paused, and sends those that remained', async () => {
    await open('held');
    await page.getByRole('textbox', { name: /^Prompt/ }).fill('In metres');
    await page.keyboard.press('Enter');
    await open('queue-left');
    await page.getByRole('region', { name: 'Queued messages' }).getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await posted(), [{ type: 'send_queued' }]);
  });

  it('continues with a higher limit, but raises a daily limit only after a confirmation', async () => {
    await open('budget');
    await page.getByText('The cost of 3 answers is unknown').waitFor();
    await button('Continue with a higher limit').click();
    assert.deepEqual(await posted(), [{ type: 'continue' }]);
    page = await panel.show([...(STATES.budget?.messages.slice(0, 1) ?? []), session(atLimit('day.usd', 10), false)]);
    await button('Raise today’s limit…').click();
    assert.deepEqual(await posted(), []);
    await page.getByText('Raise today’s limit by another $10.00?').waitFor();
    await button('Raise limit and continue').click();
    assert.deepEqual(await posted(), [{ type: 'continue', raise: true }]);
  });
});
