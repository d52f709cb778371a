/** Decides which documents Kedge may read without asking: the same rules apply as to the tools that read files. */
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { allows, matchesHost, matchesTool, type SourcedRule } from '../../../policy/rules.ts';
import { withheldFilter } from '../../../policy/unreadable-files.ts';
import { aliasesIn } from '../../../workspace/aliases.ts';
import { withIgnoreFiles } from '../../../workspace/ignore.ts';
import { formatPath } from '../../../workspace/paths.ts';
import type { FileSystem, Location } from '../../../workspace/types.ts';
import type { NodeFileSystem } from '../files/file-system.ts';

/** The open workspace, and the user's rules. */
export type DocumentAccess = { workspace: NodeFileSystem; rules: readonly SourcedRule[] };

export type SourceFolder = {
  /** The files that no ignore file excludes. */
  files: FileSystem;
  /** Whether a file may not be read without asking: it may contain secrets, or a rule or an ignore file excludes it. */
  hides(at: Location): boolean;
  /** The path of a file for the user: in the workspace if it is there, otherwise with the name of the source. */
  keyOf(at: Location): string;
};

/** A source can be in the workspace or outside. In the workspace, the rules and ignore files of the workspace apply to it too. */
export async function openSource(source: NodeFileSystem, { workspace, rules }: DocumentAccess): Promise<SourceFolder> {
  const files = await withIgnoreFiles(source);
  const ofWorkspace = await withIgnoreFiles(workspace);
  const isWithheld = withheldFilter(rules, undefined, aliasesIn(source.folders));
  const isWithheldThere = withheldFilter(rules, undefined, aliasesIn(workspace.folders));
  const there = (at: Location) => locationIn(workspace, source.absolute(at));
  return {
    files,
    hides: (at) => {
      if (files.hides?.(at) || isWithheld(at.path)) return true;
      const place = there(at);
      return place !== undefined && (ofWorkspace.hides?.(place) === true || isWithheldThere(formatPath(place, workspace.folders)));
    },
    keyOf: (at) => {
      const place = there(at);
      return place ? formatPath(place, workspace.folders) : `${source.folders[0]?.name}/${at.path}`;
    },
  };
}

function locationIn({ folders }: NodeFileSystem, path: string): Location | undefined {
  const folder = folders.findIndex(({ root }) => path.startsWith(root.endsWith(sep) ? root : root + sep));
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
