/**
 * Places whose content runs by itself or steers an editor, an agent or git: writing there asks, whatever was granted.
 * Compared without case, because the file systems of two of three platforms do so too.
 */
const DIRECTORIES = [
  '.git',
  '.hg',
  '.svn',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.husky',
  '.githooks',
  '.kedge',
  '.cursor',
  '.claude',
  '.codex',
  '.gemini',
  '.roo',
  '.cline',
  '.windsurf',
  '.continue',
  '.agents',
  '.opencode',
  '.zed',
  '.kiro',
  '.trae',
  '.junie',
  '.amazonq',
  '.qwen',
  '.circleci',
  '.buildkite',
  '.yarn/plugins',
  '.yarn/releases',
  '.github/actions',
  '.github/agents',
  '.github/chatmodes',
  '.github/hooks',
  '.github/instructions',
  '.github/prompts',
  '.github/skills',
  '.github/workflows',
];
const FILES = new Set([
  '.mcp.json',
  'mcp.json',
  '.gitmodules',
  '.gitattributes',
  '.gitconfig',
  '.cursorrules',
  '.clinerules',
  '.windsurfrules',
  '.kedgeignore',
  'agents.md',
  'agents.override.md',
  'claude.md',
  'gemini.md',
  'qwen.md',
  'copilot-instructions.md',
  'opencode.json',
  'opencode.jsonc',
  '.aider.conf.yml',
  '.goosehints',
  '.envrc',
  'mise.toml',
  '.mise.toml',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook.yml',
  '.lefthook.yaml',
  'lefthook-local.yml',
  '.gitlab-ci.yml',
  '.travis.yml',
  '.drone.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'jenkinsfile',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.pnp.cjs',
]);

/** `path` is workspace-relative with forward slashes, after links and `..` were resolved. */
export function isProtected(path: string): boolean {
  // Windows drops trailing dots and blanks, and reads `name:stream` as `name`. Others fold letters such as the long s, or skip invisible ones.
  const parts = path.split('/').map((part) =>
    part
      .toUpperCase()
      .toLowerCase()
      .replace(/\p{Cf}/gu, '')
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, ''),
  );
  const name = parts.at(-1) ?? '';
  const whole = `/${parts.join('/')}/`;
  return DIRECTORIES.some((directory) => whole.includes(`/${directory}/`)) || FILES.has(name) || name.endsWith('.code-workspace');
}
