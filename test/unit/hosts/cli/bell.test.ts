import assert from 'node:assert/strict';
import { ringFor } from '../../../../src/hosts/cli/bell.ts';
import { parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn } from '../../../support/harness.ts';

describe('the bell of the terminal', () => {
  it('rings when the run waits for the user, and at its end', async () => {
    await using kedge = await assistantOn({}, [
      turn(call('create_file', { path: 'a.txt', content: '' })),
      turn(say('Done.')),
      turn(say('Here.')),
    ]);
    const written: string[] = [];
    const terminal = { isTTY: true, write: (text: string) => written.push(text) };
    const file = { write: () => assert.fail('no terminal') };
    const stop = ringFor(kedge.session, terminal);
    ringFor(kedge.session, file);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'make it', mode: 'agent' });
    assert.deepEqual(written, ['\u0007', '\u0007']);
    stop();
    await kedge.session.prompt({ text: 'where?', mode: 'ask' });
    assert.equal(written.length, 2);
  });

  it('is an option that is off by default', () => {
    assert.deepEqual([parseCommand(['ask', '--bell', 'x']).bell, parseCommand(['ask', 'x']).bell], [true, undefined]);
  });
});
