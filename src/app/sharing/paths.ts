/** The paths in packages. They are written by strangers, so only plain ones are accepted, on every system the same. */
import { visibleLine } from '../../core/words/visible-text.ts';
import { isSecret } from '../../policy/secrets.ts';

const MAX_PATH = 200;
const MAX_DEPTH = 8;
/** Names that a file system, a shell or a Markdown list could understand as something else are not accepted. */
const SEGMENT = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9_-])?$/;
const HIDDEN_SEGMENT = /^\.[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9_-])?$/;
/** Windows opens a device under these names, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin|conout|clock)(?:\.|$)/i;

const AGENT = /^agents\/[^/]+\.md$/;
const PROMPT = /^prompts\/[^/]+\.md$/;
const SKILL = /^skills\/[^/]+\/.+$/;

/** Returns true for the path of an agent, a prompt file, or a file of a skill. */
export function isInstallable(path: string): boolean {
  return leftOutReason(path) === undefined && (AGENT.test(path) || PROMPT.test(path) || SKILL.test(path));
}

/** Returns why a path makes the whole package unusable. */
export function pathProblem(path: string): string | undefined {
  const shown = visibleLine(path.slice(0, 100).toWellFormed());
  const refused = (why: string) => `The package contains the path ${shown}, ${why}. Nothing was stored.`;
  if (path.length > MAX_PATH) return refused(`which is longer than ${MAX_PATH} characters`);
  const segments = path.split('/');
  if (segments.length > MAX_DEPTH) return refused(`which is deeper than ${MAX_DEPTH} folders`);
  if (segments.includes('..')) return refused('which leads out of it');
  if (/^[/\\]|^[A-Za-z]:/.test(path)) return refused('which is not below its folder');
  if (segments.some((segment) => DEVICE.test(segment))) return refused('which names a device on Windows');
  if (!segments.every((segment) => SEGMENT.test(segment) || HIDDEN_SEGMENT.test(segment)))
    return refused('whose names may consist only of letters a–z, digits, dots, hyphens and underscores');
  return undefined;
}

/** Returns why the paths cannot be stored together: some file systems do not distinguish case, and no file can also be a folder. */
export function filesProblem(paths: readonly string[]): string | undefined {
  const files = new Set<string>();
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (files.has(lower))
      return `The package contains the path ${visibleLine(path)} twice, or once more with other capital letters. Nothing was stored.`;
    files.add(lower);
  }
  const spellings = new Map<string, string>();
  for (const path of paths) {
    const segments = path.split('/');
    for (let depth = 1; depth < segments.length; depth++) {
      const folder = segments.slice(0, depth).join('/');
      const lower = folder.toLowerCase();
      if (files.has(lower)) return `In the package, ${visibleLine(folder)} is a file and a folder. Nothing was stored.`;
      const other = spellings.get(lower);
      if (other !== undefined && other !== folder)
        return `The package contains the folders ${visibleLine(other)} and ${visibleLine(folder)}, which are the same on some systems. Nothing was stored.`;
      spellings.set(lower, folder);
    }
  }
  return undefined;
}

/** Returns a sentence about a file that is never installed. */
export function leftOutReason(path: string): string | undefined {
  if (/(?:^|\/)hooks?(?:\.json)?(?:\/|$)/i.test(path) && !path.startsWith('skills/'))
    return `${path} was left out: hooks run commands by themselves, so a package cannot install them.`;
  if (/(?:^|\/)\.?mcp(?:-servers)?(?:\.json)?(?:\/|$)/i.test(path) && !path.startsWith('skills/'))
    return `${path} was left out: a package cannot install MCP servers.`;
  if (path.split('/').some((segment) => segment.startsWith('.'))) return `${path} was left out: its name is hidden.`;
  if (isSecret(path)) return `${path} was left out: by its name, it contains keys.`;
  if (AGENT.test(path) || PROMPT.test(path) || SKILL.test(path)) return undefined;
  return `${path} was left out: a package installs only agents/NAME.md, prompts/NAME.md and skills/NAME/….`;
}
