import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pdf } from '../support/documents/pdf.ts';
import { type Reply, startWindowServer, type WindowServer } from '../support/window-server.ts';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { conversation, newSession, promptBox } from './panel.ts';

const TIDES = Array.from(
  { length: 40 },
  (_, index) => `The tide of day ${index} is high at ${index % 12} o’clock, as the harbor master says.`,
);
const GUIDE = ['# Handbook', '', ...TIDES, '', '## Rollback', '', 'Run the rollback twice, and call the harbor master.', ''];
/** The line of the heading, from 1. */
const LINE = GUIDE.indexOf('## Rollback') + 1;
const PUMP = pdf([[{ text: 'The pump stands in the cellar.', y: 700 }], [{ text: 'The valve is red and turns to the left.', y: 700 }]]);
const WORKSHEET = '# Worksheet: Handbook\n\n## 1. How often is the rollback run?\n\n**Answer:** twice\n';

describe('documents in the panel', () => {
  let script: Reply[] = [];
  let server: WindowServer;
  let workbench: Workbench;
  const begin = sharedWorkbench(() => ({
    files: { 'library/guide.md': GUIDE.join('\n'), 'src/lamp.ts': 'export const lamp = 1;\n' },
    settings: { 'kedge.model': 'openai-chat/test-model', 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } },
  }));
  before(async () => {
    server = await startWindowServer({ window: 200_000 }, () => script.shift() ?? 'Done.');
  });
  after(() => server.close());

  /** Accepts VS Code's own dialog in the folder that it proposes, when it has read it and shows this row. */
  const accept = async (title: string, action: string, row: string) => {
    const widget = workbench.page.locator('.quick-input-widget:visible');
    await titled(title);
    await workbench.quickItem(row).waitFor();
    const heading = widget.locator('.quick-input-title').filter({ hasText: title });
    const button = widget.getByRole('button', { name: action, exact: true });
    await until('the end of the dialog', async () => {
      if (await button.isVisible()) await button.click({ timeout: 2_000 }).catch(() => undefined);
      return !(await heading.isVisible());
    });
  };
  const titled = (title: string) =>
    workbench.page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: title }).waitFor();
  const cursorIs = (line: number) =>
    until(
      `the cursor in line ${line}`,
      async () =>
        (await workbench.page
          .locator('.statusbar-item')
          .filter({ hasText: `Ln ${line},` })
          .count()) > 0,
    );

  it('are added from a folder, asked, opened at their places, and summarized in a worksheet that is exported', async () => {
    ({ workbench } = await begin());
    const { page, folder } = workbench;
    await writeFile(join(folder, 'library', 'pump.pdf'), PUMP);
    const panel = await workbench.panelFrame();
    await newSession(panel);
    await workbench.command('Kedge: Show Documents');
    await panel.getByRole('button', { name: 'Add folder', exact: true }).click();
    await accept('Add Folders of Documents', 'Add', 'library');
    await titled('Name of the Collection');
    await page.keyboard.press('Enter');
    await titled('Where to Use the Collection');
    await workbench.clickQuickItem('This workspace');
    await panel.getByText('2 indexed.').waitFor();
    await panel.getByRole('button', { name: 'Show documents: workspace' }).click();
    await panel.getByRole('button', { name: /^library\/pump\.pdf/ }).waitFor();
    await workbench.screenshot('documents-page');

    const field = panel.getByRole('searchbox', { name: 'Search the documents' });
    await field.fill('red valve');
    const found = panel.getByRole('list', { name: 'Passages' }).getByRole('button');
    await found.filter({ hasText: 'library/pump.pdf' }).waitFor();
    await panel.getByText('page 2', { exact: false }).first().waitFor();
    await workbench.screenshot('documents-search');
    await field.press('Tab');
    await until('the focus on the first passage', () => found.first().evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await page.locator('.tab[data-resource-name="pump.pdf.txt"]').waitFor();
    await page.locator('.view-line').filter({ hasText: 'The valve is red and turns to the left.' }).waitFor();
    await field.fill('no such words at all xyzzy');
    await panel.getByText('Nothing was found.').waitFor();
    await field.fill('');

    const cited = ['workspace/library/guide.md', 'workspace/library/pump.pdf'];
    script = [
      [{ name: 'documents_search', input: { query: 'rollback valve' } }],
      `Run it twice [${cited[0]}:${LINE}-${LINE + 2}]. The valve is red [${cited[1]}:p2].`,
    ];
    await panel.getByRole('button', { name: 'Ask: workspace' }).click();
    await panel.getByRole('list', { name: 'Sent with the message' }).getByText('workspace', { exact: true }).waitFor();
    await promptBox(panel).fill('How do I roll back, and what color is the valve?');
    await promptBox(panel).press('Enter');
    const link = (name: RegExp) => conversation(panel).getByRole('link', { name });
    await link(/guide\.md/).waitFor();
    const { text: request } = server.requests.at(-1) ?? { text: '' };
    assert.match(request, /The valve is red and turns/, 'the passages were read');
    await link(/guide\.md/).click();
    await page.locator('.tab[data-resource-name="guide.md"]').waitFor();
    await cursorIs(LINE);
    await workbench.screenshot('documents-markdown-place');
    await link(/pump\.pdf/).click();
    await page.locator('.tab[data-resource-name="pump.pdf.txt"]').waitFor();
    await page.locator('.view-line').filter({ hasText: 'The valve is red and turns to the left.' }).waitFor();
    await workbench.screenshot('documents-pdf-place');

    script = [WORKSHEET];
    await workbench.command('Kedge: Show Documents');
    await panel.getByRole('button', { name: 'Worksheet: workspace', exact: true }).click();
    await until('the prompt', async () => /worksheet in Markdown/.test(await promptBox(panel).inputValue()));
    await workbench.screenshot('documents-worksheet-prompt');
    await promptBox(panel).press('Enter');
    await conversation(panel).getByText('1. How often is the rollback run?').waitFor();
    await conversation(panel).getByRole('button', { name: 'Save answer' }).last().click();
    await accept('Save Answer', 'OK', 'library');
    await page.locator('.tab[data-resource-name="worksheet-handbook.md"]').waitFor();
    await until('the file', async () => (await readFile(join(folder, 'worksheet-handbook.md'), 'utf8').catch(() => '')) === WORKSHEET);
    await workbench.screenshot('documents-worksheet-saved');
  });
});
