import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARTS } from '../../../../src/app/context/surroundings-parts.ts';
import { changedPaths, gitBranch, localDate, terminalSurroundings } from '../../../../src/hosts/node/surroundings.ts';
import { layOut } from '../../../support/harness.ts';

/** Git takes much less time, so no test depends on this limit. */
const GIT_MS = 120_000;
const signal = () => AbortSignal.timeout(GIT_MS);

describe('the surroundings in a terminal', () => {
  let base: string;
  let root: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: root, stdio: 'ignore' });

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-surroundings-')));
    root = join(base, 'work');
    await layOut(root, { 'a.txt': 'one\n' });
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  it('are those of the computer, if there is no repository', async () => {
    const { git: repository, system, date, folders } = await terminalSurroundings(root, new Set(PARTS), GIT_MS);
    assert.equal(repository, undefined);
    assert.match(system ?? '', /^\w+, \w+$/);
    assert.match(date ?? '', /^\d{4}-\d\d-\d\d$/);
    assert.equal(folders, true);
  });

  it('contain only the wanted parts', async () => {
    assert.deepEqual(await terminalSurroundings(root, new Set(), GIT_MS), {});
  });

  it('contain the branch and the files with changes', async () => {
    git('init', '-b', 'tide/low');
    git('add', '.');
    git('commit', '-m', 'one');
    assert.deepEqual((await terminalSurroundings(root, new Set(['git']), GIT_MS)).git, { branch: 'tide/low', changed: [] });
    await layOut(root, { 'a.txt': 'two\n', 'new/b.txt': 'x' });
    assert.deepEqual(await changedPaths(root, signal()), ['a.txt', 'new']);
    git('checkout', '--detach');
    assert.match(gitBranch(root) ?? '', /^[0-9a-f]{7}$/);
  });

  it('find the branch of a worktree', async () => {
    git('init', '-b', 'main');
    git('add', '.');
    git('commit', '-m', 'one');
    git('worktree', 'add', '-b', 'other', join(base, 'tree'));
    assert.equal(gitBranch(join(base, 'tree')), 'other');
  });

  it('run no program that the repository names', async () => {
    git('init', '-b', 'main');
    await writeFile(join(root, '.gitattributes'), '*.txt filter=evil\n');
    git('add', '.');
    git('commit', '-m', 'one');
    git('config', 'filter.evil.clean', `touch ${join(base, 'ran')}; cat`);
    await writeFile(join(root, 'a.txt'), 'six\n');
    assert.equal(await changedPaths(root, signal()), undefined);
    git('config', '--remove-section', 'filter.evil');
    git('config', 'core.fsmonitor', `touch ${join(base, 'ran')}`);
    assert.equal(await changedPaths(root, signal()), undefined);
    assert.equal(existsSync(join(base, 'ran')), false);
  });

  it('take nothing from a .git that is no repository', async () => {
    await layOut(base, { 'secret/HEAD': 'a secret\n' });
    await writeFile(join(root, '.git'), `gitdir: ${join(base, 'secret')}\n`);
    assert.equal(gitBranch(root), undefined);
    await rm(join(root, '.git'));
    await layOut(root, { '.git/HEAD': '\0\xff' });
    assert.equal(gitBranch(root), undefined);
  });

  it('use the local date', () => {
    assert.equal(localDate(new Date(2026, 0, 5, 23, 59)), '2026-01-05');
  });
});
