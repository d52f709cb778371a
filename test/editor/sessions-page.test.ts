import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { askToShow } from '../../src/hosts/vscode/panel/pages/open-elsewhere.ts';
import { Pages } from '../../src/hosts/vscode/panel/pages/pages.ts';
import { PanelBranches } from '../../src/hosts/vscode/panel/panel-branches.ts';
import { takeAsked } from '../../src/hosts/vscode/session-elsewhere.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { writeWholeLog } from '../../src/sessions/whole-log.ts';
import { rememberFolders } from '../../src/sessions/workspaces.ts';
import { until } from '../support/until.ts';

const OFFLINE = { provider: 'offline', model: 'offline' };

describe('sessions in the panel', () => {
  let api: Api;
  const ids: string[] = [];
  const begin = async (text: string): Promise<Session> => {
    const session = await api.kedge.assistant.newSession();
    ids.push(session.id);
    await session.prompt({ text, mode: 'ask', model: OFFLINE });
    return session;
  };
  before(async () => {
    api = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
  });
  after(async () => {
    await api.kedge.sessions.show(await api.kedge.assistant.newSession());
    for (const id of ids) await api.kedge.assistant.removeSession(id);
  });

  it('are listed, found, renamed, pinned, shown, deleted and restored on their page', async function () {
    this.timeout(300_000);
    const posted: ToPanel[] = [];
    const pages = new Pages(api.kedge, (message) => posted.push(message));
    const last = () => posted.filter((each) => each.type === 'page' && each.name === 'sessions').at(-1)?.data;
    const entry = (id: string) => last()?.sessions.find((each) => each.id === id);
    try {
      const first = await begin('How many markdown files are there?');
      const second = await begin('How many zebrafish files are there?');
      await pages.show('sessions');
      assert.deepEqual([entry(first.id)?.status, entry(first.id)?.mode, entry(first.id)?.model], ['done', 'ask', 'Offline']);
      await pages.handle({ page: 'sessions', type: 'rename_session', id: first.id, title: 'Markdown' });
      await pages.handle({ page: 'sessions', type: 'pin_session', id: first.id, pinned: true });
      assert.equal(last()?.sessions[0]?.title, 'Markdown');
      const searches = ['zeb', 'zebra', 'zebrafish'].map((words) => pages.handle({ page: 'sessions', type: 'search_sessions', words }));
      await Promise.all(searches);
      assert.deepEqual([last()?.found?.words, last()?.found?.isComplete], ['zebrafish', true]);
      assert.deepEqual(last()?.found?.ids, [second.id]);
      await pages.handle({ page: 'sessions', type: 'show_session', id: second.id });
      assert.equal(api.kedge.sessions.shownId, second.id);
      await pages.handle({ page: 'sessions', type: 'delete_session', id: second.id });
      assert.deepEqual([entry(second.id), last()?.deleted?.id], [undefined, second.id]);
      assert.notEqual(api.kedge.sessions.shownId, second.id);
      await pages.handle({ page: 'sessions', type: 'restore_session', id: second.id });
      assert.deepEqual([entry(second.id)?.isShown, last()?.deleted], [true, undefined]);
      // Whatever happens in a session is shown without a request.
      // Sessions of other workspaces are listed with their folder on request.
      const other = { directory: join(api.kedge.sharedStorage, 'workspaces'), key: 'mole-0123456789ab', folders: ['/srv/mole'] };
      rememberFolders(other);
      const store = new SessionStore(join(other.directory, other.key, 'sessions'));
      writeWholeLog(store.log('elsewhere'), first.events.slice());
      try {
        await pages.handle({ page: 'sessions', type: 'choose_workspaces', everywhere: true });
        assert.deepEqual(entry('elsewhere')?.workspace, { key: other.key, name: 'mole', folders: other.folders });
        assert.ok(entry(first.id)?.workspace);
        await pages.handle({ page: 'sessions', type: 'choose_workspaces', everywhere: false });
        assert.deepEqual([entry('elsewhere'), entry(first.id)?.workspace], [undefined, undefined]);
      } finally {
        await rm(join(other.directory, other.key), { recursive: true, force: true });
      }
      const third = await begin('How many typescript files are there?');
      await until('the new session', () => entry(third.id)?.status === 'done');
    } finally {
      pages.dispose();
    }
  });

  it('are shown once when another window asked for it', async () => {
    const { storage } = api.kedge;
    askToShow(storage, 'wanted');
    assert.deepEqual([takeAsked(storage), takeAsked(storage)], ['wanted', undefined]);
    askToShow(storage, 'too late');
    assert.deepEqual([takeAsked(storage, Date.now() + 3_600_000), takeAsked(storage)], [undefined, undefined]);
  });

  it('are sent again in branches, which keep images, mentions and the models, and know their versions', async function () {
    this.timeout(300_000);
    const { kedge } = api;
    const posted: ToPanel[] = [];
    const branches = new PanelBranches(kedge, (message) => posted.push(message));
    try {
      const session = await kedge.assistant.newSession();
      ids.push(session.id);
      const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQID' };
      const attachments = [image, { ...image, data: 'BBBB' }];
      await session.prompt({ text: 'How many files are there?', mode: 'ask', model: OFFLINE, attachments });
      await kedge.sessionModels.keep(session.id, 'plan', { provider: 'openai', model: 'other' });
      await kedge.sessions.show(session);
      const [runId = ''] = session.state.runs.keys();
      const edited = { text: 'How many markdown files are there?', without: { images: [0], mentions: [] } };
      const remembers = { text: '/remember', without: { images: [], mentions: [] } };
      const of = { type: 'resend', sessionId: session.id, runId, restore: false } as const;
      await assert.rejects(branches.handle({ ...of, edited: remembers }), /nothing to remember/);
      assert.equal((await kedge.sessions.current()).id, session.id);
      // The panel has switched to another session before the message arrives.
      const other = await kedge.assistant.newSession();
      await kedge.sessions.show(other);
      await branches.handle({ ...of, edited });
      const branch = await kedge.sessions.current();
      ids.push(branch.id);
      assert.notEqual(branch.id, session.id);
      const [message] = branch.state.messages;
      assert.deepEqual(
        message?.content.filter((part) => part.type !== 'note'),
        [{ type: 'text', text: edited.text }, attachments[1]],
      );
      assert.equal(branch.state.lastRun?.edits, runId);
      assert.deepEqual(kedge.modelFor(branch.id, 'plan'), { provider: 'openai', model: 'other' });
      const own = branch.state.lastRun?.runId ?? '';
      await until('the versions', () => {
        const message = posted.filter((each) => each.type === 'branches').at(-1);
        return message?.sessionId === branch.id && message.versions[own]?.sessionIds.join() === [session.id, branch.id].join();
      });
      await branches.handle({ type: 'branch', sessionId: branch.id, runId: own, restore: false });
      const after = await kedge.sessions.current();
      ids.push(after.id);
      assert.deepEqual(after.state.parent?.sessionId, branch.id);
      assert.equal(after.state.runs.size, 1);
    } finally {
      branches.dispose();
    }
  });
});
