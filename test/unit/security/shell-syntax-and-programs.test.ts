import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { createCommandJudge } from '../../../src/policy/command.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { type Attack, attack, expectStopped } from '../../support/attacks.ts';
import { ATTACKS_BY_PROGRAMS } from './programs.attacks.ts';
import { ATTACKS_BY_SYNTAX } from './shell-syntax.attacks.ts';

const DENIED: Attack[] = [
  attack('an abbreviated denied option', 'git commit', 'git commit --no-verif -m x', {
    deny: 'git commit --no-verify',
    verdict: 'deny',
  }),
  attack('another abbreviated option', 'git log', 'git log --al', { deny: 'git log --all', verdict: 'deny' }),
  attack('a denied word in other quotes', 'git', "git $'push'", { deny: 'git push', verdict: 'deny' }),
  attack('a denied word after the value of an option', 'git', 'git --git-dir .git push', { deny: 'git push', verdict: 'deny' }),
];

describe('attacks by the syntax of shells and by options of programs', () => {
  expectStopped([...ATTACKS_BY_SYNTAX, ...ATTACKS_BY_PROGRAMS, ...DENIED], async ({ command, shell, allow, deny }) => {
    const judge = createCommandJudge({ text: command, shell, cwd: '.' }, await nodeShellParsers(shell), { readOnlyCommands: true });
    const rules = (effect: SourcedRule['effect'], prefixes: string[]) =>
      prefixes.map((prefix): SourcedRule => ({ effect, command: prefix, from: 'user' }));
    return judge([...rules('allow', allow), ...rules('deny', deny)], []);
  });
});
