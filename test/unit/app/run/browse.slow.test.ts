/** Runs in which the model sees in a browser what it built. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText } from '../../../../src/core/model/messages.ts';
import type { RunBrowser } from '../../../../src/hosts/node/browser/run-browser.ts';
import { call, type ScriptedTurn, say, turn } from '../../../../src/providers/scripted/index.ts';
import { browserSession, type PageServer, refOf, servePages } from '../../../support/browser-pages.ts';
import { answerAll, assistantOn, eventsOf, type Harness, resultTexts } from '../../../support/harness.ts';

const PAGE = `<title>Counter</title><button onclick="count()">Count</button><output>0</output>
<script>let n = 0; function count() { n += 1; document.querySelector('outptu').textContent = n; }</script>\n`;

describe('a run with the browser tool', function () {
  this.timeout(120_000);
  let server: PageServer;
  let kedge: Harness;

  before(async () => {
    server = await servePages({
      '/': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(join(kedge.root, 'index.html'), 'utf8')),
    });
  });
  after(() => server.close());

  it('sees what it built: finds the mistake in the console, mends it, and takes a screenshot', async () => {
    const { browser, close } = await browserSession();
    const button = (index: number) => refOf(resultTexts(kedge.session)[index] ?? '', 'button "Count"');
    const browse = (input: Record<string, unknown>) => call('browse', input);
    // The ref of the button is known only when the page was opened.
    const clickIn =
      (index: number): ScriptedTurn =>
      (request, signal) => {
        const next = turn(browse({ action: 'click', ref: button(index) }));
        return typeof next === 'function' ? next(request, signal) : next;
      };
    const script = [
      turn(call('create_file', { path: 'index.html', content: PAGE })),
      turn(browse({ action: 'open', url: server.at('/') })),
      clickIn(1),
      turn(browse({ action: 'console' })),
      turn(call('replace_in_file', { path: 'index.html', old_text: 'outptu', new_text: 'output' })),
      turn(browse({ action: 'open', url: server.at('/') })),
      clickIn(5),
      turn(browse({ action: 'screenshot' })),
      turn(say('It counts.')),
    ];
    kedge = await assistantOn({}, script, { browser: async () => browser });
    await using _ = kedge;
    answerAll(kedge.session, { approve: true, grant: 'run', covers: 0 });
    await kedge.session.prompt({ text: 'make a counter', mode: 'agent' });
    const texts = resultTexts(kedge.session);
    assert.match(texts[3] ?? '', /Uncaught Cannot set properties of null/);
    assert.match(texts[6] ?? '', /status[^\n]*: "?1"?/);
    const { result } = eventsOf(kedge.events, 'tool_finished').at(-1) ?? assert.fail();
    assert.equal(
      result.content.some((part) => part.type === 'image' && part.mediaType === 'image/jpeg'),
      true,
      resultText(result),
    );
    // One answer covers the host for the run.
    const asked = eventsOf(kedge.events, 'approval_requested').map(({ title, covers }) => [title, covers]);
    assert.deepEqual(asked[1], [
      `Open ${server.at('/')} in a browser (a private address)`,
      [{ kind: 'host', host: server.host, private: true, tool: 'browse' }],
    ]);
    assert.equal(asked.length, 2);
    assert.equal(kedge.session.state.runs.values().next().value?.status, 'finished');
    // The browser ends with the run.
    await assert.rejects(browser.act({ do: 'open', url: server.at('/'), hosts: [] }, new AbortController().signal), /The run has ended/);
    await close();
  });

  it('asks for each host, and opens nothing that the user rejects', async () => {
    const { browser, close } = await browserSession();
    server.asked.length = 0;
    kedge = await assistantOn({}, [turn(call('browse', { action: 'open', url: server.at('/') })), turn(say('Done.'))], {
      browser: async () => browser,
    });
    await using _ = kedge;
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'open it', mode: 'agent' });
    assert.deepEqual(server.asked, []);
    await close();
  });

  it('is not offered in Ask and Plan mode, in an untrusted workspace, and without the setting', async () => {
    const created: string[] = [];
    const browser = async () => {
      created.push('browser');
      return undefined as RunBrowser | undefined;
    };
    for (const [mode, options] of [
      ['ask', { browser }],
      ['plan', { browser }],
      ['ask', { browser, trusted: false }],
    ] as const) {
      await using each = await assistantOn({}, [turn(say('Done.'))], options);
      await each.session.prompt({ text: 'go', mode });
      assert.equal(
        each.adapter.requests[0]?.tools.some(({ name }) => name === 'browse'),
        false,
      );
    }
    assert.deepEqual(created, []);
    await using each = await assistantOn({}, [turn(say('Done.'))], { browser });
    await each.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(
      each.adapter.requests[0]?.tools.some(({ name }) => name === 'browse'),
      false,
    );
  });

  it('costs few tokens', async () => {
    const { browser, close } = await browserSession();
    await using each = await assistantOn({}, [turn(say('Done.'))], { browser: async () => browser });
    await each.session.prompt({ text: 'go', mode: 'agent' });
    const tool = each.adapter.requests[0]?.tools.find(({ name }) => name === 'browse');
    const { length } = JSON.stringify(tool);
    assert.ok(length < 750, `${length} characters`);
    await close();
  });
});
