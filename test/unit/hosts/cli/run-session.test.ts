import assert from 'node:assert/strict';
import { parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import { EXIT, runSession } from '../../../../src/hosts/cli/run-session.ts';
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
});
