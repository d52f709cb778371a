import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { createCommandJudge } from '../../../src/policy/command.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { expectStopped } from '../../support/attacks.ts';
import { ATTACKS_BY_OPTIONS } from './options.attacks.ts';

describe('attacks by options of programs', () => {
  expectStopped(ATTACKS_BY_OPTIONS, async ({ command, shell, allow }) => {
    const judge = createCommandJudge({ text: command, shell, cwd: '.' }, await nodeShellParsers(shell), { readOnlyCommands: true });
    return judge(
      allow.map((prefix): SourcedRule => ({ effect: 'allow', command: prefix, from: 'user' })),
      [],
    );
  });
});
