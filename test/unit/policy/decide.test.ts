import assert from 'node:assert/strict';
import type { Effect, Target } from '../../../src/core/session/effects.ts';
import { GRANT_SCOPES, type Permission } from '../../../src/core/session/grant-scope.ts';
import { decide, inScope } from '../../../src/policy/decide.ts';
import type { PolicyInput } from '../../../src/policy/policy-input.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { assertCheap } from '../../support/clock.ts';

const write = (...paths: string[]): Target[] => paths.map((path) => ({ path, access: 'write' }));
const remove = (...paths: string[]): Target[] => paths.map((path) => ({ path, access: 'delete' }));
const read = (...paths: string[]): Target[] => paths.map((path) => ({ path, access: 'read' }));
const tool = (effect: Effect, name = 'tool') => ({ name, effect });
const reader = { tool: tool('readonly', 'read_file'), targets: read('src/a.ts') };
const editor = { tool: tool('mutating', 'replace_in_file'), targets: write('src/a.ts') };
const eraser = { tool: tool('destructive', 'delete_file'), targets: remove('src/a.ts') };
const fetcher = { tool: tool('readonly', 'fetch'), hosts: ['docs.example.com'] };
const browser = { tool: tool('external', 'browse'), hosts: ['docs.example.com'] };
const server = { tool: { name: 'github__create_issue', effect: 'external', source: 'mcp:github', fingerprint: 'f1' } as const };
const marked = { tool: { ...server.tool, effect: 'readonly' } as const };
const stranger = { tool: tool('external') };

const EDITS: Permission[] = [{ kind: 'edits' }];
const by = (from: SourcedRule['from'], ...rules: Omit<SourcedRule, 'from'>[]): { rules: SourcedRule[] } => ({
  rules: rules.map((rule) => ({ ...rule, from })),
});
const mine = (...rules: Omit<SourcedRule, 'from'>[]) => by('user', ...rules);

const full = (input: Partial<PolicyInput>): PolicyInput => ({
  mode: 'agent',
  tool: undefined,
  name: 'tool',
  targets: [],
  trusted: true,
  ...input,
});
const judge = (input: Partial<PolicyInput>) => {
  const { kind, rule } = decide(full(input));
  return `${kind}: ${rule}`;
};

type Table = [what: string, input: Partial<PolicyInput>, expected: string][];

