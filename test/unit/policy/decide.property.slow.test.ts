import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Effect, Target } from '../../../src/core/session/effects.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { decide, inScope } from '../../../src/policy/decide.ts';
import type { PolicyInput } from '../../../src/policy/policy-input.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { isSecret } from '../../../src/policy/secrets.ts';

const PATHS = [
  '.',
  'src/a.ts',
  'src/deep/b.ts',
  '.git/config',
  '**',
  '../x',
  '',
  '.vscode',
  '.env',
  'src/**',
  'id_rsa',
  'AGENTS.md',
  'SRC/A.TS',
];
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(...PATHS));
const host = fc.constantFrom('a.com', 'b.a.com', 'a.com:80', '*.a.com', 'localhost');
const name = fc.constantFrom('read_file', 'create_file', 'fetch', 'x__y', 'mcp:x/y', '*', '**');
const source = fc.constantFrom('builtin', 'mcp:x', 'mcp:y');
const target = fc.record(
  { path: text, access: fc.constantFrom<Target['access']>('read', 'write', 'delete'), outside: fc.boolean() },
  { requiredKeys: ['path', 'access'] },
);
const conditions = { tool: name, path: text, command: fc.constantFrom('git status', 'rm'), host, server: fc.constantFrom('x', 'y') };
const rule = fc.record(
  {
    ...conditions,
    effect: fc.constantFrom<SourcedRule['effect']>('allow', 'ask', 'deny'),
    from: fc.constantFrom<SourcedRule['from']>('user', 'workspace'),
  },
  { requiredKeys: ['effect', 'from'] },
) as fc.Arbitrary<SourcedRule>;
const covers: fc.Arbitrary<Permission> = fc.oneof(
  fc.constant<Permission>({ kind: 'edits' }),
  fc.record({ kind: fc.constant('path' as const), tool: name, glob: text }),
  fc.record({ kind: fc.constant('host' as const), host }),
  fc.record({ kind: fc.constant('mcp' as const), server: fc.constantFrom('x', 'y'), tool: name }),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const input: fc.Arbitrary<PolicyInput> = fc.record({
  mode: fc.constantFrom<Mode>('ask', 'plan', 'agent'),
  tool: optional(fc.record({ name, effect: fc.constantFrom<Effect>('readonly', 'mutating', 'destructive', 'external'), source })),
  name,
  targets: fc.array(target, { maxLength: 4 }),
  trusted: fc.boolean(),
  hosts: optional(fc.array(host, { maxLength: 2 })),
  privateHost: fc.boolean(),
  rules: fc.array(rule, { maxLength: 4 }),
  grants: fc.array(covers, { maxLength: 3 }),
  planScope: optional(fc.array(text, { maxLength: 4 })),
  ownFiles: optional(fc.array(text, { maxLength: 2 }).map((paths) => new Set(paths))),
  hookPlaces: optional(fc.array(text, { maxLength: 1 })),
  seen: optional(fc.record({ secret: fc.boolean(), strangers: fc.boolean() })),
  unattended: fc.boolean(),
  // The command policy is tested separately, so here it returns any decision.
  command: optional(
    fc.constantFrom('allow', 'ask', 'deny').map((kind) => () => ({ kind: kind as 'allow', rule: 'command' as const, reason: 'x' })),
  ),
});

const FREEDOM = { deny: 0, ask: 1, allow: 2 };
const freedom = (given: PolicyInput) => FREEDOM[decide(given).kind];
const always = (what: string, property: fc.IProperty<unknown[]>) =>
  it(what, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 5_000 }));

