import assert from 'node:assert/strict';
import { rm, symlink } from 'node:fs/promises';
import type { ApprovalAnswer } from '../../../src/core/session/events.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const create = (path: string, id = '') => call('create_file', { path, content: `${path}\n` }, id);
const edit = (old_text: string, new_text: string) => call('replace_in_file', { path: 'a.txt', edits: [{ old_text, new_text }] });
const done = turn(say('Done.'));

/** Sends a prompt, and resolves when the run asks its first question. */
async function untilAsked({ session }: Harness): Promise<{ approvalId: string; ended: Promise<void> }> {
  const asked = nextEvent(session, 'approval_requested');
  const ended = session.prompt({ text: 'go', mode: 'agent' });
  const { approvalId } = await asked;
  return { approvalId, ended };
}

describe('an approval', () => {
  it('holds for its call only while the workspace is not trusted', async () => {
    const options: { trusted: boolean } = { trusted: true };
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done], options);
    const { approvalId, ended } = await untilAsked(kedge);
    options.trusted = false;
    await kedge.session.answerApproval(approvalId, { approve: true, grant: 'workspace' });
    await ended;
    assert.deepEqual([kedge.granted.covers, kedge.session.state.grants], [[], []]);
    assert.deepEqual(lastOf(kedge.events, 'approval_resolved').answer, { approve: true });
  });

  it('shows the change, as a diff, before a byte of it is written', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\ntwo\n' }, [turn(edit('two', 'three')), done]);
    const before = await kedge.snapshot();
    const { approvalId, ended } = await untilAsked(kedge);
    const { title, reason, changes, digest } = lastOf(kedge.events, 'approval_requested');
    assert.deepEqual([title, reason], ['Edit a.txt', 'This edit changes 1 file.']);
    assert.match(digest ?? '', /^[0-9a-f]{64}$/);
    const [{ before: _, after: __, ...change } = {}] = changes as Partial<(typeof changes)[0]>[];
    assert.deepEqual(change, { path: 'a.txt', kind: 'edit', added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three' });
    assert.deepEqual(await kedge.snapshot(), before);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'one\nthree\n');
    assert.deepEqual(resultTexts(kedge.session), ['Replaced 1 passage in a.txt.']);
  });

  it('that is rejected changes nothing, and the model receives the user’s words', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), turn(create('b.txt')), done]);
    const answers: ApprovalAnswer[] = [{ approve: false, words: 'Keep it as it is.' }, { approve: false }];
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, answers.shift() as ApprovalAnswer);
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(resultTexts(kedge.session), ['ERROR The user rejected this: Keep it as it is.', 'ERROR The user rejected this.']);
    assert.equal(await kedge.read('a.txt'), 'one');
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('can only be answered once', async () => {
    await using kedge = await assistantOn({}, [turn(create('a.txt')), done]);
    const { approvalId, ended } = await untilAsked(kedge);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await assert.rejects(kedge.session.answerApproval(approvalId, { approve: false }), /already been answered/);
    await ended;
  });

  it('is not requested for an invalid call', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('none', 'x'), create('a.txt'), create('../b.txt')), done]);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested'), []);
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR old_text of edit 1 is not in a.txt. Read the file again.',
      'ERROR a.txt already exists. Use replace_in_file to change it.',
      'ERROR ../b.txt is outside the workspace. Use a path in the workspace.',
    ]);
  });
});

