import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { assertShown, plan, planTexts, questionAbout, requestOf, type Sample, sample } from '../../support/approval-samples.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

/** The same samples as for the other hosts, in a real browser. */
describe('what is approved in the panel', () => {
  const panel = panelPage();
  let page: Page;
  beforeEach(async () => {
    page = await panel.show([]);
  });
  const shownOf = async (messages: ToPanel[]): Promise<string> => {
    // Nothing of the sample before is left.
    await deliver(page, [host('agent'), session(new Script(), false)]);
    await deliver(page, messages);
    const card = page.locator('.card.waiting');
    await card.waitFor();
    // Without what only screen readers are told, and with what scrolls out of sight in its place.
    return card.evaluate((element) => (element as HTMLElement).innerText);
  };

  it('is all that a yes executes, word by word', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async (each: Sample) => {
        const { runId: _run, seq: _seq, at: _at, ...request } = await requestOf(each);
        const script = new Script().run('agent', 'Go').calls(each.name, request.title, each.input, { effect: 'mutating' });
        script.add({ ...request, callId: script.lastCall });
        const shown = await shownOf([host('agent'), session(script, true)]);
        assertShown(shown, each);
        assert.doesNotMatch(shown, /[\u202a-\u202e\u200b\ufeff]/u);
      }),
      { numRuns: 40 },
    );
  }).timeout(120_000);

  it('is all of a plan, with what its globs stand for', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (draft) => {
        const proposed: Plan = { ...draft, id: 'p', revision: 1, hash: 'abc' };
        const script = new Script().run('plan', 'Go').add({ type: 'plan_proposed', plan: proposed }).finishes('plan_proposed');
        const shown = await shownOf([host('plan'), session(script, false)]);
        assertShown(shown, { executed: planTexts(draft), paths: [] });
        if (draft.steps.some(({ files }) => files.includes('**'))) assert.match(shown, /every file in the workspace/);
      }),
      { numRuns: 25 },
    );
  }).timeout(120_000);

  it('is the command of a check that asks, with its folder', async () => {
    const { runId: _run, seq: _seq, at: _at, ...asked } = questionAbout('npm test\n# This tool only reads.', 'vendor/evil');
    const script = new Script().run('agent', 'Go').calls('update_step', 'Step 1', {}).add(asked);
    const shown = await shownOf([host('agent'), session(script, true)]);
    assertShown(shown, { executed: ['npm test', '# This tool only reads.', 'Nobody allowed it.'], paths: ['vendor/evil'] });
  });
});
