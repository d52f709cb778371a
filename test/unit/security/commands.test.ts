import assert from 'node:assert/strict';
import { nodeShellParsers } from '../../../src/hosts/node/shell-parser.ts';
import { analyzeCommand, judgeCommand } from '../../../src/policy/commands/index.ts';
import { ATTACKS } from './commands.attacks.ts';

const list = (text = '') => text.split(',').filter((each) => each !== '');

describe('attacks by shell commands', () => {
  for (const { name, command, allow, deny, verdict = 'ask', shell = 'bash' } of ATTACKS) {
    it(`${verdict === 'deny' ? 'denies' : 'asks before'} ${name}: ${JSON.stringify(command).slice(0, 100)}`, async () => {
      const analysis = analyzeCommand(command, shell, await nodeShellParsers(shell));
      const decision = judgeCommand(analysis, { allow: list(allow), deny: list(deny), ask: [], allowReadOnly: true });
      assert.equal(decision.kind, verdict, `${decision.rule}: ${decision.reason}`);
      assert.notEqual(decision.reason, '');
    });
  }
});
