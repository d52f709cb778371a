import assert from 'node:assert/strict';
import type { PageRequest } from '../../../src/protocol/pages.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';

describe('the page about documents in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const requests = async () =>
    (await panel.posted()).flatMap((each) => (each.type === 'page_request' ? [(each as unknown as { request: PageRequest }).request] : []));

  it('adds, updates, removes and cancels, with the keyboard', async () => {
    const page = await panel.open('documents');
    await page.getByRole('button', { name: 'Add folder', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Add web pages to handbook' }).press('Enter');
    await page.getByRole('button', { name: 'Update: preact' }).press('Enter');
    await page.getByRole('button', { name: 'Remove: preact' }).press('Enter');
    assert.deepEqual(await requests(), [
      { page: 'documents', type: 'add_documents', source: 'folder' },
      { page: 'documents', type: 'add_documents', source: 'page', collection: 'handbook' },
      { page: 'documents', type: 'update_collection', collection: 'preact' },
      { page: 'documents', type: 'remove_collection', collection: 'preact' },
    ]);
    const indexing = await panel.open('documents-indexing');
    assert.equal(await indexing.getByText('Indexing: 312 of 1,250 documents').count(), 1);
    assert.equal(await indexing.getByRole('button', { name: /^(Update|Remove)/ }).count(), 0);
    await indexing.getByRole('button', { name: 'Cancel: handbook' }).press('Enter');
    assert.deepEqual(await requests(), [{ page: 'documents', type: 'cancel_update', collection: 'handbook' }]);
  });

  it('lists the documents, opens them, and says why one could not be read', async () => {
    const page = await panel.open('documents');
    const list = page.getByRole('list', { name: 'Documents of handbook' });
    assert.match(await list.getByRole('listitem').filter({ hasText: 'contract.pdf' }).innerText(), /protected by a password/);
    await list.getByRole('button', { name: /^docs\/handbook\/deploy\.md/ }).click();
    await page.getByRole('button', { name: 'Could not be read' }).click();
    await page.getByRole('button', { name: 'Hide documents: handbook' }).click();
    await page.getByRole('button', { name: 'Show documents: preact' }).click();
    assert.deepEqual(await requests(), [
      { page: 'documents', type: 'open_document', collection: 'handbook', document: 'docs/handbook/deploy.md' },
      { page: 'documents', type: 'list_documents', collection: 'handbook', filter: 'failed' },
      { page: 'documents', type: 'list_documents', collection: 'handbook' },
      { page: 'documents', type: 'list_documents', collection: 'preact', filter: 'all' },
    ]);
  });

  it('searches while the user types, and opens passages at their places, with the keyboard', async () => {
    const page = await panel.open('documents-search');
    const field = page.getByRole('searchbox', { name: 'Search the documents' });
    assert.equal(await field.inputValue(), 'rollback');
    assert.equal(await page.getByRole('status').filter({ hasText: '2 passages' }).count(), 1);
    await field.press('Tab');
    await page.keyboard.press('Enter');
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem');
    assert.match(await passages.nth(1).innerText(), /page 3, Pump > Rollback of the settings/);
    await field.fill('rollbacks');
    assert.equal(await page.getByRole('status').filter({ hasText: 'Searching…' }).count(), 1);
    assert.equal(await passages.count(), 0, 'results for other words are not shown');
    await field.fill('');
    assert.equal(await page.getByRole('list', { name: 'Passages' }).count(), 0);
    assert.deepEqual(await requests(), [
      { page: 'documents', type: 'open_document', collection: 'handbook', document: 'docs/handbook/deploy.md', place: '12-18' },
      { page: 'documents', type: 'search_documents', words: 'rollbacks' },
      { page: 'documents', type: 'search_documents', words: '' },
    ]);
  });

  it('puts prompts into the input box, which closes the page', async () => {
    const page = await panel.open('documents');
    await page.getByRole('button', { name: 'Summarize: handbook', exact: true }).click();
    await page.getByRole('button', { name: 'Compare: docs/handbook/deploy.md' }).click();
    const use = { page: 'documents', type: 'use_template', collection: 'handbook' } as const;
    assert.deepEqual(await requests(), [
      { ...use, template: 'summarize' },
      { ...use, template: 'compare', document: 'docs/handbook/deploy.md' },
    ]);
    const messages: ToPanel[] = [
      { type: 'compose', text: 'Summarize the document.' },
      { type: 'add_mention', ref: { kind: 'collection', path: 'handbook' } },
    ];
    await deliver(page, messages);
    assert.equal(await page.getByRole('region', { name: 'Documents', exact: true }).count(), 0);
    assert.equal(await page.getByRole('textbox', { name: /^Prompt/ }).inputValue(), 'Summarize the document.');
    assert.equal(await page.getByRole('list', { name: 'Sent with the message' }).getByText('handbook').count(), 1);
  });

  it('offers nothing in a workspace that is not trusted but to trust it', async () => {
    const page = await panel.open('documents-untrusted');
    assert.equal(await page.getByRole('button', { name: /^(Add|Update|Remove:)/ }).count(), 0);
    await page.getByRole('button', { name: 'Manage workspace trust' }).click();
    assert.deepEqual((await panel.posted()).at(-1), { type: 'manage_trust' });
  });

  it('is not needed to open the places that an answer cites', async () => {
    const page = await panel.open('documents-answer');
    for (const link of await page.locator('.markdown a').all()) await link.click();
    assert.deepEqual(await panel.posted(), [
      { type: 'open_source', text: '[handbook/docs/handbook/deploy.md:12-18]' },
      { type: 'open_source', text: '[handbook/docs/handbook/my pump.pdf:p2]' },
      { type: 'open_source', text: 'manuals/pump.pdf:p3' },
      { type: 'open_source', text: '[preact/https://preactjs.com/guide:10-12]' },
    ]);
    await page.getByRole('button', { name: 'Save answer' }).press('Enter');
    const [saved] = (await panel.posted()).slice(-1) as { type: string; text?: string }[];
    assert.equal(saved?.type, 'save_answer');
    assert.match(saved?.text ?? '', /^Run it twice/);
  });

  it('keeps the focus while the progress changes', async () => {
    const page = await panel.open('documents-indexing');
    const cancel = page.getByRole('button', { name: 'Cancel: handbook' });
    await cancel.focus();
    const handbook = { name: 'handbook', isGlobal: false, isFromNetwork: false, sources: [], documents: 1_250, failed: 0, todo: 937 };
    const data = { notes: [], canAdd: true, collections: [{ ...handbook, progress: { done: 313, todo: 1_250 } }] };
    await deliver(page, [{ type: 'page', name: 'documents', data }]);
    assert.equal(await page.getByText('Indexing: 313 of 1,250 documents').count(), 1);
    assert.ok(await cancel.evaluate((element) => element === document.activeElement));
  });
});
