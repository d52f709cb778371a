/** Decides which documents Kedge may read without asking: the same rules apply as to the tools that read files. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Scope } from '../../../documents/store/sources.ts';
import { allows, matchesHost, matchesTool, type SourcedRule } from '../../../policy/rules.ts';
import { withheldFilter } from '../../../policy/unreadable-files.ts';
import { aliasesIn } from '../../../workspace/aliases.ts';
import { IGNORE_FILE, withIgnoreFiles } from '../../../workspace/ignore.ts';
import { formatPath } from '../../../workspace/paths.ts';
import type { FileSystem, Location } from '../../../workspace/types.ts';
import { NodeFileSystem } from '../files/file-system.ts';

/** The open workspace, the user's rules, and to whom the collection belongs. */
export type DocumentAccess = { workspace: NodeFileSystem; rules: readonly SourcedRule[]; scope?: Scope | undefined };

export type SourceFolder = {
  /** The files that no ignore file excludes. */
  files: FileSystem;
  /** Whether a file may not be read without asking: it may contain secrets, or a rule or an ignore file excludes it. */
  hides(at: Location): boolean;
  /**
   * The path of a file for the user: in the workspace if it is there, otherwise with the name of the source. Documents of a global collection
   * have the same keys in every workspace, because its index is the same.
   */
  keyOf(at: Location): string;
};

/**
 * A source can be in the workspace or outside. The rules and ignore files of the workspace apply to it too, and the ignore files of folders
 * above it: a collection of the user may have folders of several workspaces, and each can be the open one.
 */
export async function openSource(source: NodeFileSystem, { workspace, rules, scope }: DocumentAccess): Promise<SourceFolder> {
  const files = await withIgnoreFiles(source);
  const hidden = await Promise.all(
    [source, workspace, ...foldersAbove(source)].map(async (disk) => {
      const isIgnored = (await withIgnoreFiles(disk)).hides;
      const isWithheld = withheldFilter(rules, undefined, aliasesIn(disk.folders));
      return (path: string) => {
        const place = locationIn(disk, path);
        return place !== undefined && (isIgnored?.(place) === true || isWithheld(formatPath(place, disk.folders)));
      };
    }),
  );
  return {
    files,
    hides: (at) => {
      const path = source.absolute(at);
      return hidden.some((hides) => hides(path));
    },
    keyOf: (at) => {
      const place = scope === 'global' ? undefined : locationIn(workspace, source.absolute(at));
      return place ? formatPath(place, workspace.folders) : `${nameOfSource(source.folders[0]?.root ?? '')}/${at.path}`;
    },
  };
}

/** Returns the name of a folder, or of a package with its scope. */
export function nameOfSource(root: string): string {
  const [, name] = /.*[/\\]node_modules[/\\](.+)$/s.exec(root) ?? [];
  return name?.split(sep).join('/') ?? (basename(root) || 'root');
}

/** Returns the folders above a source that have an ignore file. */
function foldersAbove({ folders }: NodeFileSystem): NodeFileSystem[] {
  const found: NodeFileSystem[] = [];
  for (let at = folders[0]?.root ?? ''; dirname(at) !== at; at = dirname(at))
    if (existsSync(join(dirname(at), IGNORE_FILE))) found.push(new NodeFileSystem([dirname(at)]));
  return found;
}

/** Returns true if a path in the workspace is a link, or below a link, to a place outside. A repository can contain such links. */
export function leadsOutside(path: string, real: string, workspace: NodeFileSystem): boolean {
  const isInside = workspace.folders.some(({ root, roots = [root] }) => roots.some((each) => isBelow(path, each)));
  return isInside && !workspace.folders.some(({ root }) => real === root || isBelow(real, root));
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function locationIn({ folders }: NodeFileSystem, path: string): Location | undefined {
  const folder = folders.findIndex(({ root }) => isBelow(path, root));
  const root = folders[folder]?.root;
  if (root === undefined) return undefined;
  const below = path.slice(root.length).split(sep).filter(Boolean).join('/');
  return { folder, path: below };
}

/** Returns true if a rule denies fetching from a host. */
export function isHostDenied(rules: readonly SourcedRule[], host: string): boolean {
  return rules.some(
    (rule) =>
      rule.effect === 'deny' &&
      rule.path === undefined &&
      rule.command === undefined &&
      rule.server === undefined &&
      allows(rule, 'network') &&
      (rule.host === undefined || matchesHost(rule.host, host)) &&
      (rule.tool === undefined || matchesTool(rule.tool, { name: 'fetch_url', source: 'builtin' })),
  );
}

/** Returns undefined if nothing is there. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