describe('an approval can be given', () => {
  const grantOnce = ({ session }: Harness, grant: 'run' | 'session' | 'workspace') => {
    let first = true;
    session.subscribe((event) => {
      if (event.type !== 'approval_requested') return;
      void session.answerApproval(event.approvalId, first ? { approve: true, grant } : { approve: false });
      first = false;
    });
  };
  const script = [turn(create('1')), turn(create('2')), done, turn(create('3')), done];
  const written = async (kedge: Harness) => Object.keys(await kedge.snapshot()).filter((path) => !path.endsWith('/'));

  it('for this run', async () => {
    await using kedge = await assistantOn({}, script);
    grantOnce(kedge, 'run');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/1', 'workspace/2']);
    assert.deepEqual(
      eventsOf(kedge.events, 'tool_started').map(({ decision }) => decision.rule),
      ['edit', 'edits-granted', 'edit'],
    );
  });

  it('for this session, also after a reload, but not for another session', async () => {
    await using kedge = await assistantOn({}, [...script, turn(create('4')), done]);
    grantOnce(kedge, 'session');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const again = await kedge.reload();
    await again.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/1', 'workspace/2', 'workspace/3']);
    const other = await again.assistant.newSession();
    answerAll(other, { approve: false });
    await other.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(resultTexts(other), ['ERROR The user rejected this.']);
  });

  it('for this workspace, and all its sessions', async () => {
    await using kedge = await assistantOn({}, [...script, turn(create('4')), done]);
    grantOnce(kedge, 'workspace');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const again = await kedge.reload();
    await again.session.prompt({ text: 'go', mode: 'agent' });
    await (await again.assistant.newSession()).prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/1', 'workspace/2', 'workspace/3', 'workspace/4']);
  });

  it('but never permanently for protected paths and deletions', async () => {
    await using kedge = await assistantOn({ 'old.txt': 'x', '.git/info/attributes': '*.c text\n' }, [
      turn(create('1')),
      turn(create('.vscode/settings.json')),
      turn(call('replace_in_file', { path: '.git/info/attributes', edits: [{ old_text: 'text', new_text: 'filter=x' }] })),
      turn(call('delete_file', { path: 'old.txt' })),
      turn(call('move_file', { from: '1', to: '.GitHub/../.Git/hooks/pre-commit' })),
      done,
    ]);
    grantOnce(kedge, 'session');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'tool_started').map(({ decision }) => decision.rule),
      ['edit', 'protected-path', 'protected-path', 'deletes', 'protected-path'],
    );
    assert.deepEqual(await written(kedge), ['workspace/.git/info/attributes', 'workspace/1', 'workspace/old.txt']);
  });

  for (const grant of ['run', 'session', 'workspace'] as const)
    it(`but only once for calls that are not edits, even if it was given for the ${grant}`, async () => {
      await using kedge = await assistantOn({ 'old.txt': 'x' }, [
        turn(call('delete_file', { path: 'old.txt' })),
        turn(create('1')),
        turn(create('.git/hooks/pre-push')),
        done,
      ]);
      let asked = 0;
      kedge.session.subscribe((event) => {
        if (event.type !== 'approval_requested') return;
        void kedge.session.answerApproval(event.approvalId, asked++ === 0 ? { approve: true, grant } : { approve: false });
      });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.deepEqual(
        eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
        ['deletes', 'edit', 'protected-path'],
      );
      assert.deepEqual(eventsOf(kedge.events, 'approval_resolved')[0]?.answer, { approve: true });
      assert.deepEqual([kedge.granted.covers, kedge.session.state.grants], [[], []]);
      assert.deepEqual(await written(kedge), []);
    });
});

describe('permissions can be removed', () => {
  for (const grant of ['run', 'session'] as const) {
    it(`during the ${grant}`, async () => {
      await using kedge = await assistantOn({}, [turn(create('1')), turn(create('2')), turn(create('3')), done]);
      const answers: ApprovalAnswer[] = [{ approve: true, grant }, { approve: false }];
      kedge.session.subscribe((event) => {
        if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, answers.shift() ?? { approve: false });
        if (event.type === 'file_changed' && event.changes[0]?.path === '2') kedge.assistant.revokeGrants();
      });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.deepEqual(
        eventsOf(kedge.events, 'tool_started').map(({ decision }) => decision.rule),
        ['edit', 'edits-granted', 'edit'],
      );
      const again = await kedge.reload();
      assert.deepEqual(again.session.state.grants, []);
    });
  }

  it('in a session that is opened later, once, without those that are granted then', async () => {
    await using kedge = await assistantOn({}, [turn(create('1')), done, turn(create('2')), done, turn(create('3')), done]);
    answerAll(kedge.session, { approve: true, grant: 'session' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    kedge.granted.revokedAt = Date.now();
    const again = await kedge.reload();
    answerAll(again.session, { approve: true, grant: 'session' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await again.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(eventsOf(again.events, 'approval_requested').length, 1);
    const third = await again.reload();
    await third.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(third.events, 'approval_requested'), []);
    assert.equal(eventsOf(third.session.events, 'grants_revoked').length, 1);
  });

  it('in a session that another program has used since, and not those that were granted since', async () => {
    await using kedge = await assistantOn({}, [turn(create('1')), done]);
    answerAll(kedge.session, { approve: true, grant: 'session' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    kedge.granted.revokedAt = kedge.session.state.at;
    await new Promise((resolve) => setTimeout(resolve, 5));
    kedge.session.note({ type: 'session_pinned', pinned: true });
    const { session } = await kedge.reload();
    session.note({ type: 'session_pinned', pinned: false });
    assert.deepEqual(session.state.grants, []);
    assert.equal(eventsOf(session.events, 'grants_revoked').length, 1);
    session.note({ type: 'session_permission_set', about: { action: 'edit' }, effect: 'allow' });
    const again = await kedge.reload();
    again.session.note({ type: 'session_pinned', pinned: true });
    assert.equal(again.session.state.grants.length, 1);
  });

  it('and nothing is logged if there were none', async () => {
    await using kedge = await assistantOn({}, [turn(create('1')), done]);
    kedge.assistant.revokeGrants();
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    kedge.assistant.revokeGrants();
    assert.deepEqual(eventsOf(kedge.events, 'grants_revoked'), []);
  });
});

describe('a pending approval after a reload', () => {
  it('remains, and its answer continues the run to its end', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    assert.equal(again.session.running, false);
    assert.deepEqual([...again.session.state.pendingApprovals.keys()], [approvalId]);
    assert.equal(again.session.state.lastRun?.status, 'live');
    await again.session.answerApproval(approvalId, { approve: true });
    assert.equal(await kedge.read('a.txt'), 'two');
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.equal(eventsOf(again.session.events, 'approval_requested').length, 1);
  });

  it('can be rejected', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    await again.session.answerApproval(approvalId, { approve: false, words: 'no' });
    assert.equal(await kedge.read('a.txt'), 'one');
    assert.deepEqual(resultTexts(again.session), ['ERROR The user rejected this: no']);
  });

  it('can be answered in a run that was already continued', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    const ended = again.session.resume();
    assert.deepEqual([...again.session.state.pendingApprovals.keys()], [approvalId]);
    await again.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'two');
    assert.deepEqual(eventsOf(again.events, 'approval_requested'), []);
  });

  it('is dropped by another prompt', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    await again.session.prompt({ text: 'something else', mode: 'ask' });
    await assert.rejects(again.session.answerApproval(approvalId, { approve: true }), /already been answered/);
    assert.equal(await kedge.read('a.txt'), 'one');
    assert.deepEqual(resultTexts(again.session), [
      'ERROR Not executed: the run was stopped before this call. Call the tool again if you still need it.',
    ]);
  });

  it('is dropped by a stop', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two'))]);
    await untilAsked(kedge);
    const again = await kedge.reload();
    await again.session.stop();
    assert.equal(again.session.state.pendingApprovals.size, 0);
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'stopped');
  });
});

