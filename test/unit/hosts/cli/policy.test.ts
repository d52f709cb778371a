import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../../../src/core/session/session-state.ts';
import { StoredGrants } from '../../../../src/hosts/cli/grants.ts';
import { describeGrants, parseClear } from '../../../../src/hosts/cli/grants-command.ts';
import { parseCommand, UsageError } from '../../../../src/hosts/cli/options/arguments.ts';
import { readPolicy } from '../../../../src/hosts/cli/options/policy.ts';
import { approvalText } from '../../../../src/hosts/cli/output/approval-text.ts';
import { paintFor } from '../../../../src/hosts/cli/output/terminal.ts';
import { parseApproval } from '../../../../src/hosts/cli/questions.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kedge-policy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (path: string, content: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
  return join(folder, path);
};
const read = (options: Parameters<typeof readPolicy>[0], problems: string[] = []) =>
  readPolicy(options, [folder], (problem) => problems.push(problem));

describe('the policy of the command line', () => {
  it('contains the rules of flags', () => {
    const { allow, deny } = parseCommand([
      'agent',
      '--allow',
      'command:npm test',
      '--allow',
      'mcp:github/create_issue',
      '--deny',
      'path:db/**',
      'go',
    ]);
    assert.deepEqual(read({ allow: allow ?? [], deny: deny ?? [] }).rules, [
      { effect: 'deny', path: 'db/**', from: 'user' },
      { effect: 'allow', command: 'npm test', from: 'user' },
      { effect: 'allow', tool: 'mcp:github/create_issue', from: 'user' },
    ]);
  });

  it('contains the rules of the user’s file', () => {
    const policy = put('mine.json', '{"rules": [{"effect": "allow", "path": "src/**"}], "allowReadOnlyCommands": true}');
    assert.deepEqual(read({ policy }), {
      rules: [{ effect: 'allow', path: 'src/**', from: 'user' }],
      problems: [],
      readOnlyCommands: true,
    });
  });

  it('can only be restricted by the policy file of the folder', () => {
    put(
      '.kedge/policy.json',
      '{"rules": [{"effect": "allow", "path": "**"}, {"effect": "deny", "path": "db"}], "allowReadOnlyCommands": true}',
    );
    assert.deepEqual(read({}), { rules: [{ effect: 'deny', path: 'db', from: 'workspace' }], problems: [], readOnlyCommands: false });
  });

  const WRONG: [what: string, options: Parameters<typeof readPolicy>[0]][] = [
    ['a flag without a kind', { allow: ['src/**'] }],
    ['a flag of an unknown kind', { deny: ['file:src'] }],
    ['a flag without a value', { deny: ['path:'] }],
    ['a host that is none', { allow: ['host:https://example.com/'] }],
    ['a file that is not there', { policy: '/no/such/file.json' }],
  ];
  it('reports only errors if the program ends with them', () => {
    const policy = put('mine.json', '{"rules": [{"effect": "deny", "path": 7}, {"effect": "allow"}]}');
    assert.throws(
      () => read({ policy }),
      (error: Error) => /^Rule 1 of .* is not valid: .*Rule 2 of /.test(error.message) && !/every call|is ignored/.test(error.message),
    );
    put('.kedge/policy.json', '{"rules": [{"effect": "deny", "path": 7}]}');
    const problems: string[] = [];
    read({}, problems);
    assert.match(problems.join(), /Until it is fixed, every call needs your approval\.$/);
  });

  for (const [what, options] of WRONG)
    it(`is rejected if it cannot be read: ${what}`, () => assert.throws(() => read(options), UsageError));

  it('requires approval for everything if it is a pipe, and does not wait for it', function () {
    if (process.platform === 'win32') this.skip();
    mkdirSync(join(folder, '.kedge'), { recursive: true });
    execFileSync('mkfifo', [join(folder, '.kedge/policy.json')]);
    const { rules } = read({}, []);
    assert.deepEqual([rules.length, rules[0]?.effect, rules[0]?.path], [1, 'ask', undefined]);
  });

  for (const content of ['{', '[]', '{"rules": [{"effect": "deny", "paths": "x"}]}', '{"deny": []}'])
    it(`is rejected, or requires approval for everything, if a file cannot be read: ${content}`, () => {
      const policy = put('mine.json', content);
      assert.throws(() => read({ policy }), UsageError);
      put('.kedge/policy.json', content);
      const problems: string[] = [];
      const { rules } = read({}, problems);
      assert.deepEqual([rules.length, rules[0]?.effect, rules[0]?.path, problems.length], [1, 'ask', undefined, 1]);
    });
});

