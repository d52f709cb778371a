/** Child runs that write in a Git worktree of their own: nothing of the user changes before the user has reviewed it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { nodeShellParsers } from '../../../../src/hosts/node/shell/shell-parser.ts';
import { call, say } from '../../../../src/providers/scripted/index.ts';
import { answerIn, directories, expectGone, FILES, giving, onRepository, type Roles, replacing } from '../../../support/child-worktrees.ts';
import { hanging, modelOf, type Role } from '../../../support/delegating-model.ts';
import { answerAll, assistantOn, eventsOf, type Harness } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';

function sameStateAsLog({ session }: Harness): void {
  const folded = foldSession(session.events);
  const plain = ({ messages, ...state }: typeof folded) => ({ ...state, children: [...state.children.keys()], messages: [...messages] });
  assert.deepEqual(plain(session.state as typeof folded), plain(folded));
}

describe('a child run in a worktree of its own', () => {
  it('does not exist where nobody can review its changes', async () => {
    await using kedge = await onRepository(
      { go: giving('Change a'), 'Change a': replacing('a.txt', ['one', 'ONE']) },
      { unattended: true },
    );
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(answerIn(kedge), /Nobody is here to review the changes of a worktree\./);
    assert.equal(kedge.session.state.children.size, 0);
    expectGone(kedge);
  });

  it('changes nothing of the user until the user approves its changes, by hunks', async () => {
    await using kedge = await onRepository({
      go: giving('Change a'),
      'Change a': replacing('a.txt', ['one', 'ONE'], ['nine', 'NINE']),
    });
    const before = await kedge.read('a.txt');
    const told: string[] = [];
    kedge.session.subscribe(({ type }) => told.push(type));
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the approval', () => kedge.session.state.pendingApprovals.size === 1);
    const [asked] = [...kedge.session.state.pendingApprovals.values()];
    assert.equal(asked?.title, 'Subtask 1 (“Change a”): Apply the changes of the worktree to 1 file');
    assert.equal(asked?.covers, undefined);
    assert.equal(await kedge.read('a.txt'), before);
    assert.ok(!told.some((type) => /^(file|changes)_/.test(type)), 'Nobody is told of changes that are not those of the user’s files.');
    await kedge.session.answerApproval(asked?.approvalId ?? '', {
      approve: true,
      revised: { 'a.txt': { without: [1] } },
    });
    await run;
    assert.equal(await kedge.read('a.txt'), before.replace('one', 'ONE'));
    assert.match(answerIn(kedge), /^Changed a\.txt\.\n\nThe changes of the worktree were applied to 1 file\./);
    assert.match(answerIn(kedge), /\n\nFiles it changed: a\.txt \(edit, \+1 −1\)/);
    expectGone(kedge);
    sameStateAsLog(kedge);
    assert.deepEqual(
      kedge.session.readView().runs[0]?.changes.map(({ path, added }) => [path, added]),
      [['a.txt', 1]],
    );
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId as string);
    assert.equal(await kedge.read('a.txt'), before);
  });

  it('tells its parent that the user rejected its changes, and why', async () => {
    await using kedge = await onRepository({ go: giving('Change b'), 'Change b': replacing('b.txt', ['two', 'TWO']) });
    answerAll(kedge.session, { approve: false, words: 'Too loud.' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(await kedge.read('b.txt'), 'two\n');
    assert.match(answerIn(kedge), /The changes were not applied\. The user rejected this: Too loud\./);
    assert.doesNotMatch(answerIn(kedge), /Files it changed/);
    assert.deepEqual(kedge.session.state.staged, []);
    expectGone(kedge);
  });

  it('works at the same time as others, and their changes are applied one after another', async () => {
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    const together = (role: Role): Role =>
      async function* (turn, request, signal) {
        // No child goes on before both have begun.
        if (turn === 0 && ++waiting === 2) all.resolve();
        await all.promise;
        yield* role(turn, request, signal);
      };
    await using kedge = await onRepository({
      go: giving('first', 'second'),
      first: together(replacing('a.txt', ['one', 'ONE'])),
      second: together(replacing('a.txt', ['nine', 'NINE'])),
    });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(await kedge.read('a.txt'), FILES['a.txt'].replace('one', 'ONE').replace('nine', 'NINE'));
    assert.equal(answerIn(kedge).match(/were applied to 1 file/g)?.length, 2);
    expectGone(kedge);
    sameStateAsLog(kedge);
  });

  it('asks again if the user changes a file before the answer, and keeps both', async () => {
    await using kedge = await onRepository({ go: giving('Change a'), 'Change a': replacing('a.txt', ['one', 'ONE']) });
    let edited = false;
    kedge.session.subscribe((event: AgentEvent) => {
      if (event.type !== 'approval_requested') return;
      void (async () => {
        if (!edited) await kedge.write('a.txt', FILES['a.txt'].replace('nine', 'mine'));
        edited = true;
        await kedge.session.answerApproval(event.approvalId, { approve: true });
      })();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(await kedge.read('a.txt'), FILES['a.txt'].replace('one', 'ONE').replace('nine', 'mine'));
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 2);
    expectGone(kedge);
  });

  it('is found again after a reload, and asks for nothing twice', async () => {
    await using kedge = await onRepository({ go: giving('Change b'), 'Change b': replacing('b.txt', ['two', 'TWO']) });
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the approval', () => kedge.session.state.pendingApprovals.size === 1);
    const again = await kedge.reload();
    void run;
    assert.equal(directories(again).length, 1);
    await again.session.answerApproval([...again.session.state.pendingApprovals.keys()][0] as string, { approve: true });
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
    assert.equal(await again.read('b.txt'), 'TWO\n');
    assert.equal(eventsOf(again.session.events.slice(), 'file_changed').length, 2);
    assert.equal(eventsOf(again.session.events.slice(), 'run_started').length, 3);
    expectGone(again);
    sameStateAsLog(again);
  });

  it('runs no code that nobody has seen by a permission that was given for the user’s files', async () => {
    const test = () => call('run_command', { command: 'npm test' }, 't');
    await using kedge = await onRepository(
      {
        go: (turn, ...rest) => (turn === 0 ? test() : giving('Test it')(turn - 1, ...rest)),
        'Test it': (turn) =>
          turn === 0 ? call('create_file', { path: 'x.test.js', content: '//\n' }, 'c') : turn === 1 ? test() : say('Done.'),
      },
      { commands: true, shellParsers: nodeShellParsers },
    );
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(
          event.approvalId,
          event.runId.includes('.') ? { approve: false } : { approve: true, grant: 'session' },
        );
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ title }) => title),
      ['Run npm test', 'Subtask 1 (“Test it”): Run npm test', 'Subtask 1 (“Test it”): Apply the changes of the worktree to 1 file'],
    );
    assert.equal(existsSync(join(kedge.root, 'x.test.js')), false);
  });

  it('is deleted when the run is stopped', async () => {
    await using kedge = await onRepository({
      go: giving('Change b'),
      'Change b': (turn, ...rest) => (turn === 0 ? replacing('b.txt', ['two', 'TWO'])(turn, ...rest) : hanging(turn, ...rest)),
    });
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the change', () => [...kedge.session.state.children.values()].some(({ staged }) => staged.length > 0));
    assert.equal(directories(kedge).length, 1);
    await kedge.session.stop();
    await run;
    await until('the deletion', () => directories(kedge).length === 0);
    assert.equal(await kedge.read('b.txt'), 'two\n');
  });

  it('keeps what a child changed when the window closes while it works, and goes on with it', async () => {
    let isOpen = true;
    await using kedge = await onRepository({
      go: giving('Change b'),
      'Change b': (turn, ...rest) => (turn === 1 && isOpen ? hanging(turn, ...rest) : replacing('b.txt', ['two', 'TWO'])(turn, ...rest)),
    });
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the change', () => [...kedge.session.state.children.values()].some(({ staged }) => staged.some(({ landed }) => landed)));
    kedge.session.close();
    await run.catch(() => undefined);
    assert.equal(directories(kedge).length, 1);
    isOpen = false;
    const again = await kedge.reload();
    answerAll(again.session, { approve: true });
    await again.session.resume();
    assert.equal(await again.read('b.txt'), 'TWO\n');
    assert.match(answerIn(again), /^Changed b\.txt\.\n\nThe changes of the worktree were applied to 1 file\./);
    expectGone(again);
  });

  it('is deleted when the run is stopped during the review', async () => {
    await using kedge = await onRepository({ go: giving('Change b'), 'Change b': replacing('b.txt', ['two', 'TWO']) });
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the approval', () => kedge.session.state.pendingApprovals.size === 1);
    await kedge.session.stop();
    await run;
    await until('the deletion', () => directories(kedge).length === 0);
    assert.equal(await kedge.read('b.txt'), 'two\n');
  });

  it('says why there can be none', async () => {
    const roles: Roles = { go: giving('Change b'), 'Change b': () => say('No.') };
    await using plain = await assistantOn(FILES, [], { adapter: modelOf(roles), delegation: 1, worktrees: true });
    await plain.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(answerIn(plain), /^This folder is not in a Git repository, so no worktree can be created\./);
    await using several = await assistantOn(FILES, [], { adapter: modelOf(roles), delegation: 1, folders: { more: {} } });
    await several.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(answerIn(several), /^Worktrees need exactly one open folder on this computer\./);
    await using inside = await onRepository(roles);
    const id = await (await inside.assistant.worktree(inside.session)).create(new AbortController().signal);
    await inside.session.prompt({ text: 'go', mode: 'agent' }, { worktree: id });
    assert.match(answerIn(inside), /^This run already works in a worktree\./);
    for (const { session } of [plain, several, inside]) assert.equal(eventsOf(session.events.slice(), 'run_started').length, 1);
  });
});
