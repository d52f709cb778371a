import assert from 'node:assert/strict';
import { matchesHost, matchesTool, readRules, ruleSentence, touchesPath } from '../../../src/policy/rules.ts';

const PLACE = 'kedge.policy.rules';

describe('rules in settings', () => {
  it('are read as they are', () => {
    const rules = [
      { effect: 'allow', tool: 'create_file', path: 'test/**' },
      { effect: 'deny', command: 'git push', reason: 'The release manager pushes.' },
      { effect: 'ask', host: '*.example.com' },
      { effect: 'allow', server: 'github' },
    ];
    assert.deepEqual(readRules(rules, 'user', PLACE), { rules: rules.map((rule) => ({ ...rule, from: 'user' })), problems: [] });
    assert.deepEqual(readRules(undefined, 'user', PLACE), { rules: [], problems: [] });
  });

  it('of a workspace can only restrict', () => {
    const rules = [
      { effect: 'allow', path: '**' },
      { effect: 'ask', path: 'src' },
      { effect: 'deny', tool: 'delete_file' },
    ];
    assert.deepEqual(
      readRules(rules, 'workspace', PLACE).rules.map(({ effect }) => effect),
      ['ask', 'deny'],
    );
  });

  const BROKEN: [what: string, rules: unknown, problem: RegExp][] = [
    [
      'an unknown condition',
      [{ effect: 'deny', paths: 'src' }],
      /^Rule 1 of kedge\.policy\.rules is not valid: .*paths.* every call needs your approval\.$/,
    ],
    ['no effect', [{ path: 'src' }], /effect/],
    ['another effect', [{ effect: 'forbid', path: 'src' }], /effect/],
    ['a condition of another type', [{ effect: 'deny', path: ['src'] }], /path/],
    ['an empty condition', [{ effect: 'ask', command: '  ' }], /command/],
    ['a URL for a host', [{ effect: 'deny', host: 'https://example.com/x' }], /use a host name/],
    ['no rule at all', ['deny everything'], /is not valid/],
    ['null', [null], /is not valid/],
    ['no list', { effect: 'deny' }, /is not a list of rules/],
  ];
  for (const [what, rules, problem] of BROKEN)
    it(`that cannot be read are reported, and make everything ask: ${what}`, () => {
      const set = readRules(rules, 'user', PLACE);
      assert.equal(set.problems.length, 1);
      assert.match(set.problems[0] ?? '', problem);
      assert.deepEqual(
        set.rules.map(({ effect, reason, from, ...conditions }) => [effect, conditions]),
        [['ask', {}]],
      );
    });

  it('that would allow and cannot be read are reported and ignored; all others apply', () => {
    const set = readRules([{ effect: 'allow' }, { effect: 'allow', pth: 'src' }, { effect: 'deny', path: 'src' }], 'user', PLACE);
    assert.equal(set.problems.length, 2);
    assert.match(set.problems[0] ?? '', /needs an action, tool, path, command, host or server.* The rule is ignored until it is fixed\.$/);
    assert.deepEqual(
      set.rules.map(({ effect }) => effect),
      ['deny'],
    );
  });

  it('say why in a sentence', () => {
    assert.equal(ruleSentence({ effect: 'deny', path: 'src/**', from: 'user' }), 'A rule in your settings denies path src/**.');
    assert.equal(ruleSentence({ effect: 'ask', from: 'workspace' }), 'A rule in this workspace requires approval for everything.');
    assert.equal(ruleSentence({ effect: 'deny', reason: 'Not today', from: 'user' }), 'Not today.');
  });
});

describe('a rule that denies or asks', () => {
  const TABLE: [glob: string, touched: string[], untouched: string[]][] = [
    ['src', ['src', 'src/a.ts', 'src/.b/c', 'SRC/x', 'src./x', 'src::$DATA'], ['source', 'lib/src', 'sr']],
    ['src/', ['src/a'], ['a']],
    ['./src/**', ['src/a', 'src/a/b', 'src/.hidden'], ['srcx/a']],
    ['**/*.sql', ['a.sql', 'x/y.SQL', '.x/y.sql', 'a.sql/inside'], ['a.sqlx']],
    ['secret?.txt', ['secret1.txt', 'SECRET1.TXT ', 'secret\u200B1.txt'], ['secret.txt']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx'], ['app/i/page.tsx']],
  ];
  for (const [glob, touched, untouched] of TABLE)
    it(`about ${glob} is about every spelling of it, and what is below`, () => {
      for (const path of touched) assert.ok(touchesPath(glob, path), path);
      for (const path of untouched) assert.ok(!touchesPath(glob, path), path);
    });
});

describe('a host', () => {
  const TABLE: [pattern: string, host: string, denies: boolean, allows: boolean][] = [
    ['example.com', 'example.com', true, true],
    ['example.com', 'EXAMPLE.com.', true, true],
    ['example.com', 'a.example.com', false, false],
    ['example.com', 'example.com:8443', true, false],
    ['example.com:8443', 'example.com:8443', true, true],
    ['example.com:8443', 'example.com', false, false],
    ['*.example.com', 'a.example.com', true, true],
    ['*.example.com', 'a.b.example.com', true, true],
    ['*.example.com', 'example.com', false, false],
    ['*.example.com', 'evilexample.com', false, false],
    ['*.example.com', 'example.com.evil.org', false, false],
    ['[::1]', '[::1]:3000', true, false],
    ['*', 'example.com', false, false],
  ];
  for (const [pattern, host, denies, allows] of TABLE)
    it(`${host} by ${pattern}`, () => {
      assert.equal(matchesHost(pattern, host), denies);
      assert.equal(matchesHost(pattern, host, { strict: true }), allows);
    });
});

describe('a tool', () => {
  const builtin = { name: 'create_file', source: 'builtin' };
  const mcp = { name: 'github__create_issue', source: 'mcp:github' };
  const TABLE: [pattern: string, tool: typeof mcp, denies: boolean, allows: boolean][] = [
    ['create_file', builtin, true, true],
    ['create_*', builtin, true, true],
    ['*', builtin, true, true],
    ['*', mcp, true, false],
    ['github__create_issue', mcp, true, false],
    ['mcp:github/create_issue', mcp, true, true],
    ['mcp:github/*', mcp, true, true],
    ['mcp:gitlab/*', mcp, false, false],
    ['mcp:github/*', builtin, false, false],
    ['create_file', { ...mcp, name: 'create_file' }, true, false],
  ];
  for (const [pattern, tool, denies, allows] of TABLE)
    it(`${tool.source} ${tool.name} by ${pattern}`, () => {
      assert.equal(matchesTool(pattern, tool), denies);
      assert.equal(matchesTool(pattern, tool, { strict: true }), allows);
    });
});
