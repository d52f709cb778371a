import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { DOT, host, PLAN, Script, STATES, session } from '../../support/panel-states.ts';

describe('panel in a browser', () => {
  const panel = panelPage();
  let page: Page;
  const open = async (state: string) => {
    page = await panel.open(state);
  };
  const { posted } = panel;
  const prompt = () => page.getByRole('textbox', { name: /^Prompt/ });

  /** Returns the distance of the scroll position from the end of the transcript, in pixels. */
  const left = () =>
    page.evaluate(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.transcript') as HTMLElement;
      return Math.round(scrollHeight - scrollTop - clientHeight);
    });

  it('sends with Enter, adds a line with Shift+Enter, and does not interrupt an input method', async () => {
    await open('empty-ask');
    await prompt().pressSequentially('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await prompt().dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    assert.deepEqual(await posted(), []);
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'prompt', text: 'one\ntwo', mode: 'ask', sessionId: 'session-1' }]);
    assert.equal(await prompt().inputValue(), '');
    await page.keyboard.press('ArrowUp');
    assert.equal(await prompt().inputValue(), 'one\ntwo');
  });

  it('keeps the draft after a reload', async () => {
    await open('empty-ask');
    await prompt().fill('half a thought');
    await page.reload();
    assert.equal(await prompt().inputValue(), 'half a thought');
  });

  it('changes the mode by keyboard and shows examples for it', async () => {
    await open('empty-ask');
    await page.getByRole('radio', { name: 'Ask' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await posted(), [{ type: 'set_mode', mode: 'plan' }]);
    await page.getByRole('button', { name: 'Rename … to … in src/**' }).click();
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await page.keyboard.type('tideAt');
    assert.equal(await prompt().inputValue(), 'Rename tideAt to … in src/**');
  });

  it('stops with Escape while a run is in progress', async () => {
    await open('working');
    await prompt().focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await posted(), [{ type: 'stop' }, { type: 'stop' }]);
  });

  it('focuses an approval, which Ctrl+Enter approves', async () => {
    await open('empty-agent');
    await prompt().focus();
    await deliver(page, STATES.approval?.messages ?? []);
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Approval: Edit src/tide.ts and create height-options.ts',
    );
    assert.equal(await left(), 0);
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), []);
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await posted(), [{ type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true } }]);
  });

  it('does not move the focus while the user is writing', async () => {
    await open('empty-agent');
    await prompt().fill('wait');
    await deliver(page, STATES.approval?.messages ?? []);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
  });

  it('approves permanently, and rejects with a message', async () => {
    await open('approval');
    await page.getByRole('button', { name: 'More approval options' }).click();
    await page
      .getByRole('group', { name: /edits in this workspace/ })
      .getByRole('button', { name: 'For this session' })
      .click();
    await open('approval');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.keyboard.type('Use another name');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: false, words: 'Use another name' } },
    ]);
  });

  it('offers wider permissions, and to approve the similar requests, if the request names them', async () => {
    await open('approval');
    await page.getByRole('button', { name: 'Approve all 4 like this' }).click();
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true, grant: 'turn', covers: 0 } },
    ]);

    await open('approval');
    await page.getByRole('button', { name: 'More approval options' }).click();
    await page
      .getByRole('group', { name: 'Allow edits by patch in src/**' })
      .getByRole('button', { name: 'Always in this workspace' })
      .click();
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true, grant: 'workspace', covers: 1 } },
    ]);

    await open('command-approval');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'More approval options' }).count(), 0);
  });

  it('shows everything that an approval sends to another program, including hidden characters', async () => {
    const script = new Script().run('agent', 'Echo').calls('everything__echo', 'echo of everything', { message: 'hi\u202e' });
    script.add({
      type: 'approval_requested',
      approvalId: 'a',
      callId: script.lastCall,
      title: 'echo of everything',
      rule: 'mcp',
      reason: 'It belongs to another program.',
      changes: [],
      mcp: { server: 'everything', tool: 'echo', description: 'Echoes.' },
      input: { message: 'hi\u202e' },
    });
    page = await panel.show([host('agent'), session(script, true)]);
    await page
      .getByRole('region', { name: /^Approval/ })
      .getByText('"message": "hi⟨U+202E⟩"')
      .waitFor();
  });

  it('shows the receipt of the run, and copies it as Markdown', async () => {
    await open('receipt');
    await page.evaluate(() =>
      Object.assign(navigator.clipboard, { writeText: async (text: string) => Object.assign(window, { copied: text }) }),
    );
    await page
      .getByRole('button', {
        name: /^Receipt: Changed 2 files, ran 1 command, read 4 files and contacted 1 host\. You approved 2 of 3 requests\. 1 call was denied\./,
      })
      .click();
    await page.getByText('README.md', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy the receipt as Markdown' }).click();
    const copied = await page.evaluate(() => (window as unknown as { copied: string }).copied);
    assert.match(copied, /^\*\*Receipt\*\* 12 calls[\s\S]*- Files changed: `src\/tide\.ts`, `height-options\.ts`/);
  });

  /** Dispatches the event of a paste or a drop. */
  const bring = (type: 'paste' | 'drop', mediaType: string, data: string) =>
    prompt().evaluate(
      (box, given) => {
        const bytes = Uint8Array.from(atob(given.data), (char) => char.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], 'image', { type: given.mediaType }));
        const options = { bubbles: true, cancelable: true };
        box.dispatchEvent(
          given.type === 'paste'
            ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
            : new DragEvent('drop', { ...options, dataTransfer: transfer }),
        );
      },
      { type, mediaType, data },
    );

  it('sends pasted and dropped images, except removed ones', async () => {
    await open('empty-ask');
    for (const type of ['paste', 'drop', 'paste'] as const) {
      await bring(type, 'image/png', DOT);
      await page
        .getByRole('img', { name: /^\d of \d$/ })
        .last()
        .waitFor();
    }
    await page.getByRole('img', { name: '3 of 3' }).waitFor();
    assert.equal(
      await page
        .getByRole('img')
        .first()
        .evaluate((img: HTMLImageElement) => img.naturalWidth),
      1,
    );
    await page.getByRole('button', { name: 'Remove image 2' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await page.keyboard.type('Look');
    await page.keyboard.press('Enter');
    const image = { mediaType: 'image/png', data: DOT };
    assert.deepEqual(await posted(), [{ type: 'prompt', text: 'Look', mode: 'ask', sessionId: 'session-1', images: [image, image] }]);
    await page.getByRole('img').first().waitFor({ state: 'detached' });
  });

  it('sends an image without text, and says beforehand that the model does not support images', async () => {
    await open('empty-ask');
    const send = page.getByRole('button', { name: 'Send' });
    assert.equal(await send.isDisabled(), true);
    await bring('paste', 'image/png', DOT);
    await page.getByText('Offline does not accept images. It gets a note instead of the image.').waitFor();
    await bring('paste', 'image/png', DOT);
    await page.getByText('Offline does not accept images. It gets a note instead of the 2 images.').waitFor();
    await deliver(page, [host('ask')]);
    await page.getByText('does not accept images').waitFor({ state: 'detached' });
    await send.click();
    const image = { mediaType: 'image/png', data: DOT };
    assert.deepEqual(await posted(), [{ type: 'prompt', text: '', mode: 'ask', sessionId: 'session-1', images: [image, image] }]);
  });

  it('explains which images it does not accept', async () => {
    await open('empty-ask');
    await bring('paste', 'image/tiff', DOT);
    await page.getByText('Only PNG, JPEG, GIF and WebP images can be attached.').waitFor();
    assert.equal(await page.getByRole('img', { name: /^\d of \d$/ }).count(), 0);
  });

  it('cannot load an image from another address', async () => {
    await open('image');
    assert.equal(await page.getByRole('img', { name: /^\d of \d$/ }).count(), 1);
    const blocked = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
          new Image().src = 'https://example.invalid/spy.png';
        }),
    );
    assert.equal(blocked, 'img-src');
  });

  it('counts down to the next attempt, which can be started immediately or stopped', async () => {
    await open('retry-wait');
    await page.getByText('Rate limited. Trying again in 12 s (2 of 5)', { exact: true }).last().waitFor();
    await page.getByText('Rate limited. Trying again in 11 s (2 of 5)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).first().click();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Rate limited. Trying again (2 of 5)', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try now' }).count(), 0);
    assert.deepEqual(await posted(), [{ type: 'stop' }, { type: 'retry_now' }]);
  });

  it('offers a remedy for a failure, and to continue an incomplete answer', async () => {
    await open('error');
    await page.getByRole('button', { name: 'Connect a model' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    assert.deepEqual(await posted(), [{ type: 'connect_model' }, { type: 'continue' }]);
    await open('error-half');
    await page.getByText('The height comes from').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.deepEqual(await posted(), [{ type: 'continue' }]);
  });

  it('offers other limits where a run paused at one', async () => {
    await open('paused');
    await page.getByRole('button', { name: 'Change limits' }).click();
    await page.getByRole('heading', { name: 'Models and limits' }).waitFor();
    assert.deepEqual(await posted(), [{ type: 'open_page', name: 'models' }]);
  });

  it('runs the edited plan', async () => {
    await open('plan');
    await page.getByRole('button', { name: 'Edit plan' }).click();
    await page.getByRole('button', { name: 'Move step 2 up' }).click();
    await page.getByRole('button', { name: 'Remove step 3' }).click();
    await page.getByLabel('Goal').fill('Rename it');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Run plan' }).click();
    const plan = { ...PLAN, goal: 'Rename it', revision: 2, steps: [PLAN.steps[1], PLAN.steps[0]] };
    assert.deepEqual(await posted(), [{ type: 'answer_plan', planId: PLAN.id, answer: 'run', plan }]);
  });

  it('leaves a plan unchanged when editing is cancelled', async () => {
    await open('plan');
    await page.getByRole('button', { name: 'Edit plan' }).click();
    await page.getByLabel('Goal').fill('Other');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run plan' }).click();
    assert.deepEqual(await posted(), [{ type: 'answer_plan', planId: PLAN.id, answer: 'run' }]);
  });

  it('passes every link to the host, and loads no image', async () => {
    await open('answer');
    await page.getByRole('link', { name: 'src/tide.ts:12-20' }).click();
    await page.getByRole('link', { name: 'guide' }).click();
    await page.getByRole('link', { name: 'the README' }).click();
    assert.deepEqual(await posted(), [
      { type: 'open_file', path: 'src/tide.ts', line: 12 },
      { type: 'open_link', url: 'https://example.com/tides' },
      { type: 'open_file', path: 'README.md', line: 3 },
    ]);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('.markdown b').count(), 0);
  });

  it('opens diffs, reviews and undoes', async () => {
    await open('changed');
    await page.getByRole('button', { name: /^tide\.ts/ }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Undo run' }).click();
    assert.deepEqual(await posted(), [
      { type: 'open_diff', callId: 'call-2', path: 'src/tide.ts' },
      { type: 'review_run', runId: 'run-1' },
      { type: 'undo_run', runId: 'run-1' },
    ]);
  });

  it('scrolls to the newest line only while the user is at the end', async () => {
    await open('long');
    assert.ok((await left()) < 2);
    await page.evaluate(() => document.querySelector('.transcript')?.scrollTo(0, 500));
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor();
    await deliver(page, [host('ask')]);
    assert.ok((await left()) > 100);
    await page.getByRole('button', { name: 'Jump to the latest' }).click();
    await page.waitForFunction(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.transcript') as HTMLElement;
      return Math.round(scrollHeight - scrollTop - clientHeight) < 2;
    });
    await page.getByRole('button', { name: 'Show 12 earlier runs' }).click();
    assert.deepEqual(await posted(), [{ type: 'show_earlier' }]);
  });

  it('follows a fast answer and a notice below it until the user scrolls up', async () => {
    const script = new Script().run('ask', 'Tell me about tides').turn();
    page = await panel.show([host('ask'), session(script, true)]);
    const stream = (batches: number) =>
      page.evaluate(
        async ({ batches, seq }) => {
          const event = { type: 'text_delta', text: 'The tide turns.\n\n- and falls\n\n', runId: 'run-1', seq, at: 0 };
          for (let batch = 0; batch < batches; batch++) {
            window.deliver([{ type: 'events', sessionId: 'session-1', running: true, events: [event, event, event] }]);
            await new Promise((resolve) => setTimeout(resolve, 4));
          }
          await new Promise((resolve) => setTimeout(resolve, 100));
        },
        { batches, seq: script.events.length },
      );
    await stream(150);
    assert.equal(await left(), 0);
    await deliver(page, [{ type: 'notice', level: 'info', text: 'A notice takes from the height. '.repeat(8) }]);
    assert.equal(await left(), 0);
    await page.mouse.move(200, 400);
    await page.mouse.wheel(0, -20);
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor();
    await stream(20);
    assert.ok((await left()) > 100);
  });

  it('only scrolls the transcript', async () => {
    await open('long');
    await page.getByRole('button', { name: '5 steps' }).last().click();
    await page.evaluate(() => document.querySelector('.steps')?.scrollIntoView({ block: 'start' }));
    const overflow = () =>
      page.evaluate(() =>
        [document.documentElement, document.body, document.querySelector('.panel') as Element].map(
          ({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight + scrollTop,
        ),
      );
    assert.deepEqual(await overflow(), [0, 0, 0]);
  });

  it('covers nothing with the button to jump to the latest', async () => {
    await open('plan');
    await page.setViewportSize({ width: 300, height: 420 });
    await page.getByRole('button', { name: 'Discard plan' }).scrollIntoViewIfNeeded();
    await page.mouse.move(150, 200);
    await page.mouse.wheel(0, -60);
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor();
    const [jump, transcript] = await page.evaluate(() =>
      ['.jump', '.transcript'].map((selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON() as DOMRect),
    );
    assert.ok(jump && transcript && jump.top >= transcript.bottom);
  });

  it('offers to stop a run that is waiting for an approval after a reload', async () => {
    page = await panel.show(
      (STATES.approval?.messages ?? []).map((message) => (message.type === 'session' ? { ...message, running: false } : message)),
    );
    await page.getByText('Waiting for your approval', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await posted(), [{ type: 'stop' }]);
  });

  it('offers a remedy when an undo was refused', async () => {
    await open('undone');
    await page.getByRole('heading', { name: '1 of 2 files restored' }).waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    assert.deepEqual(await posted(), [
      { type: 'review_run', runId: 'run-1' },
      { type: 'undo_run', runId: 'run-1' },
    ]);
  });

  it('says that it is loading until the session has arrived', async () => {
    page = await panel.show([]);
    await page.getByRole('progressbar', { name: 'Loading the session' }).waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
    await deliver(page, STATES['empty-ask']?.messages ?? []);
    assert.equal(await page.getByRole('progressbar').count(), 0);
    await page.getByRole('heading', { name: 'Kedge' }).waitFor();
  });

  it('offers nothing that changes files in Restricted Mode', async () => {
    await open('untrusted');
    assert.equal(await page.getByRole('list', { name: 'Suggestions' }).count(), 0);
    await page.getByRole('radio', { name: 'Ask' }).click();
    await page.getByRole('list', { name: 'Suggestions' }).waitFor();
  });

  it('keeps the box at the bottom low at 300 px', async () => {
    const height = async (state: string) => {
      await open(state);
      await page.setViewportSize({ width: 300, height: 700 });
      return (await page.locator('.composer').boundingBox())?.height ?? 0;
    };
    assert.ok((await height('empty-plan')) < 85);
    // A text that tells the user what to do is not shortened.
    assert.ok((await height('empty-ask')) < 140);
    const isCut = await page.locator('.readiness').evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.equal(isCut, false);
  });

  it('shows no tools in a plan, and no title above the prompt that it repeats', async () => {
    await open('plan');
    assert.equal(await page.getByText('edit_file').count(), 0);
    assert.equal(await page.getByTitle('Tools: edit_file, search').count(), 1);
    assert.equal(await page.locator('.session-title').count(), 0);
    await open('long');
    assert.equal(await page.locator('.session-title').count(), 1);
  });

  it('announces to a screen reader that the model asks a question', async () => {
    await open('approval');
    await page.waitForFunction(() =>
      document.querySelector('.sr-only[role="status"]')?.textContent?.startsWith('Waiting for your approval: Edit'),
    );
  });
});
