import assert from 'node:assert/strict';
import fc from 'fast-check';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand, evaluateCommand, suggestedPrefix } from '../../../src/policy/commands/index.ts';
import type { ShellParser } from '../../../src/policy/commands/shells/syntax.ts';
import type { CommandRules } from '../../../src/policy/commands/types.ts';
import { assertCheap } from '../../support/clock.ts';

const FREEDOM = { deny: 0, ask: 1, allow: 2 };

const ALLOW = ['ls', 'git', 'npm test', 'echo', 'cat', 'rg', 'true'];
const simple = fc.constantFrom(
  ...[
    'ls',
    'ls -la "a b"',
    'git status',
    'git -c a=b status',
    'npm test',
    'npm run x',
    "echo 'x; y'",
    'cat a > b',
    'rg --pre x y',
    'true',
    'rm x',
    'touch a',
  ],
  ...[
    '$x',
    'sudo ls',
    'FOO=1 ls',
    'CI=1 npm test',
    'timeout 5 ls',
    'bash -c "ls"',
    'ls | touch x',
    '(ls)',
    '{ ls; }',
    'if true; then ls; fi',
    'ls 2>/dev/null',
  ],
);
const operator = fc.constantFrom(' ; ', ' && ', ' || ', ' | ', ' |& ', ' & ', '\n', ';', '&&', '|');
const commands = fc.array(fc.tuple(simple, operator), { minLength: 1, maxLength: 4 }).map((parts) => {
  const text = parts.flat().slice(0, -1).join('');
  return text;
});
/** Characters with a meaning in shells, in random order. */
const soup = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...'ls|git|status|cat|echo|a|-x|--pre=x| |  |\n|;|&|&&|(|)|{|}|<|>|>>|<<|<<<|"|\'|`|$|$(|${|\\|#|=|!|*|?|[|]|~|^|,|..|:|@|%|1|2|if|then|fi|do|done|for|in|case|esac|while|[[|]]|((|))|EOF|\t'.split(
        '|',
      ),
      '|',
      '||',
    ),
    fc.string({ maxLength: 3 }),
  ),
  { maxLength: 14 },
);

