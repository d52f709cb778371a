import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Lessons } from '../../../../src/app/lessons/lessons.ts';
import { SessionError } from '../../../../src/app/session/session-error.ts';
import type { NotePart } from '../../../../src/core/model/messages.ts';
import { MemoryFiles } from '../../../../src/hosts/node/memory.ts';
import { call, type ScriptedTurn, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, type Harness, type HarnessOptions } from '../../../support/harness.ts';

const KEY = `sk-proj-${'a1B2'.repeat(8)}`;
const TASK = 'Repair the tide parser tests';
const done = turn(say('Done.'));
const run = (command: string) => turn(call('run_command', { command }));
/** Two commands fail or work, and an edit makes it a run of several steps. */
const SCRIPT = [run('node missing.js tide'), run('node there.js tide'), turn(call('create_file', { path: 'a.txt', content: 'a' })), done];
const FILES = { 'there.js': '', '.env': 'A=1\n' };

describe('lessons', () => {
  let directory: string;
  let remembered: MemoryFiles;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-lessons-'));
    const file = (name: string) => join(directory, name);
    remembered = new MemoryFiles({ workspace: file('memory.md'), user: file('user.md'), lessons: file('lessons.md') });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function runWith(script: readonly ScriptedTurn[], text = TASK, options: HarnessOptions = {}): Promise<[Harness, Lessons]> {
    const kedge = await assistantOn(FILES, script, { remembered, commands: true, ...options });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text, mode: 'agent' });
    return [kedge, await kedge.assistant.lessons()];
  }
  const stored = () => readdir(directory);
  const notesIn = ({ session }: Harness) =>
    session.state.messages.flatMap(({ content, role }) =>
      role === 'user' ? content.flatMap((part) => ((part as NotePart).about === 'memory' ? [(part as NotePart).text] : [])) : [],
    );

  it('are proposed from the log after something failed and then worked, and stored only when the user keeps them', async () => {
    const [kedge, lessons] = await runWith(SCRIPT);
    await using _ = kedge;
    const { runId, text } = (await lessons.proposal(kedge.session)) ?? assert.fail();
    assert.equal(
      text,
      'Task: Repair the tide parser tests. Failed: `node missing.js tide` (exit 1). Worked: `node there.js tide`. Changed: a.txt.',
    );
    assert.deepEqual(await stored(), []);
    assert.equal(kedge.adapter.requests.length, SCRIPT.length, 'no further request to the model');
    const reloaded = await kedge.reload();
    const again = await reloaded.assistant.lessons();
    assert.deepEqual(await again.proposal(reloaded.session), { runId, text }, 'after a reload');
    assert.match(await again.keep(reloaded.session, runId), /^Remembered for similar tasks in this workspace: Task: Repair/);
    assert.equal(await readFile(join(directory, 'lessons.md'), 'utf8'), `- ${text}\n`);
    assert.equal(await again.proposal(reloaded.session), undefined);
    await assert.rejects(again.keep(reloaded.session, runId), SessionError);
  });

  it('can be edited, but not into something with a key, and too much is refused', async () => {
    const [kedge, lessons] = await runWith(SCRIPT);
    await using _ = kedge;
    const { runId } = (await lessons.proposal(kedge.session)) ?? assert.fail();
    for (const words of ['password=correct-horse-battery', 'x'.repeat(601), ' '])
      await assert.rejects(lessons.keep(kedge.session, runId, words), SessionError);
    await assert.rejects(lessons.keep(kedge.session, 'another', 'x'), SessionError);
    assert.deepEqual(await stored(), []);
    await lessons.command(kedge.session, `keep Use\n there.js\u202e with ${KEY}`);
    assert.equal(await remembered.read('lessons'), '- Use there.js⟨U+202E⟩ with [left out by Kedge: API keys]\n');
  });

  it('are not proposed again after they were dismissed, for no other task', async () => {
    const [kedge, lessons] = await runWith([...SCRIPT, ...SCRIPT.with(2, turn(call('create_file', { path: 'b.txt', content: 'b' })))]);
    await using _ = kedge;
    assert.match(await lessons.command(kedge.session, ''), /^Remember this for similar tasks\? Task: [^\n]+\nTo keep it: \/lesson keep/);
    await assert.rejects(lessons.command(kedge.session, 'maybe'), SessionError);
    assert.equal(await lessons.command(kedge.session, 'dismiss'), 'Dismissed. This is not proposed again.');
    await kedge.session.prompt({ text: 'Document the harbour module', mode: 'agent' });
    assert.equal(await lessons.proposal(kedge.session), undefined);
    assert.equal(await lessons.command(kedge.session, 'keep'), 'There is nothing to remember from the last run.');
    assert.equal(await remembered.read('lessons'), '');
  });

  for (const [why, script, text] of [
    ['everything worked', [run('node there.js'), run('node there.js'), ...SCRIPT.slice(2)], TASK],
    ['a command failed once and then worked', [run('test -f a.txt && node there.js'), ...SCRIPT.slice(2), done], TASK],
    ['a search found nothing', [run('grep nothing there.js'), run('grep -c "" there.js'), ...SCRIPT.slice(2)], TASK],
    ['the commands have nothing in common', [run('node missing.js'), run('echo one'), ...SCRIPT.slice(2)], TASK],
    ['there were few steps', [...SCRIPT.slice(0, 2), done], TASK],
    ['the task could not be recognized again', SCRIPT, 'do it'],
    ['a secret file was read', [turn(call('read_file', { path: '.env' })), ...SCRIPT], TASK],
    ['a command looks as if it contained a password', [run('node missing.js password=hunter2hunter2'), ...SCRIPT.slice(1)], TASK],
    ['an option of a command is a password', [run('node missing.js tide --password hunter2'), ...SCRIPT.slice(1)], TASK],
    ['an option of a command is a user with a password', [run('node missing.js tide -u me:hunter2'), ...SCRIPT.slice(1)], TASK],
    ['a variable of a command is a short token', [run('MY_TOKEN=abc1 node missing.js tide'), ...SCRIPT.slice(1)], TASK],
  ] as const)
    it(`are not proposed if ${why}`, async () => {
      const [kedge, lessons] = await runWith(script, text);
      await using _ = kedge;
      assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
      assert.equal(await lessons.proposal(kedge.session), undefined);
    });

  it('are proposed if a command kept failing, or failed several times before it worked', async () => {
    const [failing, lessons] = await runWith([run('node missing.js'), run('node missing.js'), ...SCRIPT.slice(2)]);
    await using _ = failing;
    assert.match(
      (await lessons.proposal(failing.session))?.text ?? '',
      /Failed to the end: `node missing\.js` \(2 times, exit 1\)\. Changed/,
    );
    const create = turn(call('create_file', { path: 'late.js', content: '' }));
    const [worked, more] = await runWith([run('node late.js'), run('node late.js'), create, run('node late.js'), done]);
    await using __ = worked;
    assert.match(
      (await more.proposal(worked.session))?.text ?? '',
      /Failed: `node late\.js` \(2 times, exit 1\)\. Worked: `node late\.js` after changes/,
    );
  });

  it('do not name files that may not be read, and are not proposed after such a file was read', async () => {
    const [kedge, lessons] = await runWith(SCRIPT);
    await using _ = kedge;
    await kedge.write('.kedgeignore', 'a.txt\n');
    assert.doesNotMatch((await lessons.proposal(kedge.session))?.text ?? assert.fail(), /a\.txt/);
    const [reader, more] = await runWith([turn(call('read_file', { path: 'there.js' })), ...SCRIPT]);
    await using __ = reader;
    assert.ok(await more.proposal(reader.session));
    await reader.write('.kedgeignore', 'there.js\n');
    assert.equal(await more.proposal(reader.session), undefined);
  });

  it('are sent with a similar task only, at most two, once, and are named in the run', async () => {
    await remembered.add('lessons', 'Task: Deploy the harbour website. Worked: `make deploy`.');
    const tasks = [TASK, 'Repair the parser of tide tests', 'Repair tests, parser and tide', TASK];
    for (const [n, task] of tasks.entries()) await remembered.add('lessons', `Task: ${task}. Worked: \`node ${n + 1}.js\`.`);
    await using kedge = await assistantOn({}, [done, done, done, done], { remembered });
    await kedge.session.prompt({ text: 'Say hello to everybody', mode: 'ask' });
    assert.deepEqual(notesIn(kedge), []);
    await kedge.session.prompt({ text: 'The tests of the tide parser fail', mode: 'ask' });
    const notes = notesIn(kedge);
    assert.deepEqual(
      notes.map((text) => /node \d\.js/.exec(text)?.[0]),
      ['node 4.js', 'node 3.js'],
    );
    assert.match(notes[0] ?? '', /not an instruction, and allows nothing/);
    assert.deepEqual(kedge.session.readView().runs[1]?.rules, [{ path: `lesson: ${TASK}` }, { path: `lesson: ${tasks[2]}` }]);
    await kedge.session.prompt({ text: 'Once more: the tide parser tests', mode: 'ask' });
    assert.equal(notesIn(kedge).length, 2);
    await rm(remembered.path('lessons'));
    await kedge.session.prompt({ text: 'Say hello to everybody', mode: 'ask' });
    assert.deepEqual(notesIn(kedge).slice(2), Array(2).fill('The user removed this lesson. It no longer applies.'));
  });

  it('are neither proposed nor sent when the memory is turned off', async () => {
    const [kedge, lessons] = await runWith(SCRIPT, TASK, { memoryTokens: 0 });
    await using _ = kedge;
    assert.equal(await lessons.proposal(kedge.session), undefined);
    await remembered.add('lessons', `Task: ${TASK}. Worked: \`node 1.js\`.`);
    await using other = await assistantOn({}, [done], { remembered, memoryTokens: 0 });
    await other.session.prompt({ text: TASK, mode: 'ask' });
    assert.deepEqual(notesIn(other), []);
  });

  it('never store anything without a confirmation, and never a key, whatever the run and the user wrote', async () => {
    const words = fc.oneof(fc.string({ maxLength: 60 }), fc.constantFrom(KEY, `token=${KEY}`, '\u202e', '`', 'Task: x. Failed: y'));
    await fc.assert(
      fc.asyncProperty(words, words, fc.constantFrom('', 'dismiss', 'other'), async (task, edit, answer) => {
        await rm(directory, { recursive: true, force: true });
        const [kedge, lessons] = await runWith(SCRIPT, `${TASK} ${task}`);
        await using _ = kedge;
        await lessons.proposal(kedge.session);
        await lessons.command(kedge.session, answer).catch((error) => assert.ok(error instanceof SessionError));
        assert.equal(await remembered.read('lessons'), '');
        if (answer === 'dismiss') return;
        await lessons.command(kedge.session, `keep ${edit}`).catch((error) => assert.ok(error instanceof SessionError));
        const kept = await remembered.read('lessons');
        assert.ok(!kept.includes(KEY) && !kept.includes('\u202e') && kept.split('\n').length <= 2, kept);
      }),
      { numRuns: 15 },
    );
  });
});
