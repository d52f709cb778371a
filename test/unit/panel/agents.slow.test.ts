import assert from 'node:assert/strict';
import type { PageRequest } from '../../../src/protocol/pages.ts';
import { panelPage } from '../../support/panel-page.ts';

describe('the page of agents in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const requests = async () =>
    (await panel.posted()).flatMap((each) => (each.type === 'page_request' ? [(each as unknown as { request: PageRequest }).request] : []));

  it('says what each agent did, and chooses, shows and opens agents with the keyboard', async () => {
    const page = await panel.open('agents');
    const reviewer = page.getByRole('region', { name: 'reviewer', exact: true });
    assert.match(await reviewer.innerText(), /12 runs, the last Nov 20.*: 10 answered, 1 stopped, 1 failed, 3 rated good, 1 rated bad\./);
    assert.equal(
      await page
        .getByRole('region', { name: 'coder', exact: true })
        .getByText(/runs?, the last/)
        .count(),
      0,
    );
    await page.getByRole('button', { name: 'Use coder', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Do not use reviewer' }).press('Space');
    await page.getByRole('button', { name: 'Show prompt of tutor' }).press('Enter');
    await page.getByRole('button', { name: 'Open file of style' }).press('Enter');
    await page.getByRole('button', { name: 'Open file of tides' }).press('Enter');
    for (const name of ['Import…', 'Export style…', 'Update harbor…', 'Remove harbor…'])
      await page.getByRole('button', { name, exact: true }).press('Enter');
    const agents = { page: 'agents' } as const;
    assert.deepEqual(await requests(), [
      { ...agents, type: 'choose_agent', name: 'coder' },
      { ...agents, type: 'choose_agent', name: '' },
      { ...agents, type: 'show_agent', name: 'tutor' },
      { ...agents, type: 'open_agent_file', name: 'style' },
      { ...agents, type: 'open_installed', kind: 'skill', id: '.kedge/skills/tides/SKILL.md' },
      { ...agents, type: 'import_package' },
      { ...agents, type: 'export_agent', name: 'style' },
      { ...agents, type: 'update_package', name: 'harbor' },
      { ...agents, type: 'remove_package', name: 'harbor' },
    ]);
  });

  it('finds by words, and Escape clears the search before it closes the page', async () => {
    const page = await panel.open('agents');
    const search = page.getByRole('searchbox');
    await search.fill('workspace tide');
    assert.equal(await page.getByRole('search').getByRole('status').innerText(), '1 of 10');
    assert.deepEqual(await page.getByRole('list').evaluateAll((lists) => lists.map((list) => list.ariaLabel)), [
      'Skills',
      'Agents that cannot be used',
    ]);
    assert.equal(await page.getByRole('region', { name: 'coder', exact: true }).count(), 0);
    await search.fill('nothing of this kind');
    assert.equal(await page.getByRole('search').getByRole('status').innerText(), 'Nothing matches.');
    await search.press('Escape');
    assert.equal(await search.inputValue(), '');
    assert.equal(await page.getByRole('region', { name: 'coder', exact: true }).count(), 1);
    await search.press('Escape');
    assert.equal(await page.getByRole('searchbox').count(), 0);
  });
});
