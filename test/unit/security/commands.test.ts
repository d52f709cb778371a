import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand, evaluateCommand } from '../../../src/policy/commands/index.ts';
import { expectStopped } from '../../support/attacks.ts';
import { ATTACKS } from './commands.attacks.ts';

describe('attacks by shell commands', () => {
  expectStopped(ATTACKS, async ({ command, shell, allow, deny }) => {
    const analysis = analyzeCommand(command, shell, await nodeShellParsers(shell));
    return evaluateCommand(analysis, { allow, deny, ask: [], allowReadOnly: true });
  });
});
