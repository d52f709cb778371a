import assert from 'node:assert/strict';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { type CommandOptions, createCommandJudge } from '../../../src/policy/command.ts';
import type { ShellParser } from '../../../src/policy/commands/shells/syntax.ts';
import { decide } from '../../../src/policy/decide.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';

let bash: ShellParser | undefined;
before(async () => {
  bash = await nodeShellParsers('bash');
  assert.ok(bash);
});

type Given = {
  rules?: Omit<SourcedRule, 'from'>[];
  workspace?: Omit<SourcedRule, 'from'>[];
  grants?: Permission[];
  cwd?: string;
} & CommandOptions;

function judge(text: string, { rules = [], workspace = [], grants = [], cwd = '.', ...options }: Given = {}) {
  return decide({
    mode: 'agent',
    tool: { name: 'run_command', effect: 'destructive', source: 'builtin' },
    name: 'run_command',
    targets: [],
    trusted: true,
    command: createCommandJudge({ text, cwd, shell: 'bash' }, bash, options),
    rules: [
      ...rules.map((rule) => ({ ...rule, from: 'user' as const })),
      ...workspace.map((rule) => ({ ...rule, from: 'workspace' as const })),
    ],
    grants,
  });
}

const allow = (command: string) => ({ effect: 'allow' as const, command });
const prefix = (...words: string[]): Permission => ({ kind: 'command', prefix: words });

describe('a command', () => {
  const TABLE: [what: string, text: string, given: Given, expected: string][] = [
    ['that nothing allows', 'npm test', {}, 'ask'],
    ['that a rule allows', 'npm test', { rules: [allow('npm test')] }, 'allow'],
    ['that a rule allows, with more words', 'npm test -- --grep x', { rules: [allow('npm test')] }, 'allow'],
    ['whose word only begins so', 'npm tester', { rules: [allow('npm test')] }, 'ask'],
    ['that a grant allows', 'git status -s', { grants: [prefix('git', 'status')] }, 'allow'],
    ['behind one that is allowed', 'npm test; curl evil.example', { rules: [allow('npm test')] }, 'ask'],
    ['within one that is allowed', 'npm test $(curl evil.example)', { rules: [allow('npm test')] }, 'ask'],
    ['of two, each allowed', 'npm test && git status', { rules: [allow('npm test')], grants: [prefix('git', 'status')] }, 'allow'],
    ['that a workspace allows', 'npm test', { workspace: [allow('npm test')] }, 'ask'],
    ['that is denied and allowed', 'git push', { rules: [allow('git'), { effect: 'deny', command: 'git push' }] }, 'deny'],
    ['that a workspace denies', 'git push', { rules: [allow('git push')], workspace: [{ effect: 'deny', command: 'git push' }] }, 'deny'],
    [
      'of which one part is denied',
      'npm test && git push',
      { rules: [allow('npm test'), { effect: 'deny', command: 'git push' }] },
      'deny',
    ],
    ['that a rule asks for', 'npm test', { rules: [{ effect: 'ask', command: 'npm' }], grants: [prefix('npm', 'test')] }, 'ask'],
    ['of a tool that is denied', 'npm test', { rules: [allow('npm test'), { effect: 'deny', tool: 'run_*' }] }, 'deny'],
    ['that names what a rule denies', 'cat private/map.txt', { rules: [allow('cat'), { effect: 'deny', path: 'private' }] }, 'deny'],
    [
      'that names it from where it runs',
      'cat map.txt',
      { cwd: 'private', rules: [allow('cat'), { effect: 'deny', path: 'private/map.txt' }] },
      'deny',
    ],
    ['that names what a rule asks for', 'cat private/map.txt', { rules: [allow('cat'), { effect: 'ask', path: 'private/**' }] }, 'ask'],
    ['that reads a secret', 'cat .env', { rules: [allow('cat')] }, 'ask'],
    ['that reads a secret below', 'cat app/../config/prod.pem', { rules: [allow('cat')] }, 'ask'],
    ['that reads outside', 'cat ../other/x', { rules: [allow('cat')] }, 'ask'],
    ['that reads at the root', 'cat /etc/passwd', { rules: [allow('cat')] }, 'ask'],
    ['that writes to a protected place', 'echo x > .git/hooks/pre-commit', { rules: [allow('echo')] }, 'ask'],
    ['that names where hooks are', 'cp a tools/hooks/pre-push', { rules: [allow('cp')], hookPlaces: ['tools/hooks'] }, 'ask'],
    ['that only reads, where such are allowed', 'git status', { readOnlyCommands: true }, 'allow'],
    ['that only reads, where such are not', 'git status', {}, 'ask'],
    ['that only reads a secret', 'cat .env', { readOnlyCommands: true }, 'ask'],
    ['that cannot be read', 'eval "$X"', { rules: [allow('eval')] }, 'ask'],
    [
      'a rule for edits',
      'npm test',
      {
        rules: [
          { effect: 'allow', path: '**' },
          { effect: 'allow', tool: 'run_command' },
        ],
        grants: [{ kind: 'edits' }],
      },
      'ask',
    ],
  ];
  for (const [what, text, given, expected] of TABLE)
    it(`${what}: ${expected}`, () => {
      const judged = judge(text, given);
      assert.equal(judged.kind, expected, judged.reason);
      assert.match(judged.reason, /^\S.*[.!?]$/s);
    });

  it('offers the words it begins with, and that is then enough', () => {
    const { covers } = judge('git status -s');
    assert.deepEqual(covers, [prefix('git', 'status')]);
    assert.equal(judge('git status -s', { grants: covers ?? [] }).kind, 'allow');
  });

  it('offers no grant for a dangerous command', () => {
    for (const text of [
      'rm -rf build',
      'curl https://example.com',
      'cat .env',
      'eval "$X"',
      'sudo ls',
      'git push && rm x',
      'echo x > a.txt',
    ])
      assert.equal(judge(text).covers, undefined, text);
  });

  it('needs approval if there is no grammar, whatever was allowed', () => {
    const input = { rules: [{ ...allow('npm test'), from: 'user' as const }], grants: [prefix('npm', 'test')] };
    const judged = createCommandJudge({ text: 'npm test', cwd: '.', shell: 'other' }, undefined)(input.rules, input.grants);
    assert.deepEqual([judged.kind, judged.covers], ['ask', undefined]);
  });
});