const TABLES: Record<string, Table> = {
  'by its mode': [
    ['an unknown tool', {}, 'deny: unknown-tool'],
    ['reading in Ask mode', { mode: 'ask', ...reader }, 'allow: read-only'],
    ['reading in Plan mode', { mode: 'plan', ...reader }, 'allow: read-only'],
    ['reading in Agent mode', { ...reader }, 'allow: read-only'],
    ['a question that touches no file', { mode: 'ask', tool: tool('readonly') }, 'allow: read-only'],
    ['writing in Ask mode', { mode: 'ask', ...editor }, 'deny: read-only-mode'],
    ['writing in Plan mode', { mode: 'plan', ...editor }, 'deny: read-only-mode'],
    ['writing in Ask mode, whatever was granted', { mode: 'ask', ...editor, grants: EDITS, planScope: ['**'] }, 'deny: read-only-mode'],
    [
      'writing in Ask mode, whatever rules allow',
      { mode: 'ask', ...editor, ...mine({ effect: 'allow', path: '**' }) },
      'deny: read-only-mode',
    ],
    ['deleting in Ask mode', { mode: 'ask', ...eraser }, 'deny: read-only-mode'],
    ['another program in Plan mode', { mode: 'plan', ...stranger }, 'deny: read-only-mode'],
    ['a tool that says it reads and would write', { mode: 'ask', tool: tool('readonly'), targets: write('a') }, 'deny: read-only-mode'],
    [
      'a command in Plan mode, even of a tool that says it reads',
      { mode: 'plan', tool: tool('readonly'), command: () => ({ kind: 'allow', rule: 'command', reason: 'x' }) },
      'deny: read-only-mode',
    ],
  ],
  'by trust in the workspace': [
    ['reading in Ask mode', { mode: 'ask', ...reader, trusted: false }, 'allow: read-only'],
    ['reading in Agent mode', { ...reader, trusted: false }, 'deny: untrusted-workspace'],
    ['writing', { ...editor, trusted: false, grants: EDITS }, 'deny: untrusted-workspace'],
    ['planning', { mode: 'plan', ...reader, trusted: false }, 'deny: untrusted-workspace'],
    ['a request to a host in Ask mode', { mode: 'ask', ...fetcher, trusted: false }, 'deny: untrusted-workspace'],
    ['a tool of a server that the user marked', { mode: 'ask', ...marked, trusted: false }, 'deny: untrusted-workspace'],
    [
      'a rule of it that denies still does',
      { mode: 'ask', ...reader, trusted: false, ...by('workspace', { effect: 'deny', path: 'src' }) },
      'deny: rule',
    ],
  ],
  'by what was granted': [
    ['writing', { ...editor }, 'ask: edit'],
    ['writing, with edits granted', { ...editor, grants: EDITS }, 'allow: edits-granted'],
    ['writing where this tool may', { ...editor, grants: [{ kind: 'path', tool: 'replace_in_file', glob: 'src/**' }] }, 'allow: granted'],
    ['writing where another tool may', { ...editor, grants: [{ kind: 'path', tool: 'create_file', glob: 'src/**' }] }, 'ask: edit'],
    [
      'writing elsewhere',
      { ...editor, targets: write('lib/a.ts'), grants: [{ kind: 'path', tool: 'replace_in_file', glob: 'src/**' }] },
      'ask: edit',
    ],
    [
      'writing here and elsewhere at once',
      { ...editor, targets: write('src/a.ts', 'lib/a.ts'), grants: [{ kind: 'path', tool: 'replace_in_file', glob: 'src/**' }] },
      'ask: edit',
    ],
    ['another program', { ...stranger }, 'ask: external'],
    ['another program, with edits granted', { ...stranger, grants: EDITS }, 'ask: external'],
    ['another program that names files, with edits granted', { ...stranger, targets: write('a'), grants: EDITS }, 'ask: external'],
    ['another program, in a confirmed plan', { ...stranger, planScope: ['**'] }, 'ask: external'],
    ['a change of nobody knows what', { tool: tool('mutating'), grants: EDITS, planScope: ['**'] }, 'ask: unknown-targets'],
    ['a change that names only what it reads', { tool: tool('mutating'), targets: read('a'), planScope: ['**'] }, 'ask: unknown-targets'],
  ],
  'by the confirmed plan': [
    ['what it names', { ...editor, planScope: ['src/a.ts'] }, 'allow: confirmed-plan'],
    ['what a glob of it names', { ...editor, planScope: ['lib/**', 'src/*.ts'] }, 'allow: confirmed-plan'],
    ['what it names to be deleted', { ...eraser, planScope: ['./src/a.ts'] }, 'allow: confirmed-plan'],
    ['what only a glob of it names to be deleted', { ...eraser, planScope: ['src/**'] }, 'ask: deletes'],
    ['what it does not name', { ...editor, planScope: ['src/b.ts'] }, 'ask: outside-plan'],
    ['what it does not name, with edits granted', { ...editor, planScope: ['src/b.ts'], grants: EDITS }, 'ask: outside-plan'],
    [
      'what it does not name, allowed by a rule',
      { ...editor, planScope: [], ...mine({ effect: 'allow', path: 'src/**' }) },
      'ask: outside-plan',
    ],
    [
      'a move of which it names one end',
      { tool: tool('mutating'), targets: [...write('b.ts'), ...write('src/a.ts')], planScope: ['src/a.ts'] },
      'ask: outside-plan',
    ],
  ],
  'by rules': [
    ['what a rule of the user allows', { ...editor, ...mine({ effect: 'allow', path: 'src/**' }) }, 'allow: rule'],
    ['what a rule about the tool allows', { ...editor, ...mine({ effect: 'allow', tool: 'replace_*' }) }, 'allow: rule'],
    [
      'one half by a rule, the other by another',
      { ...editor, targets: write('a/x', 'b/x'), ...mine({ effect: 'allow', path: 'a/*' }, { effect: 'allow', path: 'b/*' }) },
      'allow: rule',
    ],
    ['one half by a rule', { ...editor, targets: write('a/x', 'b/x'), ...mine({ effect: 'allow', path: 'a/*' }) }, 'ask: edit'],
    ['a hidden file by a star', { ...editor, targets: write('src/.a'), ...mine({ effect: 'allow', path: 'src/**' }) }, 'ask: edit'],
    ['a workspace that allows', { ...editor, ...by('workspace', { effect: 'allow', path: '**' }) }, 'ask: edit'],
    ['what a rule denies', { ...editor, grants: EDITS, ...mine({ effect: 'deny', path: 'src/**' }) }, 'deny: rule'],
    [
      'what a rule of the workspace denies',
      { ...editor, grants: EDITS, ...by('workspace', { effect: 'deny', path: 'src' }) },
      'deny: rule',
    ],
    [
      'what is denied and allowed',
      { ...editor, ...mine({ effect: 'allow', path: '**' }, { effect: 'deny', path: 'src/a.ts' }) },
      'deny: rule',
    ],
    [
      'what is denied, in another spelling',
      { ...editor, targets: write('SRC/A.ts.'), grants: EDITS, ...mine({ effect: 'deny', path: 'src/a.ts' }) },
      'deny: rule',
    ],
    [
      'what is denied, hidden',
      { ...editor, targets: write('src/.x/y'), grants: EDITS, ...mine({ effect: 'deny', path: 'src/**' }) },
      'deny: rule',
    ],
    ['what is denied to be read', { mode: 'ask', ...reader, ...mine({ effect: 'deny', path: 'src' }) }, 'deny: rule'],
    ['what asks and is granted', { ...editor, grants: EDITS, ...mine({ effect: 'ask', path: 'src/**' }) }, 'ask: rule'],
    ['what asks and the plan names', { ...editor, planScope: ['**'], ...mine({ effect: 'ask', tool: 'replace_in_file' }) }, 'ask: rule'],
    ['what asks to be read', { mode: 'ask', ...reader, ...mine({ effect: 'ask', path: 'src' }) }, 'ask: rule'],
    ['all of a denied tool', { ...reader, ...mine({ effect: 'deny', tool: 'read_*' }) }, 'deny: rule'],
    ['a rule that asks for everything', { mode: 'ask', ...reader, ...mine({ effect: 'ask' }) }, 'ask: rule'],
    [
      'a rule about commands, where there is none',
      { ...editor, ...mine({ effect: 'allow', command: 'npm test' }, { effect: 'deny', command: 'rm' }) },
      'ask: edit',
    ],
    [
      'a rule about a host, where there is none',
      { ...editor, ...mine({ effect: 'allow', host: '*.com' }, { effect: 'deny', host: '*.com' }) },
      'ask: edit',
    ],
  ],
  'where it is dangerous, whatever was allowed': [
    [
      'reading outside',
      { mode: 'ask', ...reader, targets: [{ path: '/etc/passwd', access: 'read', outside: true }] },
      'ask: outside-workspace',
    ],
    [
      'writing outside',
      { ...editor, targets: [{ path: '../x', access: 'write', outside: true }], grants: EDITS },
      'ask: outside-workspace',
    ],
    ['deleting', { ...eraser }, 'ask: deletes'],
    ['deleting, with edits granted', { ...eraser, grants: EDITS }, 'ask: deletes'],
    ['deleting, allowed by a rule', { ...eraser, ...mine({ effect: 'allow', tool: 'delete_file', path: '**' }) }, 'ask: deletes'],
    ['a deletion among other edits', { ...editor, targets: [...write('a'), ...remove('b.ts')], grants: EDITS }, 'ask: deletes'],
    ['deleting what the run made itself', { ...eraser, ownFiles: new Set(['src/a.ts']) }, 'ask: edit'],
    [
      'deleting what the run made itself, with edits granted',
      { ...eraser, ownFiles: new Set(['src/a.ts']), grants: EDITS },
      'allow: edits-granted',
    ],
    ['a protected place', { ...editor, targets: write('.git/HEAD') }, 'ask: protected-path'],
    ['a protected place, granted', { ...editor, targets: write('.vscode/settings.json'), grants: EDITS }, 'ask: protected-path'],
    [
      'a protected place that a rule allows',
      { ...editor, targets: write('.husky/x'), ...mine({ effect: 'allow', path: '.husky/x' }) },
      'ask: protected-path',
    ],
    [
      'a protected place that the plan names',
      { ...editor, targets: write('.vscode/tasks.json'), planScope: ['.vscode/tasks.json', '**'] },
      'ask: protected-path',
    ],
    [
      'where this repository has its hooks',
      { ...editor, targets: write('tools/hooks/pre-push'), hookPlaces: ['tools/hooks'], grants: EDITS },
      'ask: protected-path',
    ],
    ['reading a protected place', { ...reader, targets: read('.git/HEAD') }, 'allow: read-only'],
    ['reading a secret', { mode: 'ask', ...reader, targets: read('.env') }, 'ask: secret'],
    [
      'reading a secret that a rule allows',
      { ...reader, targets: read('.env'), ...mine({ effect: 'allow', path: '.env' }) },
      'ask: secret',
    ],
    ['reading a secret where nobody can be asked', { mode: 'ask', ...reader, targets: read('.env'), unattended: true }, 'deny: secret'],
    ['writing a secret, with edits granted', { ...editor, targets: write('.env'), grants: EDITS }, 'ask: secret'],
    [
      'the names in a directory of secrets',
      { mode: 'ask', ...reader, targets: [{ path: '.ssh', access: 'read', names: true }] },
      'allow: read-only',
    ],
    [
      'a tool of a server, after a secret was read',
      { ...server, grants: [{ kind: 'mcp', server: 'github', tool: 'github__create_issue', fingerprint: 'f1' }], seen: { secret: true } },
      'ask: sends-after-secret',
    ],
    [
      'a request, after a secret was read',
      { ...fetcher, ...mine({ effect: 'allow', host: 'docs.example.com' }), seen: { secret: true } },
      'ask: sends-after-secret',
    ],
  ],
  'by the hosts it speaks to': [
    ['a request', { ...fetcher }, 'ask: sends'],
    ['a request in Ask mode', { mode: 'ask', ...fetcher }, 'ask: sends'],
    ['a request to a host that a rule allows', { ...fetcher, ...mine({ effect: 'allow', host: 'docs.example.com' }) }, 'allow: rule'],
    ['a request below a domain that a rule allows', { ...fetcher, ...mine({ effect: 'allow', host: '*.example.com' }) }, 'allow: rule'],
    [
      'the same, once a page or a server was heard',
      { ...fetcher, ...mine({ effect: 'allow', host: '*.example.com' }), seen: { strangers: true } },
      'ask: sends',
    ],
    [
      'a request to a host whose name ends alike',
      { ...fetcher, hosts: ['evilexample.com'], ...mine({ effect: 'allow', host: '*.example.com' }) },
      'ask: sends',
    ],
    [
      'a request to another port',
      { ...fetcher, hosts: ['docs.example.com:8080'], ...mine({ effect: 'allow', host: 'docs.example.com' }) },
      'ask: sends',
    ],
    [
      'a request to two hosts of which one is allowed',
      { ...fetcher, hosts: ['docs.example.com', 'evil.com'], ...mine({ effect: 'allow', host: 'docs.example.com' }) },
      'ask: sends',
    ],
    [
      'a request to a host that a rule denies',
      { ...fetcher, grants: [{ kind: 'host', host: 'docs.example.com' }], ...by('workspace', { effect: 'deny', host: '*.example.com' }) },
      'deny: rule',
    ],
    ['a request to a host that was granted', { ...fetcher, grants: [{ kind: 'host', host: 'docs.example.com' }] }, 'allow: granted'],
    [
      'a granted host that now leads to this computer',
      { ...fetcher, grants: [{ kind: 'host', host: 'docs.example.com' }], privateHost: true },
      'ask: private-host',
    ],
    [
      'an allowed host that now leads to this computer',
      { ...fetcher, ...mine({ effect: 'allow', host: 'docs.example.com' }), privateHost: true },
      'ask: private-host',
    ],
    [
      'this computer, by a rule that names it',
      { ...fetcher, hosts: ['localhost:3000'], ...mine({ effect: 'allow', host: 'localhost:3000' }), privateHost: true },
      'allow: rule',
    ],
    ['a path rule for a request', { ...fetcher, ...mine({ effect: 'allow', path: '**' }) }, 'ask: sends'],
    ['edits granted for a request', { ...fetcher, grants: EDITS }, 'ask: sends'],
    ['a page in the browser', { ...browser }, 'ask: sends'],
    ['a page in the browser in Ask mode', { mode: 'ask', ...browser }, 'deny: read-only-mode'],
    ['a page in the browser in Plan mode', { mode: 'plan', ...browser }, 'deny: read-only-mode'],
    ['a host granted for requests, in the browser', { ...browser, grants: [{ kind: 'host', host: 'docs.example.com' }] }, 'ask: sends'],
    [
      'a host granted for the browser',
      { ...browser, grants: [{ kind: 'host', host: 'docs.example.com', tool: 'browse' }] },
      'allow: granted',
    ],
    [
      'a host granted for the browser, for a request',
      { ...fetcher, grants: [{ kind: 'host', host: 'docs.example.com', tool: 'browse' }] },
      'ask: sends',
    ],
    [
      'a host granted for the browser, and another one',
      { ...browser, hosts: ['docs.example.com', 'evil.com'], grants: [{ kind: 'host', host: 'docs.example.com', tool: 'browse' }] },
      'ask: sends',
    ],
    ['a rule about a host, in the browser', { ...browser, ...mine({ effect: 'allow', host: 'docs.example.com' }) }, 'ask: sends'],
    [
      'a rule about a host and the browser',
      { ...browser, ...mine({ effect: 'allow', host: 'docs.example.com', tool: 'browse' }) },
      'allow: rule',
    ],
    [
      'the browser after a secret was read',
      { ...browser, seen: { secret: true }, grants: [{ kind: 'host', host: 'docs.example.com', tool: 'browse' }] },
      'ask: sends-after-secret',
    ],
  ],
  'by the MCP server it belongs to': [
    ['a tool of a server', { ...server }, 'ask: mcp'],
    ['a tool of a server in Ask mode', { mode: 'ask', ...server }, 'deny: read-only-mode'],
    ['a tool of a server in Plan mode', { mode: 'plan', ...server }, 'deny: read-only-mode'],
    ['one that the user marked, in Ask mode', { mode: 'ask', ...marked }, 'allow: mcp-read-only'],
    ['edits granted', { ...server, grants: EDITS }, 'ask: mcp'],
    ['one that names files, with edits granted', { ...server, targets: write('a'), grants: EDITS }, 'ask: edit'],
    [
      'one that was granted',
      { ...server, grants: [{ kind: 'mcp', server: 'github', tool: 'github__create_issue', fingerprint: 'f1' }] },
      'allow: granted',
    ],
    [
      'one that was granted, of another list of tools',
      { ...server, grants: [{ kind: 'mcp', server: 'github', tool: 'github__create_issue', fingerprint: 'f0' }] },
      'ask: mcp',
    ],
    [
      'the same name at another server',
      { ...server, grants: [{ kind: 'mcp', server: 'gitlab', tool: 'github__create_issue', fingerprint: 'f1' }] },
      'ask: mcp',
    ],
    ['one that a rule allows', { ...server, ...mine({ effect: 'allow', tool: 'mcp:github/create_issue' }) }, 'allow: rule'],
    ['all of a server that a rule allows', { ...server, ...mine({ effect: 'allow', server: 'github' }) }, 'allow: rule'],
    ['a rule for all tools', { ...server, ...mine({ effect: 'allow', tool: '**' }) }, 'ask: mcp'],
    ['a rule for a built-in tool of that name', { ...server, ...mine({ effect: 'allow', tool: 'github__create_issue' }) }, 'ask: mcp'],
    ['one that a rule denies', { mode: 'ask', ...marked, ...mine({ effect: 'deny', tool: 'mcp:github/*' }) }, 'deny: rule'],
    ['all of a server that a rule denies', { ...server, ...by('workspace', { effect: 'deny', server: 'github' }) }, 'deny: rule'],
  ],
  'where nobody can be asked': [
    ['what would ask', { ...editor, unattended: true }, 'deny: edit'],
    ['what is granted', { ...editor, grants: EDITS, unattended: true }, 'allow: edits-granted'],
    ['what reads', { mode: 'ask', ...reader, unattended: true }, 'allow: read-only'],
  ],
};

