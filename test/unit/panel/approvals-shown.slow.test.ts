import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { assertShown, plan, planTexts, questionAbout, requestOf, type Sample, sample } from '../../support/approval-samples.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

/** Uses the same samples as the tests of the other hosts, in a real browser. */
describe('an approval in the panel', () => {
  const panel = panelPage();
  let page: Page;
  beforeEach(async () => {
    page = await panel.show([]);
  });
  const shownOf = async (messages: ToPanel[]): Promise<string> => {
    // The previous sample is removed first.
    await deliver(page, [host('agent'), session(new Script(), false)]);
    await deliver(page, messages);
    const card = page.locator('.card.waiting');
    await card.waitFor();
    // `innerText` leaves out text that only screen readers get, and includes text that is scrolled out of view.
    return card.evaluate((element) => (element as HTMLElement).innerText);
  };

  it('shows everything that it executes, word by word', async () => {
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

  it('shows all of a plan, with the meaning of its globs', async () => {
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

  it('shows the command of a check, with its folder', async () => {
    const { runId: _run, seq: _seq, at: _at, ...asked } = questionAbout('npm test\n# This tool only reads.', 'vendor/evil');
    const script = new Script().run('agent', 'Go').calls('update_step', 'Step 1', {}).add(asked);
    const shown = await shownOf([host('agent'), session(script, true)]);
    assertShown(shown, { executed: ['npm test', '# This tool only reads.', 'It is not allowed by any rule.'], paths: ['vendor/evil'] });
  });
});
