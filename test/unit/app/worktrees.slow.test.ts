import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, type Harness, nextEvent } from '../../support/harness.ts';

import { directories, edit, git, never, ofUser, onRepository, recorded, runInWorktree } from '../../support/worktree-repository.ts';

describe('a session in a worktree', () => {
  it('sees uncommitted changes, asks only for a deletion, and changes none of the user’s files until they are applied', async () => {
    const script = [
      turn(call('read_file', { path: 'b.txt' }), call('list_directory', { path: '.' })),
      turn(
        edit('a.txt', 'two', 'TWO'),
        call('create_file', { path: 'src/c.txt', content: 'c\n' }),
        call('delete_file', { path: 'new.txt' }),
      ),
      turn(say('Done.')),
    ];
    await using kedge = await onRepository(script);
    const before = await ofUser(kedge);
    const deletion = nextEvent(kedge.session, 'approval_requested');
    const running = runInWorktree(kedge);
    await kedge.session.answerApproval((await deletion).approvalId, { approve: true });
    const worktree = await running;
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(
      kedge.events.flatMap((event) => (event.type === 'approval_requested' ? [event.title] : [])),
      ['Delete new.txt'],
    );
    assert.deepEqual(await ofUser(kedge), before);
    const sent = JSON.stringify(kedge.adapter.requests[1]?.messages);
    assert.match(sent, /b of the user/);
    assert.doesNotMatch(sent, /gone\.txt/);
    const { changes, skipped } = await worktree.changes(never);
    assert.deepEqual([changes.map(({ path }) => path), skipped], [['a.txt', 'new.txt', 'src/c.txt'], []]);

    // The user edits meanwhile, in other lines of the same file.
    await kedge.write('a.txt', 'one\ntwo\nthree\nfour\nFIVE\n');
    const asked = nextEvent(kedge.session, 'approval_requested');
    const applied = worktree.apply();
    const { approvalId, changes: shown, title, covers } = await asked;
    assert.deepEqual([title, covers], ['Apply the changes of the worktree to 3 files', undefined]);
    assert.equal(shown[0]?.diff, '@@ -1,5 +1,5 @@\n one\n-two\n+TWO\n three\n four\n FIVE');
    await kedge.session.answerApproval(approvalId, { approve: true });
    await applied;
    assert.equal(await kedge.read('a.txt'), 'one\nTWO\nthree\nfour\nFIVE\n');
    assert.equal(await kedge.read('src/c.txt'), 'c\n');
    assert.equal(existsSync(join(kedge.root, 'new.txt')), false);
    assert.equal(kedge.session.state.worktree, undefined);
    assert.deepEqual([directories(kedge), recorded(kedge)], [[], 1]);

    // What was applied can be taken back, and the runs of the worktree have nothing to undo.
    const [first, last] = [...kedge.session.state.runs.keys()] as [string, string];
    await assert.rejects(kedge.session.changes.undo(first), /did not change any files/);
    await kedge.session.changes.undo(last);
    assert.equal(await kedge.read('a.txt'), 'one\ntwo\nthree\nfour\nFIVE\n');
    assert.equal(await kedge.read('new.txt'), 'new\n');
  });

  it('leaves lines that the user changed too, and says which file', async () => {
    const script = [turn(edit('a.txt', 'two', 'TWO'), edit('b.txt', 'b of the user', 'b of the run')), turn(say('Done.'))];
    await using kedge = await onRepository(script);
    const worktree = await runInWorktree(kedge);
    await kedge.write('b.txt', 'b of the user, later\n');
    const asked = nextEvent(kedge.session, 'approval_requested');
    const applied = worktree.apply();
    const { approvalId, title } = await asked;
    assert.match(title, /What is left out stays in the worktree\.$/);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await applied;
    assert.equal(await kedge.read('b.txt'), 'b of the user, later\n');
    assert.equal(await kedge.read('a.txt'), 'one\nTWO\nthree\nfour\nfive\n');
    const texts = kedge.events.flatMap((event) =>
      event.type === 'message_added' && event.message.role === 'assistant' ? [event.message] : [],
    );
    assert.match(JSON.stringify(texts.at(-1)), /b\.txt was changed by you in the same lines, which stay as they are/);
    assert.deepEqual(
      (await worktree.changes(never)).changes.map(({ path }) => path),
      ['b.txt'],
    );
    await worktree.drop();
    assert.deepEqual([directories(kedge), recorded(kedge)], [[], 1]);
  });

  it('stays when code from an answer is applied, which is applied and undone there', async () => {
    await using kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.'))]);
    const before = await ofUser(kedge);
    const worktree = await runInWorktree(kedge);
    answerAll(kedge.session, { approve: true });
    const closed: string[] = [];
    kedge.session.subscribe(({ type }) => type === 'session_worktree_closed' && closed.push(type));
    await kedge.session.apply({ path: 'code.txt', code: 'code\n' });
    await worktree.closeApplied();
    assert.deepEqual(closed, []);
    assert.deepEqual(
      (await worktree.changes(never)).changes.map(({ path }) => path),
      ['a.txt', 'code.txt'],
    );
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId as string);
    assert.deepEqual(
      (await worktree.changes(never)).changes.map(({ path }) => path),
      ['a.txt'],
    );
    assert.deepEqual(await ofUser(kedge), before);
  });

  it('can be restored to the point before its changes were applied, and again to the point after that', async () => {
    await using kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO'), edit('b.txt', 'b of', 'B of')), turn(say('Done.'))]);
    const before = await ofUser(kedge);
    const worktree = await runInWorktree(kedge);
    answerAll(kedge.session, { approve: true });
    await worktree.apply();
    const applied = await ofUser(kedge);
    const { contents, lastRun } = kedge.session.state;
    assert.ok(contents.get('a.txt'), 'The content of an applied file is known.');
    await kedge.session.changes.restore({ runId: lastRun?.runId as string });
    assert.deepEqual((await ofUser(kedge)).files, before.files);
    const { undoId } = kedge.events.findLast((event) => event.type === 'changes_restored') as { undoId: string };
    await kedge.session.changes.restore({ undoId });
    assert.deepEqual((await ofUser(kedge)).files, applied.files);
  });

  it('is not dropped while a run in another window is not finished', async () => {
    const script = [turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.')), turn(call('read_file', { path: 'a.txt' })), turn(say('Done.'))];
    await using kedge = await onRepository(script);
    const worktree = await runInWorktree(kedge);
    const other = await kedge.beside();
    const asked = other.session.prompt({ text: 'Again', mode: 'agent' });
    other.session.pause();
    await asked;
    assert.equal(other.session.state.lastRun?.status, 'paused');
    other.assistant.close();
    await assert.rejects(worktree.drop(), /not finished/);
  });

  it('stays after a rejection, can be continued there, and is gone when it is dropped', async () => {
    const script = [turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.')), turn(edit('a.txt', 'one', 'ONE')), turn(say('Done again.'))];
    await using kedge = await onRepository(script);
    const before = await ofUser(kedge);
    const worktree = await runInWorktree(kedge);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const rejected = worktree.apply();
    await kedge.session.answerApproval((await asked).approvalId, { approve: false });
    await rejected;
    assert.notEqual(kedge.session.state.worktree, undefined);
    await kedge.session.prompt({ text: 'And the first line.', mode: 'agent' });
    assert.equal(String((await worktree.changes(never)).changes[0]?.after), 'ONE\nTWO\nthree\nfour\nfive\n');
    // An undo before the changes are applied works in the worktree.
    await kedge.session.changes.undo([...kedge.session.state.runs.keys()].at(-1) as string);
    assert.equal(String((await worktree.changes(never)).changes[0]?.after), 'one\nTWO\nthree\nfour\nfive\n');
    await kedge.session.changes.undo([...kedge.session.state.runs.keys()][0] as string);
    await worktree.apply();
    assert.match(JSON.stringify(kedge.events), /The worktree contains no changes/);
    await worktree.drop();
    assert.deepEqual([directories(kedge), recorded(kedge), kedge.session.state.worktree], [[], 1, undefined]);
    assert.deepEqual(await ofUser(kedge), before);
    await assert.rejects(worktree.apply(), /does not work in a worktree/);
    await assert.rejects(kedge.session.compact(), /worked in a worktree that is gone\. Send a message first/);
  });

  it('goes on after a crash, and its worktree is deleted if the crash came before that', async () => {
    const script = [turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.'))];
    const kedge = await onRepository(script);
    await runInWorktree(kedge);
    await using again = await kedge.reload();
    const worktree = await again.assistant.worktree(again.session);
    assert.deepEqual(
      (await worktree.changes(never)).changes.map(({ path }) => path),
      ['a.txt'],
    );
    // The log says that it is dropped, but the program ended before the files were deleted.
    again.session.note({ type: 'session_worktree_closed', worktree: again.session.state.worktree as string, outcome: 'dropped' });
    assert.equal(directories(again).length, 1);
    const next = await again.assistant.newSession();
    const id = await (await again.assistant.worktree(next)).create(never);
    assert.deepEqual([directories(again), recorded(again)], [[id], 2]);
  });

  it('applies after a crash during the question', async () => {
    const kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.'))]);
    const worktree = await runInWorktree(kedge);
    const asked = nextEvent(kedge.session, 'approval_requested');
    void worktree.apply().catch(() => undefined);
    const { approvalId } = await asked;
    await using again = await kedge.reload();
    const closed = nextEvent(again.session, 'session_worktree_closed');
    await again.session.answerApproval(approvalId, { approve: true });
    assert.equal((await closed).outcome, 'applied');
    assert.equal(await again.read('a.txt'), 'one\nTWO\nthree\nfour\nfive\n');
  });

  it('is not changed by an undo after a crash right after the changes were applied', async () => {
    const kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.'))]);
    const worktree = await runInWorktree(kedge);
    answerAll(kedge.session, { approve: true });
    kedge.session.subscribe(({ type }) => type === 'run_finished' && kedge.assistant.close());
    await assert.rejects(worktree.apply(), /session is closed/);
    await using again = await kedge.reload();
    assert.equal(await again.read('a.txt'), 'one\nTWO\nthree\nfour\nfive\n');
    await again.session.changes.undo(again.session.state.lastRun?.runId as string);
    assert.equal(await again.read('a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
    const { changes } = await (await again.assistant.worktree(again.session)).changes(never);
    assert.equal(String(changes[0]?.after), 'one\nTWO\nthree\nfour\nfive\n');
  });

  it('is not shared with a fork', async () => {
    await using kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.')), turn(say('Here.'))]);
    await runInWorktree(kedge);
    const library = await kedge.assistant.library();
    const { session: fork } = await library.fork(kedge.session.id);
    assert.equal(fork.state.worktree, undefined);
    await fork.prompt({ text: 'Where am I?', mode: 'ask' });
    assert.equal(fork.state.lastRun?.worktree, undefined);
    assert.notEqual(kedge.session.state.worktree, undefined);
  });

  it('is not used by a fork that continues a failed run', async () => {
    await using kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO'))]);
    await runInWorktree(kedge);
    assert.equal(kedge.session.state.lastRun?.outcome, 'failed');
    const { session: fork } = await (await kedge.assistant.library()).fork(kedge.session.id);
    await assert.rejects(fork.resume(), /not used by this session any more/);
    assert.equal(fork.state.lastRun?.status, 'finished');
    assert.notEqual(kedge.session.state.worktree, undefined);
  });

  it('runs its commands there, without hooks of the repository when it is created', async () => {
    const marker = (kedge: Harness) => join(kedge.parent, 'hook-ran');
    const script = [turn(call('run_command', { command: 'echo there > made.txt && pwd' })), turn(say('Done.'))];
    await using kedge = await onRepository(script, { commands: true });
    const hook = join(kedge.root, '.git/hooks/post-checkout');
    await mkdir(join(kedge.root, '.git/hooks'), { recursive: true });
    await writeFile(hook, `#!/bin/sh\ntouch ${marker(kedge)}\n`);
    await chmod(hook, 0o755);
    answerAll(kedge.session, { approve: true });
    const worktree = await runInWorktree(kedge);
    assert.equal(existsSync(marker(kedge)), false);
    assert.equal(existsSync(join(kedge.root, 'made.txt')), false);
    assert.deepEqual(
      (await worktree.changes(never)).changes.map(({ path }) => path),
      ['made.txt'],
    );
  });

  it('keeps hidden what .kedgeignore hides, even if Git ignores that file', async () => {
    const script = [turn(call('read_file', { path: 'a.txt' }), call('search_text', { query: 'two' })), turn(say('Done.'))];
    await using kedge = await onRepository(script);
    await kedge.write('.gitignore', '.kedgeignore\n');
    await kedge.write('.kedgeignore', 'a.txt\n');
    await runInWorktree(kedge);
    assert.doesNotMatch(JSON.stringify(kedge.adapter.requests[1]?.messages), /three/);
  });

  it('skips links, and takes executable files with their permissions', async () => {
    const script = [
      turn(call('run_command', { command: 'ln -s /etc/passwd link; printf x > run.sh; chmod +x run.sh' })),
      turn(say('Done.')),
    ];
    await using kedge = await onRepository(script, { commands: true });
    answerAll(kedge.session, { approve: true });
    const worktree = await runInWorktree(kedge);
    const { changes, skipped } = await worktree.changes(never);
    assert.deepEqual([changes.map(({ path }) => path), skipped], [['run.sh'], ['link']]);
    await worktree.apply();
    assert.equal(git(kedge.root, 'ls-files', '--others', '--exclude-standard').includes('link'), false);
    assert.equal(
      execFileSync('stat', ['-c', '%a', join(kedge.root, 'run.sh')], { encoding: 'utf8' })
        .trim()
        .at(0),
      '7',
    );
  });

  for (const [name, prepare, message] of [
    ['outside a repository', async (kedge: Harness) => rm(join(kedge.root, '.git'), { recursive: true }), /not in a Git repository/],
    [
      'whose configuration names a program',
      async (kedge: Harness) => void git(kedge.root, 'config', 'filter.x.smudge', 'touch ran'),
      /names a program that Git would run \(filter\.x\.smudge\)/,
    ],
    [
      'without a commit',
      async (kedge: Harness) => {
        await rm(join(kedge.root, '.git'), { recursive: true });
        git(kedge.root, 'init', '--quiet');
      },
      /no commit yet/,
    ],
  ] as const) {
    it(`is refused in a folder ${name}, with a reason, and leaves nothing`, async () => {
      await using kedge = await onRepository([]);
      await prepare(kedge);
      const worktree = await kedge.assistant.worktree(kedge.session);
      await assert.rejects(worktree.create(never), message);
      assert.deepEqual(directories(kedge), []);
    });
  }

  it('is refused in a session with runs, and by the name of another directory', async () => {
    await using kedge = await onRepository([turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'Hello', mode: 'ask' });
    const worktree = await kedge.assistant.worktree(kedge.session);
    await assert.rejects(worktree.create(never), /Only a new session/);
    const other = await kedge.assistant.newSession();
    await other.prompt({ text: 'x', mode: 'agent' }, { worktree: '../../..' });
    assert.equal(other.state.lastRun?.outcome, 'failed');
    assert.match(JSON.stringify([...other.events]), /names a worktree that does not exist/);
  });

  it('is not used by another session whose log names it', async () => {
    await using kedge = await onRepository([turn(edit('a.txt', 'two', 'TWO')), turn(say('Done.')), turn(say('Here.'))]);
    const worktree = await runInWorktree(kedge);
    const other = await kedge.assistant.newSession();
    await other.prompt({ text: 'x', mode: 'agent' }, { worktree: kedge.session.state.worktree as string });
    assert.equal(other.state.lastRun?.outcome, 'failed');
    assert.match(JSON.stringify([...other.events]), /worktree of this session no longer exists/);
    await other.stop();
    await assert.rejects((await kedge.assistant.worktree(other)).changes(never), /no longer exists/);
    assert.equal((await worktree.changes(never)).changes.length, 1);
  });

  it('loses nothing of the user, who makes 100 random edits meanwhile', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    const script = [turn(edit('big.txt', 'line 50\n', 'line of the run\n'), edit('a.txt', 'two', 'TWO')), turn(say('Done.'))];
    const kedge = await onRepository(script);
    await using again = kedge;
    await kedge.write('big.txt', `${lines.join('\n')}\n`);
    const worktree = await kedge.assistant.worktree(kedge.session);
    const id = await worktree.create(never);
    let edits = 0;
    const expected = [...lines];
    const path = join(kedge.root, 'big.txt');
    const type = () => {
      // Every line but the one of the run, and its neighbors, is edited at some time.
      const at = (edits * 37) % lines.length;
      if (Math.abs(at - 50) > 1) expected[at] = `user ${edits}`;
      writeFileSync(path, `${expected.join('\n')}\n`);
      edits++;
    };
    kedge.session.subscribe(() => edits < 100 && type());
    await kedge.session.prompt({ text: 'Change it.', mode: 'agent' }, { worktree: id });
    while (edits < 100) type();
    answerAll(kedge.session, { approve: true });
    await worktree.apply();
    expected[50] = 'line of the run';
    assert.equal(await readFile(path, 'utf8'), `${expected.join('\n')}\n`);
    assert.equal(await again.read('a.txt'), 'one\nTWO\nthree\nfour\nfive\n');
  });

  it('has no finished steps of a plan whose changes were dropped', async () => {
    const plan = { goal: 'Shout', steps: ['a.txt', 'b.txt'].map((file) => ({ title: file, files: [file] })), assumptions: [], checks: [] };
    const step = (status: string) => call('update_step', { step: 1, status });
    const script = [
      turn(call('propose_plan', plan)),
      turn(step('started'), edit('a.txt', 'two', 'TWO')),
      turn(step('done')),
      turn(say('Enough.')),
    ];
    const kedge = await onRepository(script);
    const worktree = await kedge.assistant.worktree(kedge.session);
    await kedge.session.prompt({ text: 'Plan it.', mode: 'plan' }, { worktree: await worktree.create(never) });
    const { plans } = kedge.session;
    await plans.answer(plans.list()[0]?.plan.id as string, 'run');
    assert.deepEqual(
      plans.list().map(({ done }) => done),
      [1],
    );
    if (kedge.session.state.lastRun?.status !== 'finished') await kedge.session.stop();
    await worktree.drop();
    assert.deepEqual(
      plans.list().map(({ done }) => done),
      [0],
    );
    assert.deepEqual(kedge.session.readView().runs.at(-1)?.steps, {});
    await using again = await kedge.reload();
    assert.deepEqual(
      again.session.plans.list().map(({ done }) => done),
      [0],
    );
  });

  it('copies no link of the user', async () => {
    await using kedge = await onRepository([turn(call('read_file', { path: 'outside' })), turn(say('Done.'))]);
    await writeFile(join(kedge.parent, 'secret'), 'secret text');
    await symlink(join(kedge.parent, 'secret'), join(kedge.root, 'outside'));
    await runInWorktree(kedge);
    assert.doesNotMatch(JSON.stringify(kedge.adapter.requests[1]?.messages), /secret text/);
  });
});
