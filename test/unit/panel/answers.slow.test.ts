import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ToolResult } from '../../../src/core/model/messages.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

describe('an answer in the panel', function () {
  this.timeout(240_000);
  const panel = panelPage();
  const answer = (text: string) => [host('ask'), session(new Script().run('ask', 'How?').turn().says(text).finishes(), false)];
  const loaded = (page: Page) =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name.split('/').at(-1) ?? '')
        .filter((name) => /^panel-(?!chunk)/.test(name)),
    );

  it('takes its code to the cursor, into a new file and into its file, by keyboard', async () => {
    const page = await panel.show(answer('```ts src/a.ts\nconst a = 1;\n```\n\n```\nplain\n```'));
    for (const name of ['Apply to src/a.ts', 'Insert at cursor', 'Open as new file'])
      await page.getByRole('button', { name }).first().press('Enter');
    await page.getByRole('button', { name: 'Apply to file' }).press(' ');
    const code = 'const a = 1;';
    assert.deepEqual(await panel.posted(), [
      { type: 'apply_code', code, path: 'src/a.ts', language: 'ts' },
      { type: 'insert_code', code },
      { type: 'open_code', code, language: 'ts', path: 'src/a.ts' },
      { type: 'apply_code', code: 'plain', language: '' },
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy answer' }).press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^```ts src\/a\.ts\n/);
  });

  it('loads what colors and draws only when it occurs', async () => {
    const page = await panel.show(answer('Nothing but words, `tideAt()` and\n\n```\nplain\n```'));
    assert.deepEqual(await loaded(page), []);
    await deliver(page, answer('```ts\nconst a = 1;\n```'));
    await page.locator('.code-keyword').waitFor();
    assert.deepEqual(await loaded(page), ['panel-highlight.js']);
    await deliver(page, answer('$x^2$'));
    await page.locator('math msup').waitFor();
    assert.deepEqual(await loaded(page), ['panel-highlight.js', 'panel-math.js']);
  });

  it('draws a diagram as an image in which nothing runs, and shows its source', async () => {
    const attack =
      '```mermaid\nflowchart TD\n  A["<img src=x onerror=window.owned=1>"] --> B\n  click A href "javascript:window.owned=1"\n```';
    const page = await panel.show(answer(attack));
    const image = page.locator('.diagram img');
    await image.waitFor();
    assert.match((await image.getAttribute('src')) ?? '', /^data:image\/svg\+xml/);
    assert.equal(await page.evaluate(() => 'owned' in window), false);
    assert.equal(await page.locator('.markdown svg').count(), 0);
    await page.getByRole('button', { name: 'Show source' }).press('Enter');
    await page.getByText('flowchart TD').waitFor();
  });

  it('refuses what a formula could load', async () => {
    const page = await panel.show(
      answer('$\\href{javascript:window.owned=1}{a}$ $\\includegraphics{https://evil.example/x}$ $\\htmlData{a=b}{c}$ $b^2$'),
    );
    await page.locator('math msup').waitFor();
    assert.equal(await page.locator('.markdown a, .markdown img').count(), 0);
    assert.equal(await page.locator('math [href]').count(), 0);
  });

  it('asks the host for images of the workspace, and opens symbols through it', async () => {
    const page = await panel.show(answer('See `tideAt()` and ![the tide](docs/tide.png), not ![x](https://evil.example/x.png).'));
    await page.getByRole('link', { name: 'tideAt()' }).press('Enter');
    assert.deepEqual(await panel.posted(), [
      { type: 'load_image', path: 'docs/tide.png' },
      { type: 'open_symbol', name: 'tideAt' },
    ]);
    await deliver(page, [{ type: 'image', path: 'docs/tide.png', url: 'data:image/png;base64,iVBORw0KGgo=' }]);
    assert.equal(await page.getByRole('img', { name: 'the tide' }).count(), 1);
  });

  it('folds a long message, and unfolds it by keyboard', async () => {
    const text = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    const page = await panel.show([host('ask'), session(new Script().run('ask', text).turn().says('Yes.').finishes(), false)]);
    const prompt = page.locator('.prompt').first();
    assert.doesNotMatch((await prompt.textContent()) ?? '', /line 30/);
    await prompt.getByRole('button', { name: 'Show all' }).press('Enter');
    assert.match((await prompt.textContent()) ?? '', /line 30/);
  });

  it('lists the steps from the beginning if the settings say so, with their times', async () => {
    const script = new Script().run('ask', 'Where?').calls('read_file', 'Read a.ts', { path: 'a.ts' }).returns('read_file', 'no', 3, true);
    const page = await panel.show([host('ask', { steps: 'full' }), session(script.turn().says('There.').finishes(), false)]);
    const step = page.getByRole('button', { name: /Read a\.ts/ });
    await step.waitFor();
    assert.match((await step.getAttribute('title')) ?? '', /\d:\d\d/);
    await page.getByText('1 step · 1 failed').waitFor();
  });

  it('shows the screenshot of a step', async () => {
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const script = new Script().run('agent', 'Look').calls('browse', 'Take a screenshot on localhost:3000', { action: 'screenshot' });
    const content: ToolResult['content'] = [
      { type: 'text', text: 'Screenshot of http://localhost:3000/' },
      { type: 'image', mediaType: 'image/png', data: dot },
    ];
    const result = { type: 'tool_result', callId: script.lastCall, name: 'browse', content } as const;
    script.add({ type: 'tool_finished', callId: script.lastCall, result, durationMs: 42 });
    const page = await panel.show([host('agent', { steps: 'full' }), session(script.turn().says('It is fine.').finishes(), false)]);
    await page.getByRole('button', { name: /Take a screenshot/ }).press('Enter');
    const image = page.getByRole('img', { name: '1 of 1' });
    await image.waitFor();
    assert.equal(await image.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth)), 1);
    assert.equal(await image.evaluate((img: HTMLImageElement) => img.height), 1);
  });
});
