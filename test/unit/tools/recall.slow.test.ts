import assert from 'node:assert/strict';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';

const recall = (what: string) => call('recall', { what });

describe('recall of a command', () => {
  it('is asked for like the command itself, if a rule asks or its files are hidden now', async () => {
    let rules: SourcedRule[] = [{ effect: 'ask', command: 'cat', from: 'user' }];
    const again = [turn(recall('#3.1'), recall('hold full')), turn(say('Done.'))];
    await using kedge = await assistantOn(
      { 'a.txt': 'the hold is full\n' },
      [turn(call('run_command', { command: 'cat a.txt' })), turn(say('Done.')), ...again, ...again, ...again, ...again],
      { commands: true, shellParsers: nodeShellParsers, policy: () => ({ rules, problems: [] }) },
    );
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Read.', mode: 'agent' });
    const outcome = async () => {
      const before = eventsOf(kedge.events, 'approval_requested').length;
      await kedge.session.prompt({ text: 'Again.', mode: 'agent' });
      const asked = eventsOf(kedge.events, 'approval_requested').length - before;
      const [number = '', search = ''] = resultTexts(kedge.session).slice(-2);
      return `${/full/.test(number)} ${asked} ${/is full/.test(search)}`;
    };
    assert.equal(await outcome(), 'true 1 false', 'a rule asks');
    rules = [];
    assert.equal(await outcome(), 'true 0 true', 'no rule asks');
    rules = [{ effect: 'deny', path: 'a.txt', from: 'user' }];
    assert.equal(await outcome(), 'false 0 false', 'a rule denies');
    rules = [];
    await kedge.write('.kedgeignore', 'a.txt\n');
    assert.equal(await outcome(), 'true 1 false', 'the file is hidden');
  });
});