describe('for random input, the policy', () => {
  always(
    'lets nothing but reading through in Ask and Plan mode, and asks for nothing else either',
    fc.property(input, fc.constantFrom<Mode>('ask', 'plan'), (given, mode) => {
      const { tool, targets, command } = given;
      const harmless = tool?.effect === 'readonly' && !command && targets.every(({ access }) => access === 'read');
      if (!harmless) assert.equal(decide({ ...given, mode }).kind, 'deny');
    }) as never,
  );

  always(
    'never allows more because of one more rule that denies',
    fc.property(input, rule, (given, more) => {
      const rules = [...(given.rules ?? []), { ...more, effect: 'deny' as const }];
      assert.ok(freedom({ ...given, rules }) <= freedom(given));
    }) as never,
  );

  always(
    'never allows more because of one more rule that asks',
    fc.property(input, rule, (given, more) => {
      const rules = [...(given.rules ?? []), { ...more, effect: 'ask' as const }];
      assert.ok(freedom({ ...given, rules }) <= freedom(given));
    }) as never,
  );

  always(
    'never allows more because of any rules of a workspace',
    fc.property(input, fc.array(rule, { maxLength: 4 }), (given, more) => {
      const rules = [...(given.rules ?? []), ...more.map((each) => ({ ...each, from: 'workspace' as const }))];
      assert.ok(freedom({ ...given, rules }) <= freedom(given));
    }) as never,
  );

  always(
    'never allows more in a more careful mode',
    fc.property(input, (given) => {
      const [asking, planning, acting] = (['ask', 'plan', 'agent'] as const).map((mode) => freedom({ ...given, trusted: true, mode }));
      assert.ok((asking as number) <= (planning as number) && (planning as number) <= (acting as number));
    }) as never,
  );

  always(
    'never allows more where the workspace is not trusted, and only Ask mode there',
    fc.property(input, (given) => {
      assert.ok(freedom({ ...given, trusted: false }) <= freedom({ ...given, trusted: true }));
      if (given.mode !== 'ask') assert.equal(decide({ ...given, trusted: false }).kind, 'deny');
    }) as never,
  );

  always(
    'never allows less because of one more grant, nor denies what it would ask for',
    fc.property(input, covers, (given, more) => {
      assert.ok(freedom({ ...given, grants: [...(given.grants ?? []), more] }) >= freedom(given));
    }) as never,
  );

  always(
    'never lets through without asking what is outside, protected, secret, or somebody’s file to be deleted',
    fc.property(input, target, fc.integer({ min: 0, max: 3 }), (given, some, which) => {
      const bad = [
        { ...some, outside: true },
        { path: '.git/hooks/x', access: 'write' as const },
        { path: 'config/.env.local', access: 'read' as const },
        { path: 'somebodys.txt', access: 'delete' as const },
      ][which] as Target;
      assert.notEqual(decide({ ...given, targets: [...given.targets, bad], planScope: undefined, ownFiles: undefined }).kind, 'allow');
    }) as never,
  );

  always(
    'allows a write for four reasons only: a rule of the user, a grant, the confirmed plan, or what the command judge says',
    fc.property(input, (given) => {
      const written = given.targets.filter(({ access }) => access !== 'read');
      if (given.command || written.length === 0 || decide(given).kind !== 'allow') return;
      const isPlanned = given.planScope && written.every(({ path }) => inScope(path, given.planScope ?? []));
      assert.ok(
        isPlanned || given.rules?.some(({ effect, from }) => effect === 'allow' && from === 'user') || (given.grants?.length ?? 0) > 0,
      );
      assert.ok(!written.some(({ path }) => isSecret(path)));
    }) as never,
  );

  always(
    'offers nothing for longer that would not be enough, and nothing where it is dangerous',
    fc.property(input, (given) => {
      const judged = decide(given);
      for (const each of judged.covers ?? []) assert.equal(decide({ ...given, grants: [each] }).kind, 'allow');
    }) as never,
  );

  always(
    'asks nobody where nobody can be asked',
    fc.property(input, (given) => {
      assert.notEqual(decide({ ...given, unattended: true }).kind, 'ask');
      if (decide({ ...given, unattended: false }).kind === 'allow') assert.equal(decide({ ...given, unattended: true }).kind, 'allow');
    }) as never,
  );
});
