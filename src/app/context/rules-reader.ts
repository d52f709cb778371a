/** Reads rules files. A file that is hidden, denied or secret is treated as if it did not exist. */
import { splitFrontMatter } from '../../core/front-matter.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import { globMatcher } from '../../policy/glob.ts';
import { decodeText } from '../../workspace/content.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { globsIn } from './front-matter.ts';
import { importsIn, isImportsOnly, pathsToTry } from './imports.ts';

/** The names of rules files that apply to their directory and everything below it. */
export const DIRECTORY_RULES = ['AGENTS.md', 'CLAUDE.md'];
/** A larger file is not read, because only a small part of it could be sent. */
const MAX_BYTES = 1_000_000;
/** The maximum number of imports from the first file to an imported file. Claude Code has the same limit. */
const MAX_IMPORT_DEPTH = 5;
const MAX_IMPORTS = 50;
/** The maximum number of imports that are looked up for a file. Most `@` words are not imports, and each lookup accesses the disk. */
const MAX_TRIED = 300;
/** The limits for a directory of rules files. */
const MAX_FILES = 100;
const MAX_DEPTH = 3;

/**
 * The rules of one file. `paths` lists the file, then files with the same content, then the imported files. `scope` describes the files to
 * which the rules apply. If `remark` is set, the file could not be read, and the remark says why.
 */
export type RulesSource = { paths: string[]; text: string; scope?: string; remark?: string };

/** A rules file that applies to matching files only. Its globs are relative to its folder. */
export type ScopedFile = { at: Location; applies(path: string): boolean };

/** The rules files at the top of the open folders. */
export type RulesFiles = { always: Location[]; scoped: ScopedFile[] };

/**
 * `named` is the path at which the file was found, and `at` is the path after links were resolved. `front` is the front matter of the file,
 * if there is any.
 */
type Content = { named: Location; at: Location; path: string; body: string; front?: string[]; remark?: string };

