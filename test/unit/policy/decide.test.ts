import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Mode } from '../../../src/core/events.ts';
import type { Effect, Target } from '../../../src/core/tool.ts';
import { decide, inScope, type PolicyInput } from '../../../src/policy/decide.ts';

const reads: Target[] = [{ path: 'src/a.ts', access: 'read' }];
const writes: Target[] = [{ path: 'src/a.ts', access: 'write' }];
const tool = (effect: Effect) => ({ name: 'tool', effect });
const reader = { tool: tool('readonly'), targets: reads };
const editor = { tool: tool('mutating'), targets: writes };
const eraser = { tool: tool('destructive'), targets: [{ path: 'src/a.ts', access: 'delete' }] as Target[] };
const caller = { tool: tool('external'), targets: [] };
const at = (path: string): Partial<PolicyInput> => ({ ...editor, targets: [{ path, access: 'write' }] });

const judge = (input: Partial<PolicyInput>) => {
  const { kind, rule } = decide({
    mode: 'agent',
    tool: undefined,
    name: 'tool',
    targets: [],
    trusted: true,
    editsGranted: false,
    ...input,
  });
  return `${kind}: ${rule}`;
};

describe('the policy', () => {
  const table: [what: string, input: Partial<PolicyInput>, expected: string][] = [
    ['an unknown tool', {}, 'deny: unknown-tool'],

    ['reading in Ask mode', { mode: 'ask', ...reader }, 'allow: read-only'],
    ['reading in Plan mode', { mode: 'plan', ...reader }, 'allow: read-only'],
    ['reading in Agent mode', { ...reader }, 'allow: read-only'],
    ['a question that touches no file', { mode: 'ask', tool: tool('readonly') }, 'allow: read-only'],
    [
      'reading outside',
      { mode: 'ask', ...reader, targets: [{ path: '/etc/passwd', access: 'read', outside: true }] },
      'ask: outside-workspace',
    ],

    ['writing in Ask mode', { mode: 'ask', ...editor }, 'deny: read-only-mode'],
    ['writing in Plan mode', { mode: 'plan', ...editor }, 'deny: read-only-mode'],
    [
      'writing in Ask mode, whatever was granted',
      { mode: 'ask', ...editor, editsGranted: true, planScope: ['**'] },
      'deny: read-only-mode',
    ],
    ['deleting in Ask mode', { mode: 'ask', ...eraser }, 'deny: read-only-mode'],
    ['another program in Ask mode', { mode: 'ask', ...caller }, 'deny: read-only-mode'],
    ['another program in Plan mode', { mode: 'plan', ...caller }, 'deny: read-only-mode'],
    ['a tool that says it reads and would write', { mode: 'ask', tool: tool('readonly'), targets: writes }, 'deny: read-only-mode'],

    ['reading in Ask mode where the workspace is not trusted', { mode: 'ask', ...reader, trusted: false }, 'allow: read-only'],
    ['reading in Agent mode where it is not', { ...reader, trusted: false }, 'deny: untrusted-workspace'],
    ['writing where it is not', { ...editor, trusted: false, editsGranted: true }, 'deny: untrusted-workspace'],
    ['planning where it is not', { mode: 'plan', ...reader, trusted: false }, 'deny: untrusted-workspace'],

    ['writing', { ...editor }, 'ask: edit'],
    ['writing, granted', { ...editor, editsGranted: true }, 'allow: edits-granted'],
    ['deleting', { ...eraser }, 'ask: deletes'],
    ['deleting, with edits granted', { ...eraser, editsGranted: true }, 'ask: deletes'],
    [
      'a deletion among other edits, with edits granted',
      { tool: tool('mutating'), targets: [...writes, { path: 'b.ts', access: 'delete' }], editsGranted: true },
      'ask: deletes',
    ],
    ['another program', { ...caller }, 'ask: external'],
    ['another program, with edits granted', { ...caller, editsGranted: true }, 'ask: external'],
    ['another program, in a confirmed plan', { ...caller, planScope: ['**'] }, 'ask: external'],
    ['a change of nobody knows what', { tool: tool('mutating'), editsGranted: true, planScope: ['**'] }, 'ask: unknown-targets'],
    ['a change that names only what it reads', { tool: tool('mutating'), targets: reads, planScope: ['**'] }, 'ask: unknown-targets'],
    [
      'writing outside',
      { ...editor, targets: [{ path: '../x', access: 'write', outside: true }], editsGranted: true },
      'ask: outside-workspace',
    ],

    ['what the plan names', { ...editor, planScope: ['src/a.ts'] }, 'allow: confirmed-plan'],
    ['what a glob of it names', { ...editor, planScope: ['lib/**', 'src/*.ts'] }, 'allow: confirmed-plan'],
    ['what it names to be deleted', { ...eraser, planScope: ['src/**'] }, 'allow: confirmed-plan'],
    ['what it does not name', { ...editor, planScope: ['src/b.ts'] }, 'ask: outside-plan'],
    ['what it does not name, with edits granted', { ...editor, planScope: ['src/b.ts'], editsGranted: true }, 'ask: outside-plan'],
    ['a plan that names nothing', { ...editor, planScope: [], editsGranted: true }, 'ask: outside-plan'],
    [
      'a move of which the plan names one end',
      { tool: tool('mutating'), targets: [{ path: 'b.ts', access: 'write' }, ...eraser.targets], planScope: ['src/a.ts'] },
      'ask: outside-plan',
    ],

    ['a protected place', at('.git/config'), 'ask: protected-path'],
    ['a protected place, granted', { ...at('.vscode/settings.json'), editsGranted: true }, 'ask: protected-path'],
    [
      'a protected place that the plan names',
      { ...at('.vscode/tasks.json'), planScope: ['.vscode/tasks.json', '**'] },
      'ask: protected-path',
    ],
    ['reading a protected place', { ...reader, targets: [{ path: '.git/config', access: 'read' }] }, 'allow: read-only'],
  ];
  for (const [what, input, expected] of table) it(`${what}: ${expected}`, () => assert.equal(judge(input), expected));

  it('always gives a reason', () => {
    for (const [, input] of table)
      assert.match(
        decide({ mode: 'agent', tool: undefined, name: 'tool', targets: [], trusted: true, editsGranted: false, ...input }).reason,
        /^\S.*\.$/,
      );
  });
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('.', 'src/a.ts', '.git/config', '**', '../x', '', '.vscode'));
const target = fc.record(
  { path: text, access: fc.constantFrom<Target['access']>('read', 'write', 'delete'), outside: fc.boolean() },
  { requiredKeys: ['path', 'access'] },
);
const anything = fc.record({
  mode: fc.constantFrom<Mode>('ask', 'plan', 'agent'),
  tool: fc.option(fc.record({ name: text, effect: fc.constantFrom<Effect>('readonly', 'mutating', 'destructive', 'external') }), {
    nil: undefined,
  }),
  name: text,
  targets: fc.array(target, { maxLength: 4 }),
  trusted: fc.boolean(),
  editsGranted: fc.boolean(),
  planScope: fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }),
});
const runs = { numRuns: 5_000 };

