import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ACTIONS, type Permission, type Subject } from '../../../src/core/session/grant-scope.ts';
import { type GrantRow, LEVELS, type PermissionEffect } from '../../../src/core/view/permissions.ts';
import { decide } from '../../../src/policy/decide.ts';
import { narrowRules, permissionRows, standingPermissions, withoutRule, withPermission } from '../../../src/policy/overview.ts';
import type { PolicyInput } from '../../../src/policy/policy-input.ts';
import { readRules, type SourcedRule, sessionRules } from '../../../src/policy/rules.ts';
import { judgedOn } from '../../support/command-judge.ts';

type Call = Pick<PolicyInput, 'tool' | 'targets'> & Partial<PolicyInput>;
const call = (name: string, effect: 'readonly' | 'mutating' | 'destructive' | 'external', more: Partial<PolicyInput> = {}): Call => ({
  tool: { name, effect },
  targets: [],
  ...more,
});
const file = (access: 'read' | 'write' | 'delete') => ({ targets: [{ path: 'src/a.ts', access }] });
/** One ordinary call of each kind. */
const CALLS: Record<string, Call> = {
  read: call('read_file', 'readonly', file('read')),
  edit: call('replace_in_file', 'mutating', file('write')),
  delete: call('delete_file', 'destructive', file('delete')),
  command: call('run_command', 'external', { command: () => ({ kind: 'ask', rule: 'command', reason: '' }) }),
  network: call('fetch_url', 'readonly', { hosts: ['docs.example.com'] }),
  mcp: call('other__list', 'external', { tool: { name: 'other__list', effect: 'external', source: 'mcp:other' } }),
  server: call('github__list', 'external', { tool: { name: 'github__list', effect: 'external', source: 'mcp:github' } }),
};
const judge = (of: string, rules: readonly SourcedRule[], grants: readonly Permission[] = [], more: Partial<PolicyInput> = {}) =>
  decide({ mode: 'agent', name: of, trusted: true, ...(CALLS[of] as Call), rules, grants, ...more }).kind;
const subjectOf = (of: string): Subject => (of === 'server' ? { server: 'github' } : { action: of as (typeof ACTIONS)[number] });
const rule = (effect: PermissionEffect, from: SourcedRule['from'], about: object): SourcedRule => ({ effect, from, ...about });
const EDITS: Permission = { kind: 'edits' };

