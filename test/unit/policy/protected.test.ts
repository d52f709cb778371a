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
    [
      'what other agents and editors go by',
      '.github/instructions/ts.instructions.md',
      '.github/agents/a.md',
      '.github/prompts/a.prompt.md',
      '.github/chatmodes/a.md',
      '.agents/skills/a/SKILL.md',
      'src/AGENTS.override.md',
      'opencode.json',
      '.opencode/agent/a.md',
      '.zed/settings.json',
      '.aider.conf.yml',
    ],
    [
      'where Kedge keeps settings and permissions, and what starts it',
      '.config/kedge/config.json',
      '.local/share/kedge/grants.json',
      'Library/Application Support/kedge/config.json',
      'AppData/Local/kedge/config.json',
      '.local/bin/kedge',
      '.jetbrains/acp.json',
    ],
    [
      'what runs by itself',
      '.github/workflows/ci.yml',
      '.GitHub./Workflows /ci.yml',
      'sub/.github/actions/a/action.yml',
      '.envrc',
      '.pre-commit-config.yaml',
      '.gitlab-ci.yml',
      '.circleci/config.yml',
      'lefthook.yml',
      '.yarn/releases/yarn.cjs',
    ],
    ['where packages and their programs come from', '.npmrc', 'packages/a/.npmrc', '.yarnrc.yml', '.pnpmfile.cjs'],
    ['a workspace file, wherever it is', 'a.code-workspace', 'x/b.CODE-WORKSPACE', 'c.code-workspace.'],
  ] as const;
  for (const [what, ...paths] of PROTECTED) {
    it(what, () => {
      for (const path of paths) assert.ok(isProtected(path), path);
    });
  }

  it('do not include files with similar names', () => {
    for (const path of [
      'src/git/a.ts',
      'vscode/x',
      '.gitignore',
      '.github/ISSUE_TEMPLATE/bug.yml',
      'github/workflows/ci.yml',
      'src/workflows/ci.yml',
      '.github/x/workflows/ci.yml',
      'x.github/workflows/ci.yml',
      '.yarn/patches/a.patch',
      'agents/a.md',
      'envrc',
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

  it('in any folder and any capitalization', () => {
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
