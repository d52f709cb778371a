/** Two windows and a terminal at one session: real programs that write into it at the same moment. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf } from '../../support/harness.ts';

const PROGRAM = join(import.meta.dirname, '../../support/together-child.ts');
const NAMES = ['window-1', 'window-2', 'terminal'];
const MESSAGES = 5;

describe('a session that three programs write into at the same moment', () => {
  it('has every run of each of them once and complete, and every file', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    const { root, storage, session } = kedge;
    await session.prompt({ text: 'first', mode: 'ask' });
    const programs = NAMES.map((name) => spawn(process.execPath, [PROGRAM, root, storage, session.id, name, String(MESSAGES)]));
    let errors = '';
    for (const { stderr } of programs) stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    const ends = programs.map((program) => once(program, 'close'));
    await Promise.all(programs.map(({ stdout }) => once(stdout, 'data')));
    for (const { stdin } of programs) stdin.write('go\n');
    for (const [code] of await Promise.all(ends)) assert.equal(code, 0, errors);

    const again = await kedge.beside();
    const { events, state, damage } = again.session;
    assert.equal(damage, undefined);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    const sent = NAMES.flatMap((name) => Array.from({ length: MESSAGES }, (_, index) => `${name} ${index}`));
    const prompts = eventsOf(events, 'run_started').map(({ prompt }) => prompt);
    assert.deepEqual(prompts.slice(1).sort(), sent.sort());
    assert.deepEqual(
      eventsOf(events, 'run_finished').map(({ outcome }) => outcome),
      prompts.map(() => 'answered'),
    );
    for (const { runId } of state.runs.values()) {
      const numbers = events.filter((event) => event.runId === runId).map(({ seq }) => seq);
      assert.equal((numbers.at(-1) ?? 0) - (numbers[0] ?? 0), numbers.length - 1, 'no other event is between those of a run');
    }
    assert.deepEqual((await readdir(root)).sort(), sent.map((text) => `${text.replace(' ', '-')}.txt`).sort());
    // The window that was open all the time sees what the others did.
    session.refresh();
    assert.equal(session.state.seq, state.seq);
  });
});