export class RulesReader {
  readonly #workspace: Workspace;
  readonly #isWithheld: (at: Location) => boolean;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#isWithheld = workspace.withheldFiles();
  }

  /** Finds the rules files at the top of the folders. For a folder without rules files, only its top directory is listed. */
  async find(): Promise<RulesFiles> {
    const folders = await Promise.all(this.#workspace.fs.folders.map((_, folder) => this.#findIn(folder)));
    return { always: folders.flatMap(({ always }) => always), scoped: folders.flatMap(({ scoped }) => scoped) };
  }

  async #findIn(folder: number): Promise<RulesFiles> {
    const top = new Set((await this.#list({ folder, path: '' })).map(({ name }) => name));
    const always = DIRECTORY_RULES.filter((name) => top.has(name)).map((path): Location => ({ folder, path }));
    const github = top.has('.github') ? await this.#list({ folder, path: '.github' }) : [];
    if (github.some(({ name }) => name === 'copilot-instructions.md')) always.push({ folder, path: '.github/copilot-instructions.md' });
    const scoped: ScopedFile[] = [];
    const add = async (directory: string, ending: string, key: string, isAlwaysWithout: boolean) => {
      for (const path of await this.#filesBelow({ folder, path: directory }, ending)) {
        const at = { folder, path };
        const globs = globsIn((await this.#content(at))?.front ?? [], key);
        if (globs.some(matchesAll) || (globs.length === 0 && isAlwaysWithout)) always.push(at);
        else if (globs.length > 0) scoped.push({ at, applies: matcher(globs) });
      }
    };
    if (github.some(({ name }) => name === 'instructions')) await add('.github/instructions', '.instructions.md', 'applyTo', false);
    if (top.has('.kedge')) await add('.kedge/rules', '.md', 'globs', true);
    return { always, scoped };
  }

  /** Reads rules files with their imports. Files with the same content become one source. */
  async sources(files: readonly Location[]): Promise<RulesSource[]> {
    const contents = (await Promise.all(files.map((at) => this.#content(at)))).filter((content) => content !== undefined);
    const seen = new Set(contents.map(({ path }) => path));
    const groups = new Map<string, Content[]>();
    for (const content of contents) {
      const key = JSON.stringify([content.body.trim(), content.front, content.remark && content.path]);
      groups.set(key, [...(groups.get(key) ?? []), content]);
    }
    const sources: RulesSource[] = [];
    for (const [first, ...same] of groups.values()) {
      if (!first || (first.body.trim() === '' && !first.remark)) continue;
      const paths = [first, ...same].map(({ path }) => path);
      const importing = [first, ...same].find(({ path }) => /(?:^|\/)CLAUDE\.md$/.test(path));
      const { sections, known } = importing ? await this.#imports(importing, seen) : { sections: [], known: [] };
      // Many CLAUDE.md files only import AGENTS.md.
      const imported =
        sections.length === 0 && isImportsOnly(first.body) && sources.find((source) => source.paths.some((path) => known.includes(path)));
      if (imported) imported.paths.push(...paths);
      else
        sources.push({
          paths: [...paths, ...sections.map(({ path }) => path)],
          text: [first.body.trim(), ...sections.map(({ path, body }) => `From ${path}:\n\n${body.trim()}`)].join('\n\n'),
          ...scopeOf(first),
          ...(first.remark && { remark: first.remark }),
        });
    }
    return sources;
  }

  /** Reads the imports of a file and of the imported files. `known` are imports that are already part of the rules. */
  async #imports(content: Content, seen: Set<string>): Promise<{ sections: Content[]; known: string[] }> {
    const sections: Content[] = [];
    const known: string[] = [];
    let tried = 0;
    const visit = async (from: Content, depth: number): Promise<void> => {
      for (const written of importsIn(from.body)) {
        tried += 1;
        if (sections.length >= MAX_IMPORTS || tried > MAX_TRIED) return;
        const found = await this.#imported(from.at, written);
        if (!found || found.remark) continue;
        if (seen.has(found.path)) {
          known.push(found.path);
          continue;
        }
        seen.add(found.path);
        sections.push(found);
        if (depth < MAX_IMPORT_DEPTH) await visit(found, depth + 1);
      }
    };
    await visit(content, 1);
    return { sections, known };
  }

  async #imported(from: Location, written: string): Promise<Content | undefined> {
    if (written.startsWith('~')) return undefined;
    for (const path of pathsToTry(written)) {
      const at = this.#locate(from, path);
      const content = at && (await this.#content(at));
      if (content) return content;
    }
    return undefined;
  }

  /** Locates a path that is relative to the directory of a file, or absolute. */
  #locate(from: Location, path: string): Location | undefined {
    const { folders } = this.#workspace.fs;
    try {
      if (/^(?:\/|[a-z]:)/i.test(path)) return parsePath(path, folders);
      const directory = from.path.includes('/') ? `${from.path.slice(0, from.path.lastIndexOf('/'))}/` : '';
      const own = parsePath(directory + path, [{ name: folders[from.folder]?.name ?? '' }]);
      return { folder: from.folder, path: own.path };
    } catch {
      return undefined;
    }
  }

  /** Returns undefined for a file that does not exist or may not be read, and for anything that is not a file. */
  async #content(named: Location): Promise<Content | undefined> {
    const { fs } = this.#workspace;
    if (named.path === '' || this.#isWithheld(named)) return undefined;
    try {
      if (!(await fs.stat(named))) return undefined;
      const at = await fs.canonical(named);
      if (!at || this.#isWithheld(at)) return undefined;
      const stat = await fs.stat(at);
      if (stat?.type !== 'file') return undefined;
      const path = this.#workspace.display(named);
      if (stat.size > MAX_BYTES) return { named, at, path, body: '', remark: 'larger than 1 MB' };
      const text = await fs.read(at).then(
        ({ bytes }) => decodeText(bytes),
        () => null,
      );
      if (text === null) return { named, at, path, body: '', remark: 'not readable' };
      if (text === undefined) return { named, at, path, body: '', remark: 'not a text file' };
      const plain = visibleText(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
      if (!hasFrontMatter(named)) return { named, at, path, body: plain };
      const { head, body } = splitFrontMatter(plain);
      return { named, at, path, body, ...(head && { front: head }) };
    } catch {
      return undefined;
    }
  }

  async #filesBelow(at: Location, ending: string, depth = 1): Promise<string[]> {
    const entries = (await this.#list(at)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const files = entries.filter(({ name }) => name.endsWith(ending)).map(({ name }) => `${at.path}/${name}`);
    if (depth < MAX_DEPTH)
      for (const { name, type, link } of entries)
        if (type === 'directory' && !link)
          files.push(...(await this.#filesBelow({ ...at, path: `${at.path}/${name}` }, ending, depth + 1)));
    return files.slice(0, MAX_FILES);
  }

  async #list(at: Location): Promise<{ name: string; type: string; link?: boolean }[]> {
    try {
      // The top of a folder is already resolved, so no link has to be followed.
      const real = at.path === '' ? at : await this.#workspace.fs.canonical(at);
      return real ? await this.#workspace.fs.list(real) : [];
    } catch {
      return [];
    }
  }
}

function hasFrontMatter({ path }: Location): boolean {
  return /^\.(?:github\/instructions|kedge\/rules)\//.test(path);
}

/** `src/` matches everything below the directory. */
function matcher(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => globMatcher(glob.replace(/^\.?\//, '').replace(/\/$/, '/**'), { dot: true }));
  return (path) => tests.some((matches) => matches(path));
}

function matchesAll(glob: string): boolean {
  return /^(?:\.?\/)?\*\*(?:\/\*{1,2})?$/.test(glob);
}

function scopeOf({ named: at, front }: Content): { scope?: string } {
  const globs = front && [...globsIn(front, 'applyTo'), ...globsIn(front, 'globs')];
  if (globs?.length && !globs.some(matchesAll)) return { scope: `for files that match ${globs.join(', ')}` };
  const directory = DIRECTORY_RULES.some((name) => at.path.endsWith(`/${name}`)) && at.path.slice(0, at.path.lastIndexOf('/'));
  return directory ? { scope: `for files in ${directory}` } : {};
}
