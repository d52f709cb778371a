import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isProtected } from '../../../src/policy/protected.ts';

describe('protected places', () => {
  const PROTECTED = [
    [
      'what git, editors and agents go by',
      '.git',
      '.git/hooks/pre-commit',
      '.vscode/tasks.json',
      '.kedge/rules.md',
      '.cursor/mcp.json',
      '.husky/x',
    ],
    [
      'nested',
      'packages/a/.git/config',
      'deep/er/.vscode/settings.json',
      'docs/AGENTS.md',
      'x/.mcp.json',
      '.github/copilot-instructions.md',
    ],
    ['in any case', '.GIT/config', '.Vscode/x', '.KEDGE/x', 'agents.MD', 'Claude.md', 'MCP.JSON'],
    [
      'with dots and blanks that Windows drops',
      '.git./config',
      '.git /config',
      '.git. . /config',
      'AGENTS.md.',
      'AGENTS.md ',
      '.vscode.../x',
    ],
    ['by a stream of NTFS', '.git::$INDEX_ALLOCATION/config', '.vscode:x/y', 'AGENTS.md::$DATA', '.mcp.json:hidden', '.git. :x/config'],
    ['in letters that a file system takes for others', '.v\u017fcode/tasks.json', '.\u212Aedge/x', '.g\u200Cit/config', 'CLAUDE.md\u200D'],
    ['a workspace file, wherever it is', 'a.code-workspace', 'x/b.CODE-WORKSPACE', 'c.code-workspace.'],
  ] as const;
  for (const [what, ...paths] of PROTECTED) {
    it(what, () => {
      for (const path of paths) assert.ok(isProtected(path), path);
    });
  }

  it('are few: a name that merely looks alike is free', () => {
    for (const path of [
      'src/git/a.ts',
      'vscode/x',
      '.gitignore',
      '.github/workflows/ci.yml',
      'git',
      'a.git/x',
      '.gitx/y',
      'my-agents.md',
      'mcp.json.ts',
      '',
      '.',
    ])
      assert.ok(!isProtected(path), path);
  });

  it('whatever is around them and however they are cased', () => {
    const folder = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
    const name = fc.constantFrom('.git', '.vscode', '.kedge', '.cursor', '.claude');
    const disguise = fc.constantFrom('', '.', '..', ' ', ' . ', ':x', '::$DATA', '. :y');
    fc.assert(
      fc.property(
        fc.array(folder),
        name,
        fc.infiniteStream(fc.boolean()),
        disguise,
        fc.array(folder),
        (before, guarded, upper, end, after) => {
          const cased = [...guarded].map((letter) => (upper.next().value ? letter.toUpperCase() : letter)).join('');
          assert.ok(isProtected([...before, cased + end, ...after].join('/')));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
