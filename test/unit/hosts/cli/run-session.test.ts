import assert from 'node:assert/strict';
import { parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import type { Prompter } from '../../../../src/hosts/cli/questions.ts';
import { driveRun, EXIT, runSession } from '../../../../src/hosts/cli/run-session.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { SessionLog, SessionStore } from '../../../../src/sessions/store.ts';
import { assistantOn, lastOf } from '../../../support/harness.ts';

/** The disk is full when the user answers. */
class FullLog extends SessionLog {
  override append(...[event]: Parameters<SessionLog['append']>): number {
    if (event.type === 'approval_resolved') throw new Error('ENOSPC: no space left on device, write');
    return super.append(event);
  }
}

describe('a conversation in the terminal', () => {
  it('ends with a sentence if an answer cannot be logged', async () => {
    const store = (directory: string) =>
      Object.assign(new SessionStore(directory), { log: (id: string) => new FullLog(directory, `${directory}/${id}.jsonl`) });
    const script = [turn(call('create_file', { path: 'new.txt', content: '' })), turn(say('Done.'))];
    await using kedge = await assistantOn({}, script, { store });
    const start = () => kedge.session.prompt({ text: 'go', mode: 'agent' });
    const stray: unknown[] = [];
    const listen = (error: unknown) => void stray.push(error);
    process.prependListener('unhandledRejection', listen);
    const code = await runSession(kedge.session, start, parseCommand(['agent', '--yes', 'go']), new AbortController().signal);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    assert.deepEqual(stray, []);
    assert.equal(code, EXIT.failed);
    assert.match(lastOf(kedge.events, 'run_finished').error?.message ?? '', /^The session's log cannot be written.*ENOSPC/);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/']);
  });

  it('shows an approval only when it is its turn, so that each answer follows what it is about', async () => {
    const script = [turn(call('read_file', { path: '.env' }), call('read_file', { path: 'sub/.env' })), turn(say('Done.'))];
    await using kedge = await assistantOn({ '.env': 'A=1\n', 'sub/.env': 'B=2\n' }, script);
    const shown: string[] = [];
    const prompter: Prompter = {
      show: (text) => void shown.push(/sub\/\.env/.test(text) ? 'sub/.env' : '.env'),
      ask: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        shown.push('asked');
        return shown.length === 2 ? 'n' : 'y';
      },
    };
    const start = () => kedge.session.prompt({ text: 'go', mode: 'agent' });
    await driveRun(kedge.session, start, { interactive: true, yes: false, prompter }, new AbortController().signal);
    assert.deepEqual(shown, ['.env', 'asked', 'sub/.env', 'asked']);
    const answers = kedge.events.flatMap((event) => (event.type === 'approval_resolved' ? [event.answer.approve] : []));
    assert.deepEqual(answers, [false, true]);
  });
});