describe('a rule about what a call does', () => {
  const effects = (rules: readonly SourcedRule[]) => Object.fromEntries(Object.keys(CALLS).map((of) => [of, judge(of, rules)]));
  const none = effects([]);

  it('applies to calls of that kind only', () => {
    for (const action of ACTIONS.filter((each) => each !== 'mcp' && each !== 'read'))
      assert.deepEqual(effects([rule('deny', 'workspace', { action })]), { ...none, [action]: 'deny' });
    assert.deepEqual(effects([rule('deny', 'user', { action: 'mcp' })]), { ...none, mcp: 'deny', server: 'deny' });
    // A command may read any file.
    assert.deepEqual(effects([rule('deny', 'user', { action: 'read' })]), { ...none, read: 'deny', command: 'deny' });
    assert.equal(judge('read', [rule('ask', 'user', { action: 'read' })]), 'ask');
  });

  it('allows edits only, because everything else must be named', () => {
    for (const action of ACTIONS)
      assert.deepEqual(effects([rule('allow', 'user', { action })]), { ...none, ...(action === 'edit' && { edit: 'allow' }) });
    const own = { ownFiles: new Set(['src/a.ts']) };
    assert.equal(judge('delete', [rule('allow', 'user', { action: 'edit' })], [], own), 'ask', 'an edit is not a deletion');
    assert.equal(judge('network', [rule('allow', 'user', { action: 'network', host: 'docs.example.com' })]), 'allow');
    assert.equal(judge('network', [rule('allow', 'user', { action: 'edit', host: 'docs.example.com' })]), 'ask');
    assert.equal(judge('server', [rule('allow', 'user', { action: 'mcp', server: 'github' })]), 'allow');
    assert.equal(judge('server', [rule('allow', 'user', { action: 'edit', server: 'github' })]), 'ask');
  });

  it('does not name a file for a rule that allows something else', () => {
    const steers = () => 'npm test';
    const named = (action?: string) =>
      judge('edit', [rule('allow', 'user', { path: 'src/a.ts', ...(action && { action }) })], [EDITS], { steers });
    assert.deepEqual([named(), named('edit'), named('read')], ['allow', 'allow', 'ask']);
  });

  it('covers what the words of a command show', async () => {
    await using bench = await judgedOn({ 'a.txt': 'a' }, [
      rule('deny', 'user', { action: 'delete' }),
      rule('ask', 'session', { action: 'edit' }),
    ]);
    const kind = async (command: string, allow: string[] = []) => (await bench.judge(command, allow)).kind;
    assert.equal(await kind('rm a.txt'), 'deny');
    assert.equal(await kind('rm a.txt', ['rm']), 'deny');
    assert.equal(await kind('cat a.txt'), 'allow');
    assert.equal(await kind('npm test', ['npm test']), 'allow');
    assert.equal(await kind('cat a.txt > b.txt', ['cat']), 'ask');
    await using strict = await judgedOn({ 'a.txt': 'a' }, [
      rule('ask', 'user', { action: 'network' }),
      rule('deny', 'user', { action: 'read' }),
    ]);
    assert.equal((await strict.judge('cat a.txt', [])).kind, 'deny');
    await using narrow = await judgedOn({ 'a.txt': 'a', 'db/b.txt': '' }, [
      rule('deny', 'user', { action: 'edit', path: 'db' }),
      rule('allow', 'user', { action: 'edit', command: 'npm test' }),
      rule('allow', 'user', { action: 'command', command: 'npm run lint' }),
    ]);
    const of = async (command: string) => (await narrow.judge(command, [])).kind;
    assert.deepEqual(await Promise.all(['cat a.txt', 'cat db/b.txt', 'npm test', 'npm run lint'].map(of)), [
      'allow',
      'deny',
      'ask',
      'allow',
    ]);
  });
});

