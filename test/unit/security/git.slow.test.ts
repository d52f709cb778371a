/** Git commands that need no approval never run a program that the repository's own configuration names, under any key. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HINTS } from '../../../src/hosts/node/commands/process.ts';
import { type CommandJudged, commitAll, judgedOn } from '../../support/command-judge.ts';

const READING = [
  'git status',
  'git diff',
  'git diff --stat',
  'git diff HEAD -- a.txt',
  'git show HEAD',
  'git log',
  'git log -p',
  'git blame a.txt',
  'git grep -n one',
  'git ls-files',
  'git ls-files -m',
  'git describe --always --dirty',
  'git describe --always',
  'git diff-files',
  'git diff-index HEAD',
  'git branch -a',
  'git stash list',
  'git stash show -p',
  'git rev-parse HEAD',
  'git cat-file -p HEAD:a.txt',
  'git hello',
  'git status --help',
];
const GRANTED = ['git add -A', 'git commit -m x', 'git fetch origin', 'git merge other', 'git stash', 'git pull'];
const ALLOW = 'git hello,git add,git commit,git fetch,git merge,git stash,git pull'.split(',');

const KEYS = [
  'core.fsmonitor',
  'diff.external',
  'diff.d.command',
  'diff.d.textconv',
  'filter.f.clean',
  'filter.f.smudge',
  'filter.f.process',
  'merge.d.driver',
  'core.pager',
  'pager.log',
  'core.editor',
  'sequence.editor',
  'interactive.diffFilter',
  'gpg.program',
  'gpg.ssh.program',
  'core.sshCommand',
  'core.askPass',
  'core.gitProxy',
  'core.alternateRefsCommand',
  'credential.helper',
  'remote.origin.uploadpack',
  'remote.origin.vcs',
  'gc.recentObjectsHook',
  'alias.hello',
  'alias.status',
  'diff.tool',
  'man.shown.cmd',
  'browser.shown.cmd',
];

describe('a git command in a repository that names programs', () => {
  let on: CommandJudged;
  let marker: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: on.kedge.root, stdio: 'ignore' });
  const named = (key: string) => {
    const program = `touch ${marker}; cat`;
    return key.startsWith('alias.') ? `!${program}` : key === 'remote.origin.vcs' ? 'ext' : program;
  };
  /**
   * Runs commands as Kedge starts them.
   * @returns whether a program of the repository was run
   */
  const runs = async (commands: readonly string[]): Promise<boolean> => {
    rmSync(marker, { force: true });
    await writeFile(join(on.kedge.root, 'a.txt'), `one\ntwo ${Math.random()}\n`);
    const text = commands.map((command) => `${command}; touch a.txt`).join('\n');
    spawnSync('bash', ['-c', text], { cwd: on.kedge.root, env: { ...process.env, ...HINTS }, stdio: 'ignore', timeout: 20_000 });
    return existsSync(marker);
  };
  const unasked = async (commands: readonly string[], allow: readonly string[]): Promise<string[]> => {
    const judged = await on.judgeAll(commands, allow);
    return commands.filter((_, at) => judged[at]?.kind === 'allow');
  };
  const expectNothingRuns = async (commands: readonly string[]): Promise<void> => {
    if (!(await runs(commands))) return;
    for (const command of commands) assert.ok(!(await runs([command])), command);
    assert.fail(`one of ${commands.join(', ')}`);
  };

  before(async () => {
    on = await judgedOn({ 'a.txt': 'one\n', '.gitattributes': '*.txt diff=d filter=f merge=d\n', '.gitignore': 'hooks/\n' });
    marker = join(on.kedge.parent, 'marker');
    commitAll(on.kedge.root);
    git('config', 'user.email', 'a@b.example');
    git('config', 'user.name', 'A');
    git('remote', 'add', 'origin', on.kedge.root);
    git('branch', 'other');
    await on.kedge.write('a.txt', 'stashed\n');
    git('stash');
    git('config', 'man.viewer', 'shown');
    git('config', 'help.browser', 'shown');
    git('config', 'help.htmlPath', 'https://example.com');
    // Git runs the program in `gpg.program` when it shows signatures.
    git('config', 'log.showSignature', 'true');
    const signed = ['tree ', execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: on.kedge.root, encoding: 'utf8' }).trim()].join('');
    const commit = `${signed}\nauthor A <a@b.example> 1 +0000\ncommitter A <a@b.example> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nSigned\n`;
    const id = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: on.kedge.root,
      input: commit,
      encoding: 'utf8',
    });
    git('reset', '-q', '--soft', id.trim());
  });
  after(() => on[Symbol.asyncDispose]());

  it('runs the named programs without protection', async () => {
    git('config', 'core.fsmonitor', named('core.fsmonitor'));
    assert.ok(await runs(['git status']));
    git('config', '--unset', 'core.fsmonitor');
  });

  for (const key of KEYS)
    it(`runs nothing that ${key} names without approval`, async () => {
      git('config', key, named(key));
      git('config', 'help.format', key.startsWith('browser.') ? 'web' : 'man');
      try {
        const reading = await unasked(READING, ALLOW);
        assert.ok(reading.includes('git rev-parse HEAD'), reading.join(', '));
        await expectNothingRuns(reading);
        await expectNothingRuns(await unasked(GRANTED, ALLOW));
      } finally {
        git('config', '--unset-all', key);
      }
    }).timeout(60_000);

  it('runs no hook for commands that only read', async () => {
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
      const file = join(on.kedge.root, '.git/hooks', hook);
      await mkdir(join(on.kedge.root, '.git/hooks'), { recursive: true });
      await writeFile(file, `#!/bin/sh\ntouch ${marker}\n`);
      await chmod(file, 0o755);
    }
    await expectNothingRuns(await unasked(READING, []));
    rmSync(join(on.kedge.root, '.git/hooks'), { recursive: true });
  });

  it('needs approval for programs named in an included file, and for a submodule', async () => {
    await on.kedge.write('.git/more', `[filter "f"]\n\tclean = touch ${marker}\n`);
    git('config', 'include.path', 'more');
    assert.deepEqual((await on.judge('git diff', [])).rule, 'repository-config');
    git('config', '--unset', 'include.path');
    assert.equal((await on.judge('git diff', [])).kind, 'allow');

    const inner = join(on.kedge.root, 'sub');
    await mkdir(inner);
    commitAllIn(inner);
    git('add', 'sub');
    assert.equal((await on.judge('git status', [])).kind, 'allow');
    execFileSync('git', ['config', 'filter.f.clean', `touch ${marker}`], { cwd: inner });
    const judged = await on.judge('git status', []);
    assert.deepEqual([judged.kind, judged.rule], ['ask', 'repository-config']);
    assert.match(judged.reason, /filter\.f\.clean/);
  });

  it('needs approval to show an address that contains a password', async () => {
    const shown = ['git remote -v', 'git remote get-url origin'];
    for (const command of shown) assert.equal((await on.judge(command, [])).kind, 'allow', command);
    const settings = [
      ['remote.origin.pushurl', 'https://me:p4ssword@example.com/a.git'],
      ['remote.other.url', 'https://ghp_0123456789abcdefghij@example.com/a.git'],
      ['url.https://me:p4ssword@example.com/.insteadOf', 'https://example.com/'],
    ];
    for (const [key = '', value = ''] of settings) {
      git('config', key, value);
      for (const command of shown) assert.equal((await on.judge(command, ['git remote'])).rule, 'secrets', `${key}: ${command}`);
      git('config', '--unset-all', key);
    }
    git('config', 'remote.other.url', 'ssh://git@example.com:22/a.git');
    for (const command of shown) assert.equal((await on.judge(command, [])).kind, 'allow', command);
    git('config', '--unset-all', 'remote.other.url');
  });

  it('needs approval if git takes its files from another place', async () => {
    git('config', 'core.worktree', on.kedge.parent);
    const judged = await on.judge('git status', []);
    git('config', '--unset', 'core.worktree');
    assert.deepEqual([judged.kind, judged.rule], ['ask', 'repository-config']);
  });

  it('needs no approval for common settings', async () => {
    const usual: [key: string, value: string][] = [
      ['filter.lfs.clean', 'git-lfs clean -- %f'],
      ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
      ['filter.lfs.process', 'git-lfs filter-process'],
      ['core.fsmonitor', 'true'],
      ['core.hooksPath', '.husky/_'],
      ['core.sshCommand', 'ssh -i ~/.ssh/work'],
      ['credential.helper', 'store'],
      ['core.pager', 'less -FRX'],
      ['alias.st', 'status -sb'],
    ];
    for (const [key, value] of usual) git('config', key, value);
    execFileSync('git', ['config', '--unset', 'filter.f.clean'], { cwd: join(on.kedge.root, 'sub') });
    for (const command of ['git status', 'git diff', 'git log --oneline', 'git add -A', 'git show HEAD', 'git fetch origin'])
      assert.equal((await on.judge(command, ALLOW)).kind, 'allow', command);
    git('config', '--unset', 'core.fsmonitor');
  });
});

function commitAllIn(folder: string): void {
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const author = ['-c', 'user.email=a@b.example', '-c', 'user.name=A'];
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'First'], { cwd: folder });
}
