import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

describe('a session that is played again in the panel', function () {
  this.timeout(240_000);
  const panel = panelPage();
  const script = () =>
    new Script()
      .run('ask', 'Where is the tide computed?')
      .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts' }, { path: 'src/tide.ts' })
      .returns('read_file', 'export function tideAt() {}')
      .turn()
      .says('In `src/tide.ts`.')
      .finishes()
      .run('ask', 'And the harbour?')
      .turn()
      .says('In `src/harbour.ts`.')
      .finishes();
  const replay = ({ events }: Script, earlierRuns = 0): ToPanel[] => [
    { type: 'show_page', name: 'replay' },
    { type: 'page', name: 'replay', data: { events, earlierRuns } },
  ];
  const shown = (page: Page) => page.getByRole('log', { name: 'Replay' });
  const button = (page: Page, name: string) => page.getByRole('region', { name: 'Replay' }).getByRole('button', { name, exact: true });

  it('goes on step by step, and back, and sends nothing', async () => {
    const page = await panel.show([host('ask'), session(script(), false)]);
    await deliver(page, replay(script()));
    const position = page.getByRole('slider', { name: 'Position' });
    await position.press('Home');
    assert.equal(await shown(page).getByRole('article').count(), 0);
    for (const text of ['Where is the tide computed?', 'Read src/tide.ts', 'In src/tide.ts.']) {
      await button(page, 'Next step').press('Enter');
      await shown(page).getByText(text).first().waitFor();
    }
    assert.equal(await shown(page).getByText('And the harbour?').count(), 0);
    await button(page, 'Previous step').press('Enter');
    await shown(page).getByText('In src/tide.ts.').waitFor({ state: 'detached' });
    await position.press('End');
    await shown(page).getByText('In src/harbour.ts.').waitFor();
    assert.ok(await shown(page).evaluate((element) => element.closest('[inert]') !== null), 'nothing in it can be clicked');
    assert.deepEqual(
      (await panel.posted()).filter(({ type }) => type !== 'open_page'),
      [],
    );
  });

  it('shows at its end what the conversation shows', async () => {
    const page = await panel.show([host('ask', { steps: 'full' }), session(script(), false), ...replay(script())]);
    await page.getByRole('slider', { name: 'Position' }).press('End');
    await shown(page).getByText('In src/harbour.ts.').waitFor();
    const conversation = page.getByRole('log', { name: 'Conversation' });
    assert.equal(await shown(page).innerText(), await conversation.innerText());
  });

  it('plays by itself, at the chosen speed, and again', async () => {
    const page = await panel.show([host('ask'), session(script(), false), ...replay(script())]);
    const speed = page.getByRole('combobox', { name: 'Speed' });
    await speed.selectOption('16×');
    await button(page, 'Play again').waitFor();
    await speed.selectOption('0.5×');
    await button(page, 'Play again').press('Enter');
    await button(page, 'Pause').waitFor();
    await speed.selectOption('16×');
    await button(page, 'Play again').waitFor();
    await shown(page).getByText('In src/harbour.ts.').waitFor();
  });

  it('says that only the newest runs can be replayed', async () => {
    const page = await panel.show([host('ask'), session(script(), false, 3), ...replay(script(), 3)]);
    await page.getByText('Only the newest 2 runs of this session can be replayed.').waitFor();
  });
});