describe('the permissions at a glance', () => {
  const facts = { trusted: true, hasFolder: true };
  const rows = (rules: readonly SourcedRule[] = [], grants: Pick<GrantRow, 'scope' | 'covers'>[] = [], more = {}) =>
    permissionRows({ ...facts, rules, grants, servers: ['github'], ...more });
  const rowOf = (of: string, ...given: Parameters<typeof rows>) =>
    rows(...given).find(({ subject }) => JSON.stringify(subject) === JSON.stringify(subjectOf(of)));

  it('say for each kind of call what the policy decides', () => {
    const about = fc.constantFrom<object>(...ACTIONS.map((action) => ({ action })), { server: 'github' }, {});
    const given = fc.array(
      fc.tuple(fc.constantFrom<PermissionEffect>('allow', 'ask', 'deny'), fc.constantFrom(...LEVELS), about).filter(
        // The reader of rules drops the others.
        ([effect, from, about]) => effect !== 'allow' || (from === 'user' && Object.keys(about).length > 0),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(given, fc.boolean(), fc.boolean(), (drawn, isGranted, trusted) => {
        const rules = drawn.map(([effect, from, about]) => rule(effect, from, about));
        const grants = isGranted ? [{ scope: 'workspace' as const, covers: EDITS }] : [];
        for (const of of Object.keys(CALLS).filter((each) => each !== 'mcp')) {
          const mode = trusted ? 'agent' : 'ask';
          const decided = judge(of, rules, isGranted ? [EDITS] : [], { trusted, mode });
          const row = rowOf(of, rules, grants, { trusted });
          assert.equal(row?.effect, decided, of);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('say where each effect is set, and what decides', () => {
    const set = [rule('deny', 'workspace', { action: 'edit' }), ...sessionRules([{ about: { action: 'command' }, effect: 'ask' }])];
    const { subject: _, problems: __, note: ___, ...edit } = rowOf('edit', set, [{ scope: 'session', covers: EDITS }]) ?? assert.fail();
    assert.deepEqual(edit, { effect: 'deny', by: 'workspace', set: { session: 'allow', workspace: 'deny' } });
    assert.deepEqual(rowOf('command', set)?.set, { session: 'ask' });
    assert.equal(rowOf('read')?.by, 'policy');
  });

  it('say what cannot be allowed, and allow nothing in a workspace that is not trusted', () => {
    const allowed = (more = {}) =>
      rows([], [], more).flatMap(({ subject, problems }) =>
        LEVELS.filter((level) => problems[level].allow === undefined).map((level) => [Object.values(subject)[0], level].join(' ')),
      );
    assert.deepEqual(allowed(), ['edit session', 'edit workspace', 'edit user', 'github user']);
    assert.deepEqual(allowed({ trusted: false }), []);
    assert.deepEqual(allowed({ hasFolder: false }), ['edit session', 'edit user', 'github user']);
    assert.equal(rowOf('delete', [], [], { hasFolder: false })?.problems.workspace.deny, 'No folder is open.');
    assert.match(rowOf('delete')?.note ?? '', /always asks before it deletes/);
  });

  it('become rules of the settings, and leave other rules as they are', () => {
    const before = [
      { effect: 'deny', path: ' db ' },
      { effect: 'ask', action: 'edit', reason: 'Look' },
      { nonsense: 1 },
      { effect: 'allow', command: 'npm test' },
    ];
    const [db, , nonsense, npm] = before;
    assert.deepEqual(withPermission(before, { action: 'edit' }, 'deny'), [db, nonsense, npm, { effect: 'deny', action: 'edit' }]);
    assert.deepEqual(withPermission(before, { action: 'edit' }, undefined), [db, nonsense, npm]);
    assert.deepEqual(withPermission(undefined, { server: 'github' }, 'allow'), [{ effect: 'allow', server: 'github' }]);
    assert.throws(() => withPermission({}, { action: 'edit' }, 'ask'), /is not a list of rules/);
    const { rules } = readRules(before, 'user', 'settings');
    assert.deepEqual(
      narrowRules(
        rules.filter(({ reason }) => !reason?.startsWith('Rule 3')),
        [],
      ),
      [
        { level: 'user', effect: 'deny', rule: { path: 'db' } },
        { level: 'user', effect: 'allow', rule: { command: 'npm test' } },
      ],
    );
    assert.deepEqual(withoutRule(before, { effect: 'deny', rule: { path: 'db' } }), before.slice(1));
    assert.deepEqual(withoutRule(before, { effect: 'ask', rule: { path: 'db' } }), before);
  });
});

describe('what runs without approval', () => {
  const edits = { scope: 'session' as const, covers: { kind: 'edits' as const } };
  const command = { scope: 'workspace' as const, covers: { kind: 'command' as const, prefix: ['npm', 'test'] } };

  const standing = (given: Partial<Parameters<typeof standingPermissions>[0]>) =>
    standingPermissions({ rules: [], grants: [], readOnlyCommands: false, ...given });

  it('is what was granted for later runs, and what rules allow', () => {
    const ofTurn = { scope: 'turn' as const, covers: { kind: 'host' as const, host: 'example.com' } };
    const rules: SourcedRule[] = [{ effect: 'allow', host: 'docs.example.com', from: 'user' }];
    assert.deepEqual(standing({ rules, grants: [edits, command, ofTurn] }), [
      'edits in this workspace',
      'commands that begin with npm test',
      'calls that a rule allows',
    ]);
    assert.deepEqual(standing({}), []);
    assert.deepEqual(standing({ readOnlyCommands: true }), ['commands that only read']);
  });

  it('is not what a rule asks about or denies again', () => {
    const ask: SourcedRule = { effect: 'ask', action: 'edit', from: 'session' };
    assert.deepEqual(standing({ rules: [ask], grants: [edits, command] }), ['commands that begin with npm test']);
    // A command may read any file.
    const askRead: SourcedRule = { effect: 'ask', action: 'read', from: 'session' };
    assert.deepEqual(standing({ rules: [askRead], grants: [edits, command], readOnlyCommands: true }), ['edits in this workspace']);
    assert.deepEqual(standing({ rules: [{ effect: 'deny', from: 'user' }], grants: [edits, command] }), []);
  });
});
