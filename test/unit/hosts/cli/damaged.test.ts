/** Tests the commands on a session whose log is damaged, and on the other sessions. */
import assert from 'node:assert/strict';
import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undo } from '../../../../src/hosts/cli/undo.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, type Harness } from '../../../support/harness.ts';

const create = (path: string) => turn(call('create_file', { path, content: 'x\n' }));
const done = turn(say('Done.'));

/** Creates two sessions that each wrote a file. `change` damages the log of the first session. */
async function twoSessions(change: (log: string) => string): Promise<{ kedge: Harness; bad: string; good: string; log: string }> {
  const first = await assistantOn({}, [create('first.txt'), create('more.txt'), done, create('second.txt'), done]);
  answerAll(first.session, { approve: true });
  await first.session.prompt({ text: 'First', mode: 'agent' });
  const other = await first.assistant.newSession();
  answerAll(other, { approve: true });
  await other.prompt({ text: 'Second', mode: 'agent' });
  const log = join(first.storage, 'sessions', `${first.session.id}.jsonl`);
  await writeFile(log, change(await readFile(log, 'utf8')));
  return { kedge: await first.reload(), bad: first.session.id, good: other.id, log };
}

async function saying(work: () => Promise<unknown>): Promise<string> {
  let said = '';
  const [out, err] = [process.stdout.write, process.stderr.write];
  process.stdout.write = process.stderr.write = ((text: string) => {
    said += text;
    return true;
  }) as typeof process.stdout.write;
  try {
    await work();
  } finally {
    [process.stdout.write, process.stderr.write] = [out, err];
  }
  return said;
}

const files = async (kedge: Harness) => Object.keys(await kedge.snapshot()).filter((path) => !path.endsWith('/'));

describe('a wrong byte in a log', () => {
  const letters: [what: string, change: (log: string) => string, left: string[]][] = [
    ['in the call of a change', (log) => log.replace(/("type":"file_changed",")callId/, '$1callIt'), []],
    ['in a message', (log) => log.replace('"message":{"role":"assistant"', '"messafe":{"role":"assistant"'), []],
    ['in the beginning of the run', (log) => log.replace('"type":"run_started"', '"type":"run_startee"'), ['first.txt', 'more.txt']],
  ];
  for (const [what, change, left] of letters) {
    it(`is reported, and affects neither the rest of the session nor another one: ${what}`, async () => {
      const { kedge, bad, good, log } = await twoSessions(change);
      await using _ = kedge;
      const damagedLog = await readFile(log, 'utf8');
      assert.deepEqual((await kedge.assistant.sessions()).map(({ id }) => id).sort(), [bad, good].sort());
      assert.match(await saying(() => undo(kedge.assistant, good)), /second\.txt: restored/);
      const said = await saying(() => undo(kedge.assistant, bad));
      assert.deepEqual(
        await files(kedge),
        left.map((name) => `workspace/${name}`),
      );
      if (left.length === 0) assert.match(said, /lines? of this session’s log .* skipped.* A copy of the complete log is in .*\.damaged\./);
      assert.equal(await readFile(`${log}.damaged`, 'utf8'), damagedLog);
    });
  }

  it('is reported once: continuing the session repairs the log', async () => {
    const { kedge } = await twoSessions((log) => log.replace('"messafe"', '"message"').replace('"message":', '"messafe":'));
    await using _ = kedge;
    assert.match(kedge.session.damage ?? '', /^1 line /);
    const again = await kedge.reload();
    assert.match(again.session.damage ?? '', /^1 line /, 'nothing was written yet');
    await again.session.changes.undo(again.session.state.lastRun?.runId ?? '');
    assert.equal((await again.reload()).session.damage, undefined);
  });
});

describe('a session that cannot be opened', () => {
  it('does not affect the others, and is reported if no other session is found', async () => {
    await using first = await assistantOn({}, [create('first.txt'), done, create('second.txt'), done]);
    const other = await first.assistant.newSession();
    for (const session of [first.session, other]) {
      answerAll(session, { approve: true });
      await session.prompt({ text: 'Go', mode: 'agent' });
    }
    await appendFile(join(first.storage, 'sessions', `${other.id}.jsonl`), '{"type":"of tomorrow","format":999}\n');
    const { assistant, session } = await first.reload();
    assert.equal((await assistant.sessions()).length, 2);
    assert.match(await saying(() => undo(assistant, session.id)), /first\.txt: restored/);
    const said = `This folder has no run ${other.id} that changed files. Session ${other.id} could not be opened: This session was written by a newer version`;
    assert.ok((await saying(() => undo(assistant, other.id))).startsWith(`kedge: ${said}`));
  });
});

describe('a session whose damaged log contains no run', () => {
  const lost: [what: string, change: (log: string) => string][] = [
    ['its first line is cut', (log) => log.slice(10)],
    ['it is another file', () => '\0\u0001garbage'],
    ['it begins with a mark of bytes', (log) => `\ufeff${log}`],
  ];
  for (const [what, change] of lost) {
    it(`is reported when nothing else can be undone, and together with an older run: ${what}`, async () => {
      const { kedge, bad, good } = await twoSessions(change);
      await using _ = kedge;
      const later = new Date(Date.now() + 60_000);
      await utimes(join(kedge.storage, 'sessions', `${bad}.jsonl`), later, later);
      assert.equal((await kedge.assistant.sessions())[0]?.id, bad);
      assert.match(
        await saying(() => undo(kedge.assistant, undefined)),
        new RegExp(`^kedge: Session ${bad}: .*log.*\\n[^]*second\\.txt: restored`),
      );
      assert.match(
        await saying(() => undo(kedge.assistant, undefined)),
        new RegExp(`^kedge: This folder has no run with changes that can be undone\\. Session ${bad}: .*A copy of the complete log is in `),
      );
      assert.ok(!(await saying(() => undo(kedge.assistant, good))).includes('restored'));
    });
  }
});
