import assert from 'node:assert/strict';
import type { Session } from '../../../src/app/session/session.ts';
import type { MentionChoice } from '../../../src/core/model/mentions.ts';
import { copiedEvents, fromOutside } from '../../../src/core/session/fork.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { grantRows } from '../../../src/core/view/permissions.ts';
import { readTyped } from '../../../src/hosts/cli/mentions.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, resultTexts } from '../../support/harness.ts';

const create = (path: string) => call('create_file', { path, content: `${path}\n` });
const done = turn(say('Done.'));
const decisions = (kedge: Harness) => eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`);
const EDIT = { action: 'edit' } as const;

describe('what the user sets for a session', () => {
  it('decides the next call, also of a run in progress, and the newest click counts', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), turn(create('b')), turn(create('c')), turn(create('d')), done]);
    const { session } = kedge;
    answerAll(session, { approve: true });
    const effects = ['ask', undefined, 'deny'] as const;
    session.note({ type: 'session_permission_set', about: EDIT, effect: 'allow' });
    let index = 0;
    session.subscribe((event) => {
      if (event.type !== 'tool_finished' || index === effects.length) return;
      const effect = effects[index++];
      session.note({ type: 'session_permission_set', about: EDIT, ...(effect && { effect }) });
    });
    await session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(decisions(kedge), ['allow edits-granted', 'ask rule', 'ask edit', 'deny rule']);
    assert.match(resultTexts(session).at(-1) ?? '', /A rule in this session denies edits\./);
    assert.deepEqual(session.state.grants, []);
    assert.deepEqual(session.state.rules, [{ about: EDIT, effect: 'deny' }]);
  });

  it('cannot allow anything but edits, and only its restrictions are part of a copy', async () => {
    const kedge = await assistantOn({}, []);
    const { session } = kedge;
    for (const action of ['read', 'delete', 'command', 'network', 'mcp'] as const)
      session.note({ type: 'session_permission_set', about: { action }, effect: 'allow' });
    assert.deepEqual([session.state.grants, session.state.rules], [[], []]);
    session.note({ type: 'session_permission_set', about: EDIT, effect: 'allow' });
    session.note({ type: 'session_permission_set', about: { server: 'github' }, effect: 'ask' });
    const copy = foldSession(copiedEvents(session.events));
    assert.deepEqual([copy.grants, copy.rules], [[], [{ about: { server: 'github' }, effect: 'ask' }]]);
    assert.deepEqual(foldSession(copiedEvents(session.events.flatMap(fromOutside))).rules, []);
    await using again = await kedge.reload();
    assert.deepEqual(again.session.state.rules, [{ about: { server: 'github' }, effect: 'ask' }]);
  });

  it('holds in a branch, also when it was set after the place where the branch begins', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done, turn(create('b')), done]);
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'first', mode: 'agent' });
    kedge.session.note({ type: 'session_permission_set', about: EDIT, effect: 'deny' });
    kedge.session.note({ type: 'session_permission_set', about: { server: 'github' }, effect: 'ask' });
    kedge.session.note({ type: 'session_permission_set', about: { server: 'github' } });
    const [runId = ''] = kedge.session.state.runs.keys();
    const { session, prompt, bound } = await (await kedge.assistant.library()).forkBeforeRun(kedge.session.id, runId);
    assert.deepEqual(session.state.rules, [{ about: EDIT, effect: 'deny' }]);
    await session.prompt(prompt, bound);
    assert.deepEqual(
      eventsOf(session.events, 'tool_started').map(({ decision }) => decision.kind),
      ['deny'],
    );
  });

  it('hides files from a search when reading needs approval', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'word' }, [turn(call('search_text', { pattern: 'word' })), done]);
    kedge.session.note({ type: 'session_permission_set', about: { action: 'read' }, effect: 'deny' });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR Denied: A rule in this session denies reading files\./);
  });

  it('decides which files a mention can complete and the terminal sends, but not in another session', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'word' });
    kedge.session.note({ type: 'session_permission_set', about: { action: 'read' }, effect: 'deny' });
    const other = await kedge.assistant.newSession();
    const { signal } = new AbortController();
    const found = async (session: Session) => {
      const choices: MentionChoice[] = [];
      for await (const list of (await kedge.assistant.mentions(session)).find('a.txt', { open: ['a.txt'] })) choices.push(...list);
      const sent = await readTyped(kedge.assistant, session, 'see @a.txt', signal, { provider: 'scripted', model: 'scripted' });
      return [choices.length > 0, sent.length];
    };
    assert.deepEqual(await found(kedge.session), [false, 0]);
    assert.deepEqual(await found(other), [true, 1]);
  });

  it('also decides about mentions and rules files', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'word', 'AGENTS.md': 'Prefer tabs.\n' }, [done]);
    kedge.session.note({ type: 'session_permission_set', about: { action: 'read' }, effect: 'deny' });
    const mentions = await kedge.assistant.mentions(kedge.session);
    const ref = { kind: 'file', path: 'a.txt' } as const;
    await assert.rejects(mentions.check(ref), /A rule in this session denies reading files\./);
    const { parts, refused } = await mentions.read([ref], () => true, new AbortController().signal);
    assert.deepEqual([parts, refused.map((each) => each.ref)], [[], [ref]]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.ok(!JSON.stringify(kedge.adapter.requests).includes('Prefer tabs.'));
  });
});

describe('the list of granted permissions', () => {
  it('is empty as soon as everything was revoked, also in a session without a run', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done]);
    const { session } = kedge;
    session.note({ type: 'session_permission_set', about: EDIT, effect: 'allow' });
    kedge.assistant.revokeGrants();
    assert.deepEqual(session.state.grants, []);
    await session.prompt({ text: 'go', mode: 'ask' });
    session.note({ type: 'session_permission_set', about: EDIT, effect: 'allow' });
    kedge.assistant.revokeGrants({ kind: 'edits' });
    assert.deepEqual(session.state.grants, []);
    const again = await kedge.reload();
    assert.deepEqual(again.session.state.grants, []);
  });

  it('says when and with which approval each was granted, and each can be revoked', async () => {
    await using kedge = await assistantOn({}, [turn(create('src/a')), done, turn(create('src/b')), done]);
    const { session } = kedge;
    answerAll(session, { approve: true, grant: 'session', covers: 1 });
    await session.prompt({ text: 'go', mode: 'agent' });
    session.note({ type: 'session_permission_set', about: EDIT, effect: 'allow' });
    const covers = { kind: 'path', tool: 'create_file', glob: 'src/**' } as const;
    const host = { covers: { kind: 'host', host: 'example.com' }, at: 1, title: 'Fetch' } as const;
    const rows = grantRows(session.state.grants, session.events, [host, { covers: { kind: 'command', prefix: ['npm', 'test'] } }]);
    const [resolved] = eventsOf(session.events, 'approval_resolved');
    assert.deepEqual(
      rows.map(({ text, scope, title }) => [text, scope, title]),
      [
        ['edits in this workspace', 'session', undefined],
        ['new files in src/**', 'session', 'Create src/a'],
        ['requests to example.com', 'workspace', 'Fetch'],
        ['commands that begin with npm test', 'workspace', undefined],
      ],
    );
    assert.equal(rows[1]?.at, resolved?.at);
    for (const each of [covers, { kind: 'edits' }] as const) session.note({ type: 'session_grant_revoked', covers: each });
    assert.deepEqual(session.state.grants, []);
    await session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(decisions(kedge), ['ask edit', 'ask edit']);
  });
});
