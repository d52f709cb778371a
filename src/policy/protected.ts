/**
 * Places whose content runs by itself or steers an editor, an agent or git: writing there asks, whatever was granted.
 * Compared without case, because the file systems of two of three platforms do so too.
 */
const DIRECTORIES = new Set([
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
]);
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
  'claude.md',
  'gemini.md',
  'copilot-instructions.md',
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
  return parts.some((part) => DIRECTORIES.has(part)) || FILES.has(name) || name.endsWith('.code-workspace');
}