describe('the policy decides', () => {
  for (const [group, table] of Object.entries(TABLES)) {
    describe(group, () => {
      for (const [what, input, expected] of table) it(`${what}: ${expected}`, () => assert.equal(judge(input), expected));
    });
  }

  it('and always gives a reason, a whole sentence', () => {
    for (const [what, input] of Object.values(TABLES).flat()) {
      if (input.command) continue;
      assert.match(decide(full(input)).reason, /^\S.*\.$/, what);
    }
  });
});

describe('an approval offers grants', () => {
  const covers = (input: Partial<PolicyInput>) => decide(full(input)).covers;
  const TABLE: [what: string, input: Partial<PolicyInput>, expected: Permission[] | undefined][] = [
    ['an edit', { ...editor }, [{ kind: 'edits' }, { kind: 'path', tool: 'replace_in_file', glob: 'src/**' }]],
    [
      'an edit at the top',
      { ...editor, targets: write('README.md') },
      [{ kind: 'edits' }, { kind: 'path', tool: 'replace_in_file', glob: 'README.md' }],
    ],
    [
      'edits in several folders',
      { ...editor, targets: write('src/a/x.ts', 'src/b/y.ts') },
      [{ kind: 'edits' }, { kind: 'path', tool: 'replace_in_file', glob: 'src/**' }],
    ],
    ['a request', { ...fetcher }, [{ kind: 'host', host: 'docs.example.com' }]],
    ['a request to this computer', { ...fetcher, privateHost: true }, [{ kind: 'host', host: 'docs.example.com', private: true }]],
    ['a request to two hosts', { ...fetcher, hosts: ['a.com', 'b.com'] }, undefined],
    ['a tool of a server', { ...server }, [{ kind: 'mcp', server: 'github', tool: 'github__create_issue', fingerprint: 'f1' }]],
    ['what is dangerous', { ...eraser }, undefined],
    ['a secret', { ...reader, targets: read('.env') }, undefined],
    ['a rule that asks', { ...editor, ...mine({ effect: 'ask' }) }, undefined],
    [
      'what the plan does not name',
      { ...editor, targets: write('src/a.ts'), planScope: ['src/b.ts'] },
      [
        { kind: 'edits', beyondPlan: true },
        { kind: 'path', tool: 'replace_in_file', glob: 'src/**', beyondPlan: true },
      ],
    ],
  ];
  for (const [what, input, expected] of TABLE) it(what, () => assert.deepEqual(covers(input), expected));

  it('and a granted one then covers the call', () => {
    for (const [what, input, offered] of TABLE)
      for (const each of offered ?? [])
        assert.equal(decide(full({ ...input, grants: [each] })).kind, 'allow', `${what}: ${JSON.stringify(each)}`);
    assert.deepEqual(GRANT_SCOPES, ['turn', 'run', 'session', 'workspace']);
  });
});

