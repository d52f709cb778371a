import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureChromium } from '../../scripts/chromium.ts';
import { root } from '../../scripts/editor.ts';
import { LIBRARY, libraryPlace } from '../../src/hosts/node/browser/library.ts';
import { type PageServer, refOf, servePages } from '../support/browser-pages.ts';
import { startWindowServer, textOfWire, type WindowRequest, type WindowServer } from '../support/window-server.ts';
import { openWorkbench, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';

const PAGE = `<title>Tides</title><h1>Tides</h1><button onclick="this.nextElementSibling.textContent = 'high'">Next</button><output>low</output>`;
const lastOf = ({ messages }: WindowRequest) => {
  const message = messages.at(-1);
  return message?.role === 'tool' ? textOfWire(message) : '';
};

/** The model opens a page, clicks its button and takes a screenshot. */
function play(request: WindowRequest, url: string) {
  const result = lastOf(request);
  const turn = request.messages.filter(({ role }) => role === 'tool').length;
  const browse = (input: Record<string, unknown>) => [{ name: 'browse', input }];
  if (turn === 0) return browse({ action: 'open', url });
  if (turn === 1) return browse({ action: 'click', ref: refOf(result, 'button "Next"') });
  if (turn === 2) return browse({ action: 'screenshot' });
  return 'The tide is high.';
}

describe('the browser tool in the workbench', () => {
  let pages: PageServer;
  let model: WindowServer;
  let workbench: Workbench;

  before(async () => {
    pages = await servePages({ '/': PAGE });
    model = await startWindowServer({ window: 200_000 }, (request) => play(request, pages.at('/')));
    workbench = await openWorkbench({
      files: { 'src/tide.ts': 'export const tide = 1;\n' },
      settings: {
        'kedge.model': 'openai-chat/test-model',
        'kedge.baseUrls': { 'openai-chat': `${model.url}/v1` },
        'kedge.browser.enabled': true,
        'kedge.browser.path': await ensureChromium(),
      },
    });
    // The set-up would get the library from the registry.
    const library = join(libraryPlace(join(workbench.folder, '..', 'data', 'kedge')), 'node_modules', LIBRARY.name);
    await mkdir(dirname(library), { recursive: true });
    await symlink(join(root, 'node_modules', LIBRARY.name), library);
  });
  after(async () => {
    await workbench?.dispose();
    await Promise.all([pages.close(), model.close()]);
  });

  it('opens a page only after an approval that names its host, and shows what it saw', async () => {
    const panel = await workbench.panelFrame();
    await newSession(panel);
    await choose(panel, 'Agent');
    await send(panel, 'Look at the tides.');
    await panel
      .getByText(`Open ${pages.at('/')} in a browser`)
      .last()
      .waitFor();
    await workbench.screenshot('browse-approval');
    assert.deepEqual(pages.asked, []);
    await panel.getByRole('button', { name: 'More approval options' }).click();
    await workbench.screenshot('browse-grants');
    await panel
      .getByRole('group', { name: new RegExp(pages.host) })
      .getByRole('button', { name: 'For this run' })
      .click();
    await conversation(panel).getByText('The tide is high.').waitFor();
    await workbench.screenshot('browse');
    assert.deepEqual(pages.asked, [`${pages.host}/`]);
    assert.match(model.requests.map(lastOf).join('\n'), /high/);
  });
});
