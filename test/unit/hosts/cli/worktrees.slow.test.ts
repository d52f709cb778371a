import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const OLD = 'export const tideLevel = 1;\n';
const NEW = 'export const waterLevel = 1;\n';
const TASK = 'rename tideLevel to waterLevel in a.ts';

describe('runs in a worktree, in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf({ 'a.ts': OLD });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    git('init', '--quiet');
    git('add', '--all');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'first');
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const content = () => readFile(join(folder, 'a.ts'), 'utf8');
  const recorded = () => git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length;

  /** With `answers`, the program takes standard input for a terminal, and each question `asks` gets the next answer. */
  async function kedge(words: string[], asks = /$^/g, answers?: string[]) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEDGE_')));
    const preload = answers ? ['--import', 'data:text/javascript,process.stdin.isTTY = true'] : [];
    const child = spawn(process.execPath, [...preload, PROGRAM, ...words], { cwd: folder, env: { ...env, KEDGE_HOME: home } });
    let [out, err, answered] = ['', '', 0];
    child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      err += more;
      for (const questions = err.match(asks)?.length ?? 0; answers && answered < questions; answered++)
        child.stdin.write(`${answers[answered]}\n`);
      if (answers && answered >= answers.length) child.stdin.end();
    });
    if (!answers) child.stdin.end();
    const [code] = await once(child, 'close');
    return { out, err, code };
  }

  it('leave the files as they are, are listed, and are gone when they are dropped', async () => {
    const { err, code } = await kedge(['agent', '--worktree', TASK]);
    assert.equal(code, 0, err);
    assert.match(err, /1 file changed in the worktree\. Your files are as they were\.\n {2}~ a\.ts\n/);
    assert.match(err, /To review and apply: kedge worktree apply \S+\nTo drop the changes: kedge worktree drop \S+\n/);
    assert.deepEqual([await content(), git('status', '--porcelain'), recorded()], [OLD, '', 2]);
    const listed = JSON.parse((await kedge(['worktree', '--json'])).out);
    assert.deepEqual([listed.title, listed.files], [TASK, ['a.ts']]);
    // The changes are applied only after they were seen.
    assert.match((await kedge(['worktree', 'apply'])).err, /needs a terminal/);
    const kept = await kedge(['worktree', 'drop'], /\[y\/N\]/g, ['n']);
    assert.deepEqual([kept.code, recorded()], [130, 2]);
    assert.equal((await kedge(['worktree', 'drop'], /\[y\/N\]/g, ['y'])).code, 0);
    assert.deepEqual([await content(), recorded()], [OLD, 1]);
    assert.match((await kedge(['worktree'])).out, /No session of this folder works in a worktree/);
  });

  it('are applied after the diff was approved, and can be undone', async () => {
    const { out, err, code } = await kedge(['agent', '--worktree', TASK], /drop them: |Approve\?/g, ['y', 'y']);
    assert.equal(code, 0, err);
    assert.match(err, /-export const tideLevel = 1;[\s\S]*\+export const waterLevel = 1;/);
    assert.equal(out.match(/The changes of the worktree were applied to 1 file/g)?.length, 1, out);
    assert.deepEqual([await content(), recorded()], [NEW, 1]);
    assert.match((await kedge(['undo'])).out, /a\.ts: restored/);
    assert.equal(await content(), OLD);
  });

  it('stay when the change is rejected, and are applied later', async () => {
    await kedge(['agent', '--worktree', TASK], /drop them: |Approve\?/g, ['y', 'n']);
    assert.deepEqual([await content(), recorded()], [OLD, 2]);
    await writeFile(join(folder, 'b.ts'), 'mine\n');
    const { err } = await kedge(['worktree', 'apply'], /Approve\?/g, ['y']);
    assert.deepEqual([await content(), recorded()], [NEW, 1], err);
    assert.deepEqual((await readdir(folder)).sort(), ['.git', 'a.ts', 'b.ts']);
  });

  it('say what is missing', async () => {
    assert.match((await kedge(['ask', '--worktree', 'where?'])).err, /--worktree is for Agent mode/);
    assert.match((await kedge(['worktree', 'drop'])).err, /No session of this folder works in a worktree/);
    await remove(join(folder, '.git'));
    assert.match((await kedge(['agent', '--worktree', TASK])).err, /This folder is not in a Git repository/);
    assert.equal(await content(), OLD);
  });
});