describe('the scope of a plan', () => {
  const named = (path: string, ...scope: string[]) => assert.ok(inScope(path, scope), `${path} in ${scope}`);
  const beyond = (path: string, ...scope: string[]) => assert.ok(!inScope(path, scope), `${path} not in ${scope}`);

  it('names paths and globs', () => {
    named('src/a.ts', 'src/a.ts');
    named('src/a.ts', './src/a.ts');
    named('src/a.ts', 'src/*.ts');
    named('src/deep/a.ts', 'src/**');
    named('src/deep/a.ts', '**/*.{ts,tsx}');
    beyond('src/deep/a.ts', 'src/*.ts');
    beyond('src/a.tsx', 'src/a.ts');
    beyond('src/a.ts', 'src');
    beyond('src/a.ts', 'SRC/A.ts');
    beyond('src/a.ts', '');
  });

  it('treats brackets in a path literally', () => {
    named('app/[id]/page.tsx', 'app/[id]/page.tsx', './app/[id]/page.tsx');
    beyond('app/i/page.tsx', 'app/[id]/page.tsx');
    beyond('app/a/page.tsx', 'app/[a-z]/page.tsx');
  });

  it('treats the brackets of route names literally in a glob too', () => {
    for (const route of ['[id]', '[...slug]', '[[...slug]]', '(auth)', '[user-id].vue']) named(`app/${route}/x.ts`, `app/${route}/*`);
    for (const name of ['i', 'd', 's', 'auth', 'u.vue']) beyond(`app/${name}/x.ts`, 'app/[id]/*', 'app/[...slug]/**', 'app/(auth)/*');
    named('src/a.ts', 'src/[a-c]*.ts');
    beyond('src/d.ts', 'src/[a-c]*.ts');
  });

  it('is not negated by an exclamation mark', () => {
    beyond('src/a.ts', '!nothing', '!(x)/y', '!');
    named('!important.md', '!important.md');
  });

  it('does not match hidden files with a star', () => {
    beyond('.env', '*', '**');
    beyond('src/.env', 'src/**');
    named('.env', '.env');
  });

  it('is evaluated quickly, however it is written', () => {
    for (const hostile of [
      '*'.repeat(200),
      '+(a|a)'.repeat(40),
      '*a'.repeat(100),
      '*a*a*a*a*a*aq',
      '?*?*?*?*?*q',
      '{'.repeat(500),
      '@(+(+(+(a))))b',
      '[[[[',
      '**/'.repeat(100),
      'x'.repeat(70_000),
    ])
      for (const path of ['a'.repeat(255), `${'a'.repeat(255)}/x`]) assertCheap(() => inScope(path, [hostile]), 100);
  });
});
