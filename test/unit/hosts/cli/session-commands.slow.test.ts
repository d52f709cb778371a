// Runs the program itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { helpOn } from '../../../../src/hosts/cli/options/help.ts';
import { SESSION_HELP } from '../../../../src/hosts/cli/sessions/help.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const FILES = { 'src/tide.ts': 'export function tideLevel() {\n  return 1;\n}\n' };

describe('the commands on sessions', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf(FILES);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  async function kedge(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { ...clean, KEDGE_HOME: home } });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text.out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (text.err += more));
    child.stdin.on('error', () => undefined).end();
    const [code] = await once(child, 'close');
    return { code, ...text };
  }
  const ok = async (...args: string[]) => {
    const { code, out, err } = await kedge(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  };
  const content = () => readFile(join(folder, 'src/tide.ts'), 'utf8');

  it('list, name, pin, find, delete and restore sessions', async () => {
    await ok('ask', 'where is tideLevel defined?');
    await ok('agent', '--yes', 'rename tideLevel to waterLevel in src');
    const sessions = (await ok('sessions', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      sessions.map(({ title, mode, status }) => [title, mode, status]),
      [
        ['rename tideLevel to waterLevel in src', 'agent', 'done'],
        ['where is tideLevel defined?', 'ask', 'done'],
      ],
    );
    const [second, first] = sessions.map(({ id }) => id as string) as [string, string];
    await ok('sessions', 'rename', first, 'Old', 'question');
    await ok('sessions', 'pin', first);
    assert.match(
      await ok('sessions'),
      new RegExp(`^${first} .*done +Old question {2}\\[pinned\\] {2}\\(ask, offline/offline, 13 events, .* KB\\)\n${second} `),
    );
    assert.match(await ok('sessions', 'search', 'export', 'WATERLEVEL'), new RegExp(`^${second} .*\n {4}.*export function waterLevel`));
    const none = await kedge('sessions', 'search', 'narwhal');
    assert.deepEqual([none.code, none.out, none.err], [1, '', 'No sessions contain these words.\n']);
    await ok('sessions', 'delete', first);
    assert.ok(!(await ok('sessions')).includes(first));
    assert.ok((await ok('sessions', '--deleted')).includes('Old question'));
    await ok('sessions', 'restore', first);
    assert.ok((await ok('sessions')).includes(first));
    const refused = await kedge('sessions', 'delete', '--all');
    assert.deepEqual([refused.code, refused.err.includes('--yes')], [2, true]);
    await ok('sessions', 'delete', '--all', '--yes');
    await ok('sessions', 'empty-trash', '--yes');
    assert.equal(await ok('sessions', '--json'), '');
    assert.match(await ok('sessions', '--usage'), /deleted sessions +0 B/);
    assert.equal(await ok('doctor'), '0 sessions checked. No problems were found.\n');
  });

  it('list, find and count the sessions of other folders, and say where they are continued', async () => {
    const harbour = await folderOf({ 'src/mole.ts': 'export const mole = 1;\n' });
    try {
      await ok('ask', 'where is tideLevel defined?');
      await ok('ask', '--folder', harbour, 'where is the narwhal of the mole?');
      const all = (await ok('sessions', '--all', '--json'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        all.map(({ title, folders }) => [title, folders]),
        [
          ['where is the narwhal of the mole?', [harbour]],
          ['where is tideLevel defined?', [folder]],
        ],
      );
      assert.ok((await ok('sessions', '--all')).includes(`\n    ${harbour}\n`));
      assert.ok(!(await ok('sessions')).includes('mole'));
      const { id } = all[0] as { id: string };
      assert.ok((await ok('sessions', 'search', '--all', 'NARWHAL')).startsWith(`${id} `));
      assert.equal((await kedge('sessions', 'search', 'narwhal')).code, 1);
      // The texts of other folders are not searched: their rules and hidden files are not known here.
      assert.equal((await kedge('sessions', 'search', '--all', 'export', 'mole')).code, 1);
      for (const args of [
        ['--continue', id, 'go on'],
        ['export', id],
        ['sessions', 'delete', id],
      ]) {
        const { code, err } = await kedge(...args);
        assert.deepEqual(
          [code, err.includes(`belongs to ${harbour}. Go to that folder and try again, or add --folder ${harbour}.`)],
          [2, true],
        );
      }
      const runs = async (...args: string[]) => JSON.parse(await ok('insights', '--json', ...args)).total.runs;
      assert.deepEqual([await runs(), await runs('--all')], [{ answered: 1 }, { answered: 2 }]);
    } finally {
      await remove(harbour);
    }
  });

  it('count what runs did, once also where a session was forked or imported', async () => {
    const none = await kedge('insights');
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /No runs in this period/);
    await ok('agent', '--yes', 'rename tideLevel to waterLevel in src');
    await ok('ask', 'where is waterLevel defined?');
    const counted = await ok('insights');
    const before = JSON.parse(await ok('insights', '--json', '--days', '2'));
    assert.deepEqual(before.total.runs, { answered: 2 });
    assert.equal(before.sessions, 2);
    assert.match(counted, /^All days\n\nSummary\n.*\n {2}Sessions +2\n {2}Runs +2\n {2}Answered +2 \(100%\)/);
    assert.match(counted, /Tool calls\n {2}Tool +Calls +Failed/);
    await writeFile(join(home, 'copy.jsonl'), await ok('export', 'last', '--format', 'json'));
    await ok('fork', 'last');
    await ok('import', join(home, 'copy.jsonl'));
    const after = JSON.parse(await ok('insights', '--json'));
    assert.deepEqual(after.total, before.total);
    assert.equal(after.sessions, 2);
    const [head, ...lines] = (await ok('insights', '--csv')).trimEnd().split('\n');
    assert.equal(head, 'day,mode,model,group,name,value');
    assert.ok(lines.some((line) => /^\d{4}-\d\d-\d\d,agent,offline\/offline,runs,answered,1$/.test(line)));
    for (const wrong of [['--days', '0'], ['--days', 'x'], ['--json', '--csv'], ['today']])
      assert.equal((await kedge('insights', ...wrong)).code, 2);
  });

  it('fork a session before a message, with the files, and go on in both', async () => {
    await ok('agent', '--yes', 'rename tideLevel to waterLevel in src');
    const before = await ok('export', 'last', '--format', 'json');
    const id = (await ok('fork', 'last', '--before', '1', '--restore')).trim();
    assert.equal(await content(), FILES['src/tide.ts']);
    await ok('agent', '--continue', id, '--yes', 'rename tideLevel to seaLevel in src');
    assert.match(await content(), /seaLevel/);
    const [fork, parent] = (await ok('sessions', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([fork.id, fork.parent.sessionId, fork.title], [id, parent.id, 'rename tideLevel to seaLevel in src']);
    assert.ok((await ok('export', parent.id, '--format', 'json')).startsWith(before));
    await ok('undo');
    assert.equal(await content(), FILES['src/tide.ts']);
    assert.equal((await kedge('fork', 'last', '--at', '99')).code, 2);
  });

  it('export, redact, import and replay a session', async () => {
    await ok('agent', '--yes', 'rename tideLevel to waterLevel in src');
    assert.match(await ok('export', 'last'), /^# rename tideLevel.*\n\n\*.* · agent · offline\/offline\*\n\n## 1 · You\n[\s\S]*```diff\n/);
    const file = join(home, 'session.jsonl');
    const { code, err } = await kedge('export', 'last', '--format', 'json', '--redact=waterLevel', '-o', file);
    assert.equal(code, 0, err);
    assert.match(err, /^Redacted: “waterLevel”, \d+ times\n/);
    const text = await readFile(file, 'utf8');
    assert.ok(!/waterlevel/i.test(text) && text.includes('tideLevel'));
    const { username } = userInfo();
    assert.ok(username.length < 3 || !new RegExp(`\\b${username}\\b`).test(text));
    await writeFile(file, `${text}no event\n`);
    const imported = await kedge('import', file);
    assert.match(imported.err, /Skipped 1 line without a valid event/);
    const id = imported.out.trim();
    assert.match((await kedge('undo', id)).err, /no run/);
    assert.match(await content(), /waterLevel/);
    const replayed = await kedge('replay', id);
    assert.match(replayed.err, /> rename tideLevel to \[redacted\] in src\n[\s\S]*● Edit src\/tide\.ts {2}\+1 −1/);
    const again = await kedge('--continue', id, 'ask', 'where is waterLevel defined?');
    assert.equal(again.code, 0, again.err);
  });

  it('have a help text each, and say what is wrong with a command line', async () => {
    for (const name of Object.keys(SESSION_HELP)) assert.equal(await ok(name, '--help'), helpOn(name));
    for (const [args, message] of [
      ['sessions rename', /rename SESSION TITLE/],
      ['sessions bogus', /is not a command of kedge sessions/],
      ['sessions --bogus', /See kedge sessions --help/],
      ['fork', /kedge fork SESSION/],
      ['export none', /has no session none/],
      ['import none.jsonl', /none\.jsonl cannot be read/],
      ['replay x --speed 0', /--speed must be a number/],
    ] as const) {
      const { code, err } = await kedge(...args.split(' '));
      assert.equal(code, 2, args);
      assert.match(err, message);
    }
    assert.ok(!existsSync(join(folder, '.kedge')));
  });
});
