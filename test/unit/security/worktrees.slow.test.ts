// Runs in a worktree whose model attacks: its edits need no approval there, so nothing that it wrote may run without one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { worktreesPort } from '../../../src/hosts/node/worktrees/port.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Files, type Harness, type HarnessOptions, nextEvent } from '../../support/harness.ts';

const FILES: Files = {
  'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
  'test/a.test.js': '// Nothing is tested.\n',
};

async function inWorktree(script: readonly ScriptedTurn[], options: HarnessOptions = {}, files: Files = {}): Promise<Harness> {
  const kedge = await assistantOn({ ...FILES, ...files }, script, {
    worktrees: true,
    shellParsers: nodeShellParsers,
    ...options,
  });
  commit(kedge);
  return kedge;
}

function commit(kedge: Harness): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: kedge.root, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
}

async function go(kedge: Harness): Promise<void> {
  const worktree = await kedge.assistant.worktree(kedge.session);
  const id = await worktree.create(new AbortController().signal);
  await kedge.session.prompt({ text: 'Change it.', mode: 'agent' }, { worktree: id });
}

const attackOf = (kedge: Harness) => `require('node:fs').writeFileSync(${JSON.stringify(join(kedge.parent, 'attacked'))}, '');\n`;
const wasAttacked = (kedge: Harness) => existsSync(join(kedge.parent, 'attacked'));
const asked = (kedge: Harness) => eventsOf(kedge.session.events, 'approval_requested').map(({ title }) => title);

describe('security: a run in a worktree', () => {
  const npmTest: Permission = { kind: 'command', prefix: ['npm', 'test'], folders: ['.'] };
  const rule: SourcedRule = { effect: 'allow', command: 'npm test', from: 'user' };
  const allowances: [string, Permission[], HarnessOptions][] = [
    ['a permission for the workspace', [npmTest], {}],
    ['a rule of the user', [], { policy: () => ({ rules: [rule], problems: [] }) }],
  ];
  for (const [name, granted, options] of allowances)
    it(`runs no code that nobody has seen by ${name}, which was given where edits are reviewed`, async () => {
      const script: ScriptedTurn[] = [];
      await using kedge = await inWorktree(script, options);
      kedge.granted.covers.push(...granted);
      script.push(
        turn(call('create_file', { path: 'test/b.test.js', content: attackOf(kedge) })),
        turn(call('run_command', { command: 'npm test' })),
        turn(say('Done.')),
      );
      answerAll(kedge.session, { approve: false });
      await go(kedge);
      assert.deepEqual([wasAttacked(kedge), asked(kedge)], [false, ['Run npm test']]);
    });

  it('asks only once if the permission is given there, also for the workspace', async () => {
    const test = call('run_command', { command: 'npm test' });
    await using kedge = await inWorktree([turn(test), turn(test), turn(say('Done.'))]);
    const question = nextEvent(kedge.session, 'approval_requested');
    const running = go(kedge);
    const { approvalId } = await question;
    await kedge.session.answerApproval(approvalId, { approve: true, grant: 'workspace' });
    await running;
    assert.deepEqual([asked(kedge).length, kedge.granted.covers], [1, [npmTest]]);
  });

  const hook = { event: 'after_tool', command: 'sh ./check.sh' };
  // The user approves the change of a script that their own hooks name. Even then, the hooks run what the user's folder contains.
  const places: [string, HarnessOptions, Files, string[]][] = [
    ['the user', { userFolder: { 'hooks.json': JSON.stringify({ hooks: [hook] }) } }, {}, ['Edit check.sh']],
    ['the workspace, which were accepted before', {}, { '.kedge/hooks.json': JSON.stringify({ hooks: [hook] }) }, []],
  ];
  for (const [name, options, files, questions] of places)
    it(`runs no changed script by hooks of ${name}`, async () => {
      const script: ScriptedTurn[] = [turn(call('list_directory', { path: '.' })), turn(say('Done.'))];
      const all = { ...files, 'check.sh': 'exit 0\n' };
      await using kedge = await inWorktree(script, { hooks: true, userFolder: { 'x/': '' }, ...options }, all);
      kedge.session.subscribe((event) => {
        if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Run these hooks' });
      });
      await kedge.session.prompt({ text: 'Look.', mode: 'agent' });
      const other = await kedge.show((await kedge.assistant.newSession()).id);
      const edit = { path: 'check.sh', edits: [{ old_text: 'exit 0', new_text: `touch ${kedge.parent}/attacked` }] };
      script.push(turn(call('replace_in_file', edit)), turn(call('list_directory', { path: '.' })), turn(say('Done.')));
      other.session.subscribe((event) => {
        if (event.type === 'approval_requested') void other.session.answerApproval(event.approvalId, { approve: true });
      });
      await go(other);
      assert.equal(other.session.state.lastRun?.outcome, 'answered');
      assert.deepEqual([wasAttacked(kedge), asked(other)], [false, questions]);
      assert.equal(eventsOf(other.session.events, 'hook_ran').length > 0, true);
    });

  it('is not created through a link of the commit that the user’s folder no longer has', async () => {
    await using kedge = await assistantOn(FILES, [], { worktrees: true, beside: { 'outside/a.txt': 'mine\n', 'outside/b.txt': 'mine\n' } });
    await symlink(join(kedge.parent, 'outside'), join(kedge.root, 'out'));
    await symlink(join(kedge.parent, 'outside', 'a.txt'), join(kedge.root, '.kedgeignore'));
    commit(kedge);
    for (const link of ['out', '.kedgeignore']) await rm(join(kedge.root, link));
    for (const path of ['out/a.txt', 'out/b.txt', '.kedgeignore']) await kedge.write(path, 'attack\n');
    await kedge.write('.git/info/exclude', '.kedgeignore\n');
    execFileSync('git', ['rm', '--cached', '--quiet', '.kedgeignore', 'out'], { cwd: kedge.root });
    execFileSync('git', ['add', 'out'], { cwd: kedge.root });
    await rm(join(kedge.root, 'out/b.txt'));
    const id = await (await kedge.assistant.worktree(kedge.session)).create(new AbortController().signal);
    for (const path of ['a.txt', 'b.txt']) assert.equal(await readFile(join(kedge.parent, 'outside', path), 'utf8'), 'mine\n');
    const tree = join(kedge.storage, 'worktrees', id, 'workspace');
    for (const path of ['out/a.txt', '.kedgeignore']) assert.equal(await readFile(join(tree, path), 'utf8'), 'attack\n');
  });

  it('shows nothing from behind a link that the run puts in place of a directory', async () => {
    await using kedge = await inWorktree([], { beside: { 'outside/a.txt': 'not to be read\n' } });
    await kedge.write('own/a.txt', 'uncommitted\n');
    const id = await (await kedge.assistant.worktree(kedge.session)).create(new AbortController().signal);
    const tree = join(kedge.storage, 'worktrees', id, 'workspace');
    await rm(join(tree, 'own'), { recursive: true });
    await symlink(join(kedge.parent, 'outside'), join(tree, 'own'));
    const worktrees = worktreesPort({ folder: kedge.root, storage: kedge.storage });
    const { changes } = await worktrees.changes(id, kedge.session.id, new AbortController().signal);
    assert.deepEqual(
      changes.map(({ path, after }) => [path, after]),
      [['own/a.txt', undefined]],
    );
  });
});