describe('never, whatever the command', () => {
  let parser: ShellParser | undefined;
  before(async () => {
    parser = await nodeShellParsers('bash');
  });
  const rules = (more: Partial<CommandRules> = {}): CommandRules => ({ allow: ALLOW, deny: [], ask: [], ...more });
  const freedom = (command: string, more?: Partial<CommandRules>) =>
    FREEDOM[evaluateCommand(analyzeCommand(command, 'bash', parser), rules(more)).kind];

  it('allows two commands together if one of them is not allowed', () => {
    fc.assert(
      fc.property(commands, operator, commands, fc.subarray(['rm', 'git status', 'touch', 'ls']), (first, sign, second, deny) => {
        assert.ok(freedom(first + sign + second, { deny }) <= Math.min(freedom(first, { deny }), freedom(second, { deny })));
      }),
      { numRuns: 1000 },
    );
  });

  it('allows more with an additional denied prefix', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          commands,
          soup.map((parts) => parts.join('')),
        ),
        fc.array(fc.constantFrom('rm', 'ls', 'git', 'git status', 'cat a', '-x', '')),
        (command, deny) => {
          assert.ok(freedom(command, { deny }) <= freedom(command));
          assert.ok(freedom(command, { ask: deny }) <= freedom(command));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('allows a command only because of a wrapper', () => {
    const names =
      'env timeout time nice stdbuf command builtin xargs sudo find bash sh eval echo cat ls true test npx npm exec nohup watch ssh git rg exit'.split(
        ' ',
      );
    const wrap = fc.constantFrom<(command: string) => string>(
      ...[
        'env',
        'env CI=1',
        'timeout 5',
        'time',
        'nice -n 5',
        'stdbuf -oL',
        'command',
        'builtin',
        'xargs',
        'sudo',
        'nohup',
        'exec',
        'npx',
        'npm exec',
        'watch',
        'ssh host',
        '!',
      ].map((name) => (command: string) => `${name} ${command}`),
      ...[
        ['(', ')'],
        ['{ ', '; }'],
        ['$(', ')'],
        ['echo $(', ')'],
        ['echo "$(', ')"'],
        ['echo `', '`'],
        ['cat <(', ')'],
        ['cat <<E\n$(', ')\nE'],
        ['if ', '; then ls; fi'],
        ['if true; then ', '; fi'],
        ['while ', '; do ls; done'],
        ['case a in a) ', ' ;; esac'],
        ['f() { ', '; }; f'],
        ['echo ${x:-$(', ')}'],
        ['echo $((1+$(', ')))'],
        ['find . -exec ', ' \\;'],
        ["bash -c '", "'"],
        ["sh -c '", "'"],
        ["eval '", "'"],
        ['ls; ', ''],
        ['ls | ', ''],
        ['true && ', ' && true'],
        ['', ' | cat'],
        ['', ' 2>/dev/null'],
      ].map(
        ([before, after]) =>
          (command: string) =>
            `${before}${command}${after}`,
      ),
    );
    fc.assert(
      fc.property(
        simple.filter((command) => freedom(command) < 2),
        fc.array(wrap, { minLength: 1, maxLength: 4 }),
        (command, wraps) => {
          const wrapped = wraps.reduce((text, each) => each(text), command);
          assert.ok(freedom(wrapped, { allow: [...ALLOW, ...names], allowReadOnly: true }) < 2, wrapped);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('throws for any text, or allows a command with a word whose value is unknown', () => {
    const text = fc.oneof(
      soup.map((parts) => parts.join('')),
      soup.map((parts) => parts.join(' ')),
      fc.string({ unit: 'binary', maxLength: 60 }),
      commands,
    );
    fc.assert(
      fc.property(text, fc.constantFrom('bash' as const, 'sh' as const), (command, shell) => {
        const analysis = analyzeCommand(command, shell, parser);
        suggestedPrefix(analysis);
        visibleCommand(command);
        const { kind } = evaluateCommand(analysis, rules({ allowReadOnly: true }));
        if (kind !== 'allow') return;
        assert.ok(analysis.commands.length > 0);
        assert.ok(analysis.commands.every(({ words }) => words.every(({ value }) => value !== undefined)));
        assert.ok(
          analysis.commands.every(
            ({ argv, reads, isCovered }) => isCovered || reads || ALLOW.some((prefix) => `${argv.join(' ')} `.startsWith(`${prefix} `)),
          ),
        );
        assert.deepEqual(analysis.writes, []);
      }),
      { numRuns: 2500 },
    );
  });

  it('throws for any PowerShell text', async () => {
    const powershell = await nodeShellParsers('powershell');
    fc.assert(
      fc.property(
        fc.oneof(
          soup.map((parts) => parts.join(' ')),
          fc.string({ unit: 'binary', maxLength: 60 }),
        ),
        (command) => {
          const analysis = analyzeCommand(command, 'powershell', powershell);
          const { kind } = evaluateCommand(analysis, rules());
          if (kind === 'allow') assert.doesNotMatch(command, /[$`@{}()<>&]/);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('the time it takes', () => {
  it('is short for a typical command', async () => {
    const parser = await nodeShellParsers('bash');
    const command = 'CI=1 npm test -- --grep "a b" 2>&1 | tail -20 && git diff --stat -- src test';
    const judge = () =>
      evaluateCommand(analyzeCommand(command, 'bash', parser), { allow: ['npm test', 'git diff', 'tail'], deny: ['rm'], ask: [] });
    assert.equal(judge().kind, 'allow');
    const many = () => {
      for (let count = 0; count < 200; count++) judge();
    };
    many();
    assertCheap(many, 200);
  });

  it('stays short for text designed to take long', async () => {
    const parser = await nodeShellParsers('bash');
    const texts = ['(', '{', '$(', '`', '"', "'", '<<A ', 'a -', '-a ', '[', '\\', '{,', ' \n', 'sed s/[', '; ', '|', '$((', '${', 'if '];
    for (const text of texts) {
      const judge = () => {
        for (const command of [
          text.repeat(9_900 / text.length),
          `rm ${text.repeat(9_000 / text.length)}`,
          `sed '${text.repeat(4_000)}' x`,
        ]) {
          evaluateCommand(analyzeCommand(command, 'bash', parser), { allow: ['rm'], deny: ['rm x y z', 'a -b'], ask: [] });
          visibleCommand(command);
        }
      };
      assertCheap(judge, 2_000);
    }
  });

  it('loads each grammar once, and none for shells that are not read', async () => {
    assert.equal(await nodeShellParsers('bash'), await nodeShellParsers('sh'));
    assert.notEqual(await nodeShellParsers('bash'), await nodeShellParsers('powershell'));
    assert.equal(await nodeShellParsers('other'), undefined);
  });
});