describe('a permanent permission in a folder', () => {
  it('is stored, listed, and removed', () => {
    const file = join(folder, 'deep/grants.json');
    const kept = new StoredGrants(file);
    assert.deepEqual(kept.list(), []);
    kept.add({ kind: 'edits' });
    kept.add({ kind: 'command', prefix: ['npm', 'test'], folders: ['.', 'packages/web'] });
    kept.add({ kind: 'edits' });
    const again = new StoredGrants(file);
    assert.equal(
      describeGrants(again.list()),
      '1  edits in this workspace\n2  commands that begin with npm test in the top folder and packages/web',
    );
    assert.deepEqual(again.clear(1), [{ kind: 'edits' }]);
    assert.deepEqual([kept.list().length, kept.revokedAt()], [1, 0]);
    again.clear();
    assert.deepEqual(kept.list(), []);
    assert.ok(kept.revokedAt() > 0);
  });

  for (const content of ['', '{"covers": [{"kind": "everything"}]}', '{"covers": [{"kind": "command", "prefix": []}]}', '[]'])
    it(`is not read from an invalid file: ${content}`, () => {
      const file = put('grants.json', content);
      assert.deepEqual(new StoredGrants(file).list(), []);
      assert.equal(readFileSync(file, 'utf8'), content);
    });

  it('is listed by kedge grants', () => {
    assert.deepEqual([parseClear([]), parseClear(['clear']), parseClear(['clear', '2'])], [{}, { clear: 'all' }, { clear: 2 }]);
    for (const args of [['remove'], ['clear', 'all'], ['clear', '0'], ['clear', '1', '2']])
      assert.throws(() => parseClear(args), UsageError);
  });
});

describe('an approval in the terminal', () => {
  const request = {
    title: 'Create a.ts',
    reason: 'This edit changes 1 file.',
    changes: [{ path: 'a.ts', kind: 'create', added: 1, removed: 0, diff: '@@ -0,0 +1,1 @@\n+x' }],
    covers: [{ kind: 'edits' }, { kind: 'path', tool: 'create_file', glob: 'src/**' }],
    similar: 3,
  } as unknown as ApprovalRequest;
  const paint = paintFor({ write: () => undefined });

  it('lists the possible permissions, and the number of similar requests', () => {
    assert.equal(
      approvalText(request, paint),
      [
        'Create a.ts',
        'create a.ts  +1 −0',
        '@@ -0,0 +1,1 @@',
        '+x',
        'This edit changes 1 file.',
        'To allow edits in this workspace: t = for this and 3 similar calls, r = for this run, s = for this session, w = always in this folder',
        'To allow new files in src/**: pt = for this and 3 similar calls, pr = for this run, ps = for this session, pw = always in this folder',
      ].join('\n'),
    );
  });

  it('shows a complete command, and its hidden characters', () => {
    const text = `echo ${'x'.repeat(5_000)}\u202E; rm -rf /`;
    const shown = approvalText({ ...request, command: { text, cwd: '.', shell: 'bash' }, covers: [] } as ApprovalRequest, paint);
    assert.ok(shown.includes('x'.repeat(5_000)) && shown.includes('; rm -rf /'));
    assert.doesNotMatch(shown, /\u202E/);
  });

  const TABLE: [line: string, covers: number, similar: number, answer: ReturnType<typeof parseApproval>][] = [
    ['y', 2, 0, { approve: true }],
    ['Yes', 0, 0, { approve: true }],
    ['t', 1, 2, { approve: true, grant: 'turn', covers: 0 }],
    ['t', 1, 0, undefined],
    ['r', 1, 0, { approve: true, grant: 'run', covers: 0 }],
    ['pw', 2, 0, { approve: true, grant: 'workspace', covers: 1 }],
    ['pw', 1, 0, undefined],
    ['r', 0, 0, undefined],
    ['yes, but not in docs', 2, 0, undefined],
    ['s, and be quick', 2, 0, undefined],
    ['n not that way', 0, 0, { approve: false, words: 'not that way' }],
    ['no: keep it', 0, 0, { approve: false, words: 'keep it' }],
    ['', 2, 2, undefined],
    ['yesterday', 2, 2, undefined],
    ['pn', 2, 2, undefined],
  ];
  for (const [line, covers, similar, answer] of TABLE)
    it(`is answered by ${JSON.stringify(line)}`, () => assert.deepEqual(parseApproval(line, covers, similar), answer));
});