describe('exactly the displayed change is applied', () => {
  it('a file that changed since the question is not written', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId, ended } = await untilAsked(kedge);
    await kedge.write('a.txt', 'one and more');
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'one and more');
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR a.txt was changed after this change was prepared. Nothing was changed. Read the file again.',
    ]);
  });

  it('a file that was deleted or created since is not written either', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), turn(create('b.txt')), done]);
    kedge.session.subscribe((event) => {
      if (event.type !== 'approval_requested') return;
      const meanwhile = event.title === 'Edit a.txt' ? rm(`${kedge.root}/a.txt`) : kedge.write('b.txt', 'mine');
      void meanwhile.then(() => kedge.session.answerApproval(event.approvalId, { approve: true }));
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await kedge.snapshot(), { '/': 'directory', 'workspace/': 'directory', 'workspace/b.txt': 'mine' });
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR a.txt was deleted after this change was prepared. Nothing was changed. Read the file again.',
      'ERROR b.txt was created after this change was prepared. Nothing was changed. Read the file again.',
    ]);
  });

  it('after a reload, a change with another effect needs a new approval', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    await kedge.write('a.txt', 'one and more');
    const asked = nextEvent(again.session, 'approval_requested');
    const ended = again.session.answerApproval(approvalId, { approve: true });
    const anew = await asked;
    assert.notEqual(anew.approvalId, approvalId);
    assert.match(anew.changes[0]?.diff ?? '', /-one and more\n.*\n?\+two and more/);
    assert.equal(await kedge.read('a.txt'), 'one and more');
    await again.session.answerApproval(anew.approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'two and more');
  });

  it('an old question cannot be answered after a new one has replaced it', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('one', 'two')), done]);
    const { approvalId } = await untilAsked(kedge);
    const again = await kedge.reload();
    await kedge.write('a.txt', 'one and more');
    const asked = nextEvent(again.session, 'approval_requested');
    const ended = again.session.resume();
    const anew = await asked;
    await assert.rejects(again.session.answerApproval(approvalId, { approve: true }), /already been answered/);
    await again.session.answerApproval(anew.approvalId, { approve: false });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'one and more');
  });

  it('a directory that was replaced by a link is not followed', async () => {
    await using kedge = await assistantOn({ 'dir/': '' }, [turn(create('dir/new.txt')), done], { beside: { 'elsewhere/': '' } });
    const { approvalId, ended } = await untilAsked(kedge);
    await rm(`${kedge.root}/dir`, { recursive: true });
    await symlink(`${kedge.parent}/elsewhere`, `${kedge.root}/dir`);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.deepEqual(resultTexts(kedge.session), [
      'ERROR dir/new.txt no longer leads to the same place. Nothing was changed. Check the path and try again.',
    ]);
    assert.equal(Object.keys(await kedge.snapshot()).filter((path) => path.startsWith('elsewhere/')).length, 1);
  });
});
