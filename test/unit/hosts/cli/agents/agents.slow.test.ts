import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../../../../../src/core/session/events.ts';
import { needsProgram, PROGRAM } from '../../../../support/program.ts';
import { folderOf, remove } from '../../node/folder.ts';

const STYLE = '---\ndescription: Looks at the style\nmode: ask\ntools: [read, search, sudo]\n---\nLook.\u001b[31m Red.';

describe('agents in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf({ 'src/a.ts': 'one\n', '.claude/agents/style.md': STYLE, '.kedge/agents/reviewer.md': 'Approve.' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  /** With `answers`, the program takes standard input for a terminal, and each question gets the next answer. */
  async function kedge(words: string[], answers?: string[]) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEDGE_')));
    const preload = answers ? ['--import', 'data:text/javascript,process.stdin.isTTY = true'] : [];
    const child = spawn(process.execPath, [...preload, PROGRAM, ...words], { cwd: folder, env: { ...env, KEDGE_HOME: home } });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
    let answered = 0;
    const left = [...(answers ?? [])];
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      err += more;
      // The question can arrive in pieces.
      for (const questions = err.split('Use it?').length - 1; answered < questions && left.length > 0; answered++)
        child.stdin.write(`${left.shift()}\n`);
      if (answers && left.length === 0) child.stdin.end();
    });
    if (!answers) child.stdin.end();
    const [code] = await once(child, 'close');
    return { out, err, code };
  }

  const started = (out: string) => {
    const event = JSON.parse(out.split('\n', 1)[0] as string) as AgentEvent;
    return event.type === 'run_started' ? event : assert.fail(out);
  };

  it('are listed with their source, digest and problems, and those of the user are found beside the configuration', async () => {
    await mkdir(join(home, 'agents'));
    await writeFile(join(home, 'agents', 'mine.md'), 'Mine.');
    const { out } = await kedge(['agents']);
    for (const line of [
      /^reviewer +Reviews uncommitted/m,
      /part of Kedge, [0-9a-f]{16}$/m,
      /^mine +no description/m,
      /your agent, .*mine\.md, /,
    ])
      assert.match(out, line);
    assert.match(out, /agent of this workspace, \.claude\/agents\/style\.md, [0-9a-f]{16}, not accepted yet\n +! sudo was left out/);
    assert.match(out, /^! \.kedge\/agents\/reviewer\.md: The name reviewer is not usable/m);
  });

  it('are shown with their prompt, which cannot control the terminal', async () => {
    const { out } = await kedge(['agents', 'show', 'style']);
    assert.match(out, /^# style\n\nLooks at the style\n/);
    assert.match(out, /> Look\./);
    assert.ok(!out.includes('\u001b'));
    assert.match((await kedge(['agents', 'show', 'tutor'])).out, /## Try\n\n(?:- .+\n){3}/);
  });

  it('run with --agent and with @name, also in a later run of the session', async () => {
    const first = started((await kedge(['agent', '--agent', 'reviewer', '--json', 'where is one?'])).out);
    assert.deepEqual([first.mode, first.agent?.name, first.agent?.source], ['ask', 'reviewer', 'shipped']);
    const next = started((await kedge(['--continue', '--json', 'where is two?'])).out);
    assert.equal(next.agent?.name, 'reviewer');
    assert.equal(started((await kedge(['--continue', '--agent', 'none', '--json', 'where is two?'])).out).agent, undefined);
    assert.equal(started((await kedge(['ask', '--json', '@analyst where is one?'])).out).agent?.name, 'analyst');
    assert.match((await kedge(['ask', '--agent', 'reviewer', 'where is one?'])).err, /^Agent: reviewer, in ask mode$/m);
    assert.match((await kedge(['sessions'])).out, /\(ask, reviewer, offline/);
  });

  it('of the workspace run only if a person accepts them, or after kedge agents accept', async () => {
    const run = ['ask', '--agent', 'style', '--json', 'where is one?'];
    const alone = await kedge(run);
    assert.match(
      alone.err,
      /The agent style of this workspace did not run, because you have not accepted it\. To see and accept it: kedge agents accept style$/m,
    );
    assert.equal(alone.out, '');
    const refused = await kedge(run, ['p', 'n']);
    assert.match(
      refused.err,
      /is used for the first time[\s\S]*│ file: \.claude\/agents\/style\.md[\s\S]*│ sudo was left out[\s\S]*Look\./,
    );
    assert.equal(refused.out, '');
    assert.equal(started((await kedge(run, ['y'])).out).agent?.name, 'style');
    assert.equal(started((await kedge(run)).out).agent?.name, 'style');
    await writeFile(join(folder, '.claude/agents/style.md'), 'Do everything.');
    assert.match((await kedge(run, ['n'])).err, /has changed since you accepted it/);
    assert.equal((await kedge(['agents', 'accept', 'style'])).code, 0);
    assert.equal(started((await kedge(run)).out).agent?.prompt, 'Do everything.');
  });

  it('that do not exist are named with those that do', async () => {
    const { err, code } = await kedge(['ask', '--agent', 'nobody', 'where?']);
    assert.match(err, /^kedge: There is no agent nobody\. There are: researcher, coder, reviewer, analyst, tutor, style\.$/m);
    assert.equal(code, 2);
  });
});