describe('whatever it is asked, the policy', () => {
  it('lets nothing but reading through in Ask and Plan mode, and asks for nothing else either', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom<Mode>('ask', 'plan'), (input, mode) => {
        const { kind } = decide({ ...input, mode });
        const harmless = input.tool?.effect === 'readonly' && input.targets.every(({ access }) => access === 'read');
        if (!harmless) assert.equal(kind, 'deny');
      }),
      runs,
    );
  });

  it('lets nothing but reading in Ask mode through where the workspace is not trusted', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const { kind } = decide({ ...input, trusted: false });
        if (input.mode !== 'ask') assert.equal(kind, 'deny');
      }),
      runs,
    );
  });

  it('never writes outside, to a protected place or outside of the plan without asking', () => {
    fc.assert(
      fc.property(anything, target, fc.constantFrom('.git/hooks/x', '.vscode/a', 'x/.kedge/y', 'CLAUDE.md'), (input, some, guarded) => {
        const bad: Target = some.outside ? { ...some, access: 'write' } : { path: guarded, access: 'delete' };
        assert.notEqual(decide({ ...input, targets: [...input.targets, bad] }).kind, 'allow');
      }),
      runs,
    );
  });

  it('allows a write for two reasons only: the edits were granted, or the confirmed plan names it', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const { kind } = decide(input);
        const written = input.targets.filter(({ access }) => access !== 'read');
        if (kind !== 'allow' || written.length === 0) return;
        assert.ok(input.planScope ? written.every(({ path }) => inScope(path, input.planScope ?? [])) : input.editsGranted);
      }),
      runs,
    );
  });

  it('does not fail', () => {
    fc.assert(
      fc.property(anything, (input) => assert.match(decide(input).kind, /^(allow|ask|deny)$/)),
      runs,
    );
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

  it('takes a path with brackets by the letter', () => {
    named('app/[id]/page.tsx', 'app/[id]/page.tsx', './app/[id]/page.tsx');
    beyond('app/i/page.tsx', 'app/[id]/page.tsx');
    beyond('app/a/page.tsx', 'app/[a-z]/page.tsx');
  });

  it('takes brackets of routes by the letter in a glob too', () => {
    for (const route of ['[id]', '[...slug]', '[[...slug]]', '(auth)', '[user-id].vue']) named(`app/${route}/x.ts`, `app/${route}/*`);
    for (const name of ['i', 'd', 's', 'auth', 'u.vue']) beyond(`app/${name}/x.ts`, 'app/[id]/*', 'app/[...slug]/**', 'app/(auth)/*');
    named('src/a.ts', 'src/[a-c]*.ts');
    beyond('src/d.ts', 'src/[a-c]*.ts');
  });

  it('is not turned into everything else by an exclamation mark', () => {
    beyond('src/a.ts', '!nothing', '!(x)/y', '!');
    named('!important.md', '!important.md');
  });

  it('does not name hidden files by a star', () => {
    beyond('.env', '*', '**');
    beyond('src/.env', 'src/**');
    named('.env', '.env');
  });

  it('is judged at once, however it is written', () => {
    const begin = performance.now();
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
      for (const path of ['a'.repeat(255), `${'a'.repeat(255)}/x`]) inScope(path, [hostile]);
    assert.ok(performance.now() - begin < 1_000);
  });
});
