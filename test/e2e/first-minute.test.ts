import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Frame } from 'playwright-core';
import { root } from '../../scripts/editor.ts';
import { openWorkbench, sharedWorkbench, until, type Workbench } from './harness.ts';
import { choose, conversation, newSession, promptBox, send } from './panel.ts';
import { contents } from './workspace.ts';

const SAMPLE = join(root, 'test', 'sample');
const SAMPLE_FILES = readdirSync(SAMPLE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SAMPLE, join(entry.parentPath, entry.name)));

describe('the first start in a profile', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({
      folder: SAMPLE,
      settings: { 'workbench.welcomePage.walkthroughs.openOnInstall': true },
      viewport: { width: 1920, height: 1000 },
    });
  });
  after(() => workbench.dispose());

  const step = (title: string) => workbench.page.locator('.getting-started-step').filter({ hasText: title });
  /** Opens a step. VS Code gives it the focus when its animation has ended. A click by script moves no focus itself, so the wait is for that. */
  const open = async (title: string) => {
    await step(title).evaluate((element: HTMLElement) => element.click());
    await until(`the focus in ${title}`, () => step(title).evaluate((element) => element === document.activeElement));
  };

  it('shows the panel in front, the walkthrough and the status bar item', async () => {
    const { page } = workbench;
    const panel = await workbench.waitForPanel();
    await promptBox(panel).waitFor();
    await page.locator('.part.auxiliarybar .composite-bar .action-item.checked').filter({ hasText: 'Kedge' }).waitFor();
    await page.getByText('Get Started with Kedge').first().waitFor();
    await page.locator('.statusbar-item').filter({ hasText: 'Kedge' }).waitFor();
    await workbench.screenshot('first-start');
  });

  it('leads through ask, plan and run, agent, connect and undo, with pictures', async () => {
    const { page } = workbench;
    const panel = await workbench.waitForPanel();
    for (const title of ['Plan a change and run it', 'Approve each change', 'Connect a model', 'Undo a run', 'Ask about your code']) {
      await open(title);
      const picture = page.locator('.getting-started-media img');
      await until(`the picture of ${title}`, () =>
        picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0).catch(() => false),
      );
    }
    await workbench.screenshot('walkthrough');
    await step('Ask about your code').getByRole('button', { name: 'Ask Something' }).click();
    await until('the question', async () => (await promptBox(panel).inputValue()) === 'How is this project laid out?');
    await promptBox(panel).press('Enter');
    // The step is done because its mode was used.
    await page.locator('.getting-started-step .codicon-getting-started-step-checked.complete').first().waitFor();
    await open('Plan a change and run it');
    await step('Plan a change and run it').getByRole('button', { name: 'Plan a Change' }).click();
    await panel.getByRole('radio', { name: 'Plan', checked: true }).waitFor();
    await until('the cursor in the prompt', () => promptBox(panel).evaluate((box) => document.activeElement === box));
  });

  it('is not shown again', async () => {
    await workbench.command('View: Close All Editors');
    await workbench.reload();
    await promptBox(await workbench.panelFrame()).waitFor();
    assert.equal(await workbench.page.getByText('Get Started with Kedge').count(), 0);
  });
});

/** The steps of the tour in the README: its mode, the words in code, and the words in italics, which are buttons. */
function tour(): { mode: 'Ask' | 'Plan' | 'Agent'; requests: string[]; buttons: string[] }[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return [...readme.matchAll(/^\d\. (Ask|Plan|Agent): (.*)$/gm)].map(([, mode, text = '']) => ({
    mode: mode as 'Ask',
    requests: [...text.matchAll(/`([^`]+)`/g)].map(([, request = '']) => request),
    buttons: [...text.replaceAll(/`[^`]+`/g, '').matchAll(/\*([^*]+)\*/g)].map(([, button = '']) => button),
  }));
}

describe("the README's tour, in one session", () => {
  let workbench: Workbench;
  let panel: Frame;
  let original: Record<string, string>;
  const steps = tour();
  const button = (name: string | RegExp) => conversation(panel).getByRole('button', { name });
  /** Resolves when the run with this number has ended. */
  const ended = (number: number) =>
    button(/^Receipt/)
      .nth(number - 1)
      .waitFor();
  const picture = async (name: string) => {
    await workbench.page.locator('.part.auxiliarybar').screenshot({ path: join(root, 'out', 'screenshots', `tour-${name}.png`) });
  };

  const begin = sharedWorkbench(() => ({ folder: SAMPLE, viewport: { width: 1400, height: 680 } }));
  before(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
    original = await contents(workbench.folder, SAMPLE_FILES);
  });

  it('has the three modes', () => {
    assert.deepEqual(
      steps.map(({ mode, requests, buttons }) => [mode, requests.length, buttons]),
      [
        ['Ask', 2, []],
        ['Plan', 1, ['Run plan', 'Undo run']],
        ['Agent', 1, []],
      ],
    );
  });

  it('answers with places', async () => {
    const [ask] = steps;
    await choose(panel, 'Ask');
    for (const [index, request] of (ask?.requests ?? []).entries()) {
      await send(panel, request);
      await ended(index + 1);
      if (index === 0) await picture('ask');
    }
    await conversation(panel).getByText('src/').first().waitFor();
    assert.deepEqual(await contents(workbench.folder, SAMPLE_FILES), original);
  });

  it('plans, runs the plan and undoes the run', async () => {
    const [, plan] = steps;
    await choose(panel, 'Plan');
    await send(panel, plan?.requests[0] ?? '');
    await button('Run plan').waitFor();
    await picture('plan');
    assert.deepEqual(await contents(workbench.folder, SAMPLE_FILES), original);
    await button('Run plan').click();
    await button('Undo run').waitFor();
    await picture('undo');
    assert.notDeepEqual(await contents(workbench.folder, SAMPLE_FILES), original);
    await button('Undo run').click();
    await until('the undo', async () => JSON.stringify(await contents(workbench.folder, SAMPLE_FILES)) === JSON.stringify(original));
  });

  it('replaces what is approved, after the undo, and nothing else', async () => {
    const [, , agent] = steps;
    const request = agent?.requests[0] ?? '';
    const [, from = '', to = ''] =
      /'(.+)' with '(.+)'/.exec(request) ?? assert.fail(`The request of the tour is not a replacement: ${request}`);
    await choose(panel, 'Agent');
    await send(panel, request);
    const affected = SAMPLE_FILES.filter((path) => original[path]?.includes(from));
    assert.ok(affected.length > 0);
    for (const [index] of affected.entries()) {
      await button('Approve').waitFor();
      if (index === 0) await picture('agent');
      await button('Approve').click();
      await until('the change', async () => {
        const now = await contents(workbench.folder, SAMPLE_FILES);
        return affected.filter((path) => now[path] !== original[path]).length > index;
      });
    }
    await button('Undo run').last().waitFor();
    const expected = Object.fromEntries(SAMPLE_FILES.map((path) => [path, original[path]?.replaceAll(from, to)]));
    assert.deepEqual(await contents(workbench.folder, SAMPLE_FILES), expected);
  });

  it('ends with the services that can be connected', async () => {
    await workbench.command('Kedge: Connect a Model…');
    const list = workbench.page.locator('.quick-input-widget');
    await list.getByText('Ollama').waitFor();
    await list.screenshot({ path: join(root, 'out', 'screenshots', 'tour-connect.png') });
    await workbench.page.keyboard.press('Escape');
  });
});
