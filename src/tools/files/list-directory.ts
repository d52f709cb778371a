import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import type { Location } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf, defineTool } from '../define-tool.ts';

const DEPTH = 2;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 500;
/** The maximum number of entries that are listed for a subdirectory, and of ignored entries in one directory. */
const MAX_BELOW = 40;
const MAX_IGNORED = 5;
/** The maximum number of files to count in a listing. */
const MAX_COUNTED = 200_000;

export function listDirectoryTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'list_directory',
    description: 'List a directory as a tree, with the number of files in each directory.',
    effect: 'readonly',
    input: z.object({
      path: z.string().optional().describe('default: the workspace'),
      depth: z.int().min(1).max(MAX_DEPTH).optional().describe(`default ${DEPTH}`),
    }),
    async prepare({ path: input, depth = DEPTH }) {
      if (workspace.fs.folders.length > 1 && (input === undefined || /^[./]*$/.test(input))) {
        const names = workspace.fs.folders.map(({ name }) => `${name}/`).join('\n');
        return { title: 'List the folders', targets: [{ path: '.', access: 'read' }], execute: async () => ({ content: names }) };
      }
      const { at, path } = await workspace.resolve(input ?? '.');
      return {
        title: `List ${path === '.' ? 'the workspace' : path}`,
        targets: [{ path, access: 'read', names: true }],
        async execute({ signal }) {
          const stat = await workspace.stat(at);
          if (!stat) throw new ToolError(`There is no directory ${path}. List its parent directory.`);
          if (stat.type !== 'directory') throw new ToolError(`${path} is a file. Use read_file.`);
          return { content: await listing(workspace, at, depth, signal) };
        },
      };
    },
  });
}

/** The entries of a directory that are not ignored. `count` is the number of files at any depth. */
type Branch = { count: number; files: Set<string>; directories: Map<string, Branch> };

const emptyBranch = (): Branch => ({ count: 0, files: new Set(), directories: new Map() });

async function listing(workspace: Workspace, at: Location, depth: number, signal: AbortSignal): Promise<string> {
  const entries = await entriesOf(workspace, at);
  if (entries.length === 0) return '[the directory is empty]';
  const query = { folder: at.folder, limit: MAX_COUNTED, ...(at.path && { include: `${at.path}/` }) };
  const { files, truncated } = await workspace.fs.find(query, signal);
  if (truncated || files.length === 0) {
    const names = entries.map(({ name, type }) => (type === 'directory' ? `${name}/` : name)).sort();
    const why = truncated ? `more than ${MAX_COUNTED} files: not counted` : 'all of this is ignored, or empty';
    return [...limitNames(names, MAX_ENTRIES), `[${why}]`].join('\n');
  }
  const tree = branchOf(files.map(({ path }) => (at.path ? path.slice(at.path.length + 1) : path)));
  const room = { left: MAX_ENTRIES };
  return (await linesOf(workspace, at, tree, { depth, most: MAX_ENTRIES, room, signal })).join('\n');
}

function branchOf(paths: readonly string[]): Branch {
  const top = emptyBranch();
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() as string;
    let branch = top;
    branch.count++;
    for (const name of names) {
      const next = branch.directories.get(name) ?? emptyBranch();
      branch.directories.set(name, next);
      branch = next;
      branch.count++;
    }
    branch.files.add(file);
  }
  return top;
}

type Entries = Awaited<ReturnType<Workspace['fs']['list']>>;
type Options = { depth: number; most: number; room: { left: number }; signal: AbortSignal };

async function linesOf(workspace: Workspace, at: Location, branch: Branch, { depth, most, room, signal }: Options): Promise<string[]> {
  signal.throwIfAborted();
  const entries = (await entriesOf(workspace, at)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines: { text: string; below?: Branch; name: string }[] = [];
  const ignored: string[] = [];
  for (const { name, type, link } of entries) {
    const below = branch.directories.get(name);
    if (type !== 'directory') {
      if (link) lines.push({ name, text: `${name} (link)` });
      else if (branch.files.has(name) || type === 'other') lines.push({ name, text: name });
      else ignored.push(name);
    } else if (link) lines.push({ name, text: `${name}/ (link)` });
    else if (below) lines.push({ name, text: `${name}/ (${countOf(below.count, 'file')})`, below });
    else if (await isEmpty(workspace, childOf(at, name))) lines.push({ name, text: `${name}/ (empty)` });
    else ignored.push(`${name}/`);
  }
  const ignoredCount = ignored.length > MAX_IGNORED + 1 ? MAX_IGNORED : ignored.length;
  for (const name of ignored.slice(0, ignoredCount)) lines.push({ name, text: `${name} (ignored)` });
  lines.sort((a, b) => (a.name < b.name ? -1 : 1));
  const shownLines = lines.slice(0, most);
  room.left -= shownLines.length;
  const out: string[] = [];
  for (const { text, below, name } of shownLines) {
    out.push(text);
    if (!below || depth < 2 || room.left <= 0) continue;
    const own = await linesOf(workspace, childOf(at, name), below, {
      depth: depth - 1,
      most: Math.min(MAX_BELOW, room.left),
      room,
      signal,
    });
    out.push(...own.map((line) => `  ${line}`));
  }
  if (lines.length > shownLines.length) out.push(`[${lines.length - shownLines.length} more entries]`);
  if (ignored.length > ignoredCount) out.push(`[${ignored.length - ignoredCount} more ignored]`);
  return out;
}

/**
 * Returns the entries of a directory. A symbolic link to an excluded file, or to a path outside the workspace, has the type `other`, so
 * that the listing does not reveal its target.
 */
async function entriesOf(workspace: Workspace, at: Location): Promise<Entries> {
  const entries = await workspace.fs.list(at);
  return Promise.all(
    entries.map(async (entry) => {
      if (!entry.link || entry.type !== 'directory') return entry;
      const real = await workspace.fs.canonical(childOf(at, entry.name)).catch(() => undefined);
      return real ? entry : { ...entry, type: 'other' as const };
    }),
  );
}

async function isEmpty(workspace: Workspace, at: Location): Promise<boolean> {
  return (await workspace.fs.list(at).catch(() => [undefined])).length === 0;
}

function childOf({ folder, path }: Location, name: string): Location {
  return { folder, path: path ? `${path}/${name}` : name };
}

function limitNames(names: string[], most: number): string[] {
  return names.length > most ? [...names.slice(0, most), `[${names.length - most} more entries]`] : names;
}
