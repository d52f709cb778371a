import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { PanelMentions } from '../../src/hosts/vscode/panel/panel-mentions.ts';
import { PanelView } from '../../src/hosts/vscode/panel/panel-view.ts';
import type { ToHost, ToPanel } from '../../src/protocol/panel.ts';
import { moveToTrash } from '../../src/sessions/trash.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { until } from '../support/until.ts';

describe('the host of the panel', () => {
  let api: Api;
  let posted: ToPanel[];
  let view: PanelView;

  before(async () => {
    api = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
    await vscode.workspace.fs.writeFile(api.kedge.fs.uri({ folder: 0, path: 'ref/tide.ts' }), encodeText('one\n'));
  });

  beforeEach(() => {
    posted = [];
    const webview = { postMessage: async (message: ToPanel) => posted.push(message) > 0 } as unknown as vscode.Webview;
    view = new PanelView({ ...api, webview, queue: [], isShown: () => true });
  });

  afterEach(() => view.dispose());

  const send = (message: ToHost) => view.receive(message);
  const answers = () => posted.filter((each) => each.type === 'sent' || each.type === 'not_sent');

  it('suggests the active file to each panel that becomes ready, also after a reload', async () => {
    const document = await vscode.workspace.openTextDocument(api.kedge.fs.uri({ folder: 0, path: 'ref/tide.ts' }));
    await vscode.window.showTextDocument(document);
    for (let count = 0; count < 2; count++) {
      posted.length = 0;
      await send({ type: 'ready' });
      const suggestions = posted.filter((each) => each.type === 'suggest_mention');
      assert.equal(suggestions.at(-1)?.ref?.path, 'ref/tide.ts');
    }
  });

  it('returns a message with its id: if a mention is refused, if no run can start, and if it is too long', async () => {
    const { assistant } = api.kedge;
    const session = await assistant.newSession();
    const { id: sessionId } = session;
    await send({
      type: 'prompt',
      id: 'a',
      text: 'Look',
      mode: 'ask',
      sessionId,
      mentions: [{ ref: { kind: 'file', path: 'ref/gone.ts' } }],
    });
    await send({ type: 'prompt', id: 'b', text: '/compact', mode: 'ask', sessionId });
    await send({ type: 'prompt', id: 'c', text: 'x'.repeat(200_001), mode: 'ask', sessionId });
    assert.deepEqual(
      answers().map((each) => [each.type, each.id]),
      [
        ['not_sent', 'a'],
        ['not_sent', 'b'],
        ['not_sent', 'c'],
      ],
    );
    assert.equal(session.state.runs.size, 0);
  });

  it('completes prompt files, and sends their text with the selection of the editor', async () => {
    const at = { folder: 0, path: '.kedge/prompts/look-at.md' };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are variables of a prompt file
    const body = 'Look at ${file}: ${selection} ${input:why:the reason}';
    await vscode.workspace.fs.writeFile(api.kedge.fs.uri(at), encodeText(`---\ndescription: Looks\nmode: ask\n---\n${body}\n`));
    const document = await vscode.workspace.openTextDocument(api.kedge.fs.uri({ folder: 0, path: 'ref/tide.ts' }));
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    await send({ type: 'find_commands' });
    assert.deepEqual(posted.at(-1), {
      type: 'commands_found',
      commands: [{ command: '/look-at', text: 'Looks (for Ask mode, from .kedge/prompts/look-at.md)', takes: 'file, selection, why' }],
    });
    const session = await api.kedge.assistant.newSession();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a value is not filled in
    await send({ type: 'prompt', id: 'a', text: '/look-at why="it ${file}" please', mode: 'agent', sessionId: session.id });
    assert.deepEqual(answers(), [{ type: 'sent', id: 'a' }]);
    const run = session.state.lastRun;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a value is not filled in
    assert.deepEqual([run?.prompt, run?.mode], ['Look at ref/tide.ts: one it ${file}\n\nplease', 'ask']);
    await vscode.workspace.fs.delete(api.kedge.fs.uri({ folder: 0, path: '.kedge' }), { recursive: true });
  });

  it('accepts a message when its run starts, and /init with its mentions', async () => {
    const session = await api.kedge.assistant.newSession();
    const { id: sessionId } = session;
    const mentions = [{ ref: { kind: 'file' as const, path: 'ref/tide.ts' } }];
    await send({ type: 'prompt', id: 'a', text: 'show @ref/tide.ts', mode: 'ask', sessionId, mentions });
    assert.deepEqual(answers(), [{ type: 'sent', id: 'a' }]);
    const run = send({ type: 'prompt', id: 'b', text: '/init', mode: 'ask', sessionId, mentions });
    await new Promise<void>((resolve) => {
      session.subscribe(({ type }) => type === 'message_added' && resolve());
    });
    await session.stop();
    await run;
    assert.deepEqual(answers().at(-1), { type: 'sent', id: 'b' });
    assert.deepEqual(session.readView().runs.at(-1)?.mentions, [{ kind: 'file', path: 'ref/tide.ts' }]);
  });

  it('stops reading mentions, and also returns the messages after them', async () => {
    const { fs, sessions } = api.kedge;
    const never = { read: () => new Promise<never>(() => undefined), filesChanged: () => undefined };
    const mentions = new PanelMentions({ fs, sessions, assistant: { mentions: async () => never } } as never, () => undefined);
    const model = { provider: 'offline', model: 'offline' };
    const session = await sessions.current();
    const readings = [
      mentions.read(session, [{ ref: { kind: 'url', path: 'https://tides.example' } }], model),
      mentions.read(session, [], model),
    ];
    const settled = Promise.allSettled(readings);
    mentions.stopReading();
    const names = (await settled).map((each) => each.status === 'rejected' && each.reason.name);
    assert.deepEqual(names, ['NotSent', 'NotSent']);
    assert.deepEqual(await mentions.read(session, [], model), []);
    mentions.dispose();
  });

  it('answers a search that fails, so that the panel does not wait after Enter', async () => {
    const { fs, sessions } = api.kedge;
    const failing = {
      async *find() {
        yield* [];
        throw new Error('No files.');
      },
      filesChanged: () => undefined,
    };
    const mentions = new PanelMentions({ fs, sessions, assistant: { mentions: async () => failing } } as never, (message) =>
      posted.push(message),
    );
    await assert.rejects(mentions.find('ti'), /No files/);
    assert.deepEqual(posted, [{ type: 'mentions_found', query: 'ti', choices: [] }]);
    mentions.dispose();
  });

  it('says that another window has deleted the session, and restores it if the user wants that', async function () {
    this.timeout(120_000);
    const { assistant, sessions } = api.kedge;
    const session = await assistant.newSession();
    await session.prompt({ text: 'How many tides are there?', mode: 'ask', model: { provider: 'offline', model: 'offline' } });
    await sessions.show(session);
    await send({ type: 'ready' });
    // The other window has its own objects for the same files.
    moveToTrash(join(api.kedge.storage, 'sessions'), session.id);
    await send({ type: 'continue' });
    const notice = posted.findLast((each) => each.type === 'notice');
    assert.match(notice?.text ?? '', /^This session was deleted in another window or process\. Restore it, or start a new session\.$/);
    const library = await assistant.library();
    assert.equal(library.isDeleted(session.id), true);
    await until('the restored session', async () => {
      await vscode.commands.executeCommand('notification.acceptPrimaryAction');
      return !library.isDeleted(session.id);
    });
    await until('the session in the panel', () => posted.findLast((each) => each.type === 'session')?.sessionId === session.id);
    await session.prompt({ text: 'And ebbs?', mode: 'ask', model: { provider: 'offline', model: 'offline' } });
    assert.equal(session.state.runs.size, 2);
    await sessions.show(await assistant.newSession());
    await assistant.removeSession(session.id);
  });
});
