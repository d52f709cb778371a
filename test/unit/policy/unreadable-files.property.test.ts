import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ACTIONS } from '../../../src/core/session/grant-scope.ts';
import { decide } from '../../../src/policy/decide.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { withheldFilter } from '../../../src/policy/unreadable-files.ts';

const path = fc.constantFrom('.env', 'src/a.ts', 'src/deep/b.ts', 'private/x', 'Private/Y', 'docs/[id].md', 'a.pem', 'x');
const rule = fc.record(
  {
    effect: fc.constantFrom<SourcedRule['effect']>('allow', 'ask', 'deny'),
    from: fc.constantFrom<SourcedRule['from']>('user', 'workspace'),
    tool: fc.constantFrom('read_file', 'search_text', 'read_*', '*', 'mcp:x/y', 'create_file'),
    path: fc.oneof(path, fc.constantFrom('src/**', 'private', '**/*.ts', '*', '**')),
    action: fc.constantFrom(...ACTIONS),
    command: fc.constantFrom('cat'),
    host: fc.constantFrom('a.com'),
    server: fc.constantFrom('x'),
  },
  { requiredKeys: ['effect', 'from'] },
) as fc.Arbitrary<SourcedRule>;
const rules = fc.array(rule, { maxLength: 4 });

const judged = (name: string, paths: readonly string[], given: readonly SourcedRule[]) => {
  const targets = paths.map((each) => ({ path: each, access: 'read' as const }));
  return decide({ mode: 'ask', tool: { name, effect: 'readonly', source: 'builtin' }, name, targets, trusted: true, rules: given }).kind;
};

describe('files whose content needs approval', () => {
  it('are those for which read_file needs approval, or be denied', () => {
    fc.assert(
      fc.property(rules, path, (given, file) => assert.equal(withheldFilter(given)(file), judged('read_file', [file], given) !== 'allow')),
      { numRuns: 2_000 },
    );
  });

  it('are the same for a search, but for rules that were judged when it was called', () => {
    fc.assert(
      fc.property(rules, path, (given, file) => {
        if (judged('search_text', [], given) === 'allow')
          assert.equal(withheldFilter(given, 'search_text')(file), withheldFilter(given)(file));
        else {
          const others = given.filter((each) => each.path !== undefined || judged('search_text', [], [each]) === 'allow');
          assert.equal(withheldFilter(given, 'search_text')(file), withheldFilter(others)(file));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
