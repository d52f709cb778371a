/** Finds the files that determine what an allowed command does, such as package.json. Changing such a file needs approval. */
import { checkCommands } from '../../core/plan/plan.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { wordsOf } from '../../hooks/config.ts';
import { ANY } from '../../policy/ecosystems.ts';
import { upwards } from '../../policy/projects.ts';
import type { SourcedRule } from '../../policy/rules.ts';
import { inScope } from '../../policy/scope.ts';
import {
  commandsOfHook,
  EVERY,
  ecosystemsOf,
  filesRunBy,
  filesRunByMakefile,
  foldersOf,
  isSteering,
  isTest,
  quoted,
  runsCode,
  runsHooks,
  runsMake,
  type Standing,
  scriptsRunBy,
  steersOne,
} from '../../policy/steering.ts';
import { decodeText } from '../../workspace/content.ts';
import { formatPath, parsePath } from '../../workspace/paths.ts';
import type { FileSystem } from '../../workspace/types.ts';
import { hookScripts } from './hook-places.ts';

type Given = {
  rules: readonly SourcedRule[];
  grants: readonly Permission[];
  plan: RunRecord['plan'];
  own: ReadonlySet<string>;
  written: readonly string[];
  /** The commands of the user's hooks, which run without being asked about. */
  hooks?: readonly string[];
  fs: FileSystem;
};

/** The maximum number of scripts that are followed, because scripts can run other scripts. */
const MAX_SCRIPTS = 50;

/** `name` is the command that was allowed, for the approval request. `isCheck` means that the command is a check of the plan. */
type Running = Standing & { name: string; isCheck?: boolean };

/** Returns a function that maps a path in `written` to the allowed command that the file affects, if there is one. */
export async function steering({
  rules,
  grants,
  plan,
  own,
  written,
  hooks = [],
  fs,
}: Given): Promise<(path: string) => string | undefined> {
  const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
  const allowed: Standing[] = [
    ...rules.flatMap(({ effect, from, command, path }) =>
      effect === 'allow' && from === 'user' && command !== undefined
        ? [{ text: command, folders: path === undefined ? tops : foldersNamed(path, written) }]
        : [],
    ),
    ...grants.flatMap((covers) =>
      covers.kind === 'command' ? [{ text: covers.prefix.map(quoted).join(' '), folders: covers.folders ?? tops }] : [],
    ),
  ];
  const checks = plan ? checkCommands(plan).map((text) => ({ text, folders: tops, isCheck: true })) : [];
  const found = await filesBehind([...allowed, ...hooks.map((text) => ({ text, folders: tops.slice(0, 1) })), ...checks], fs);
  const named = await namedByHooks(hooks, fs);
  if (!found) return (path) => named.get(path);
  const { running, run, namesOf } = found;
  const isPlanned = (path: string) => isNamed(plan, path);
  return (path) => {
    const names = namesOf(path);
    const hook = names.map((name) => named.get(name)).find((text) => text !== undefined);
    if (hook !== undefined) return hook;
    const steered = running.filter(({ ecosystems }) => names.some((name) => steersOne(name, ecosystems)));
    // The user confirmed the checks of the plan with their current meaning. A change to a file that a check depends on needs approval
    // even if the plan names the file.
    const asking = isPlanned(path) ? steered.find(({ isCheck }) => isCheck) : steered[0];
    if (asking) return asking.name;
    // The plan may name a script, and when the user allowed the command, a file that this run created did not exist yet. Changing either
    // file needs no approval, but a check that runs such a file needs one (`changedCode`).
    return isPlanned(path) || own.has(path) ? undefined : names.map((name) => run.get(name)).find((text) => text !== undefined);
  };
}

/**
 * Returns the files that a command names and runs, itself or in a script of package.json or a Makefile, among those that the run or an earlier
 * run of its plan wrote. After that, the command may do something different from what the user approved. A test that the plan names as a
 * file to change is left out, because the user has confirmed that it is changed and run. Files that are only imported, or found by a test
 * runner, are not followed: the run can change them only where the plan names them or the user allows it.
 */
export async function changedCode(
  text: string,
  { staged }: Pick<SessionState, 'staged'>,
  run: RunRecord,
  fs: FileSystem,
): Promise<string[]> {
  const writes = staged.filter(({ runId, planId }) => runId === run.runId || (planId !== undefined && planId === run.plan?.id));
  const written = [...new Set(writes.flatMap(({ change: { path, from } }) => (from === undefined ? [path] : [path, from])))];
  if (written.length === 0) return [];
  const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
  const found = await filesBehind([{ text, folders: tops }], fs, true);
  const isConfirmed = (path: string) => isTest(path) && isNamed(run.plan, path);
  return found ? written.filter((path) => !isConfirmed(path) && found.namesOf(path).some((name) => found.run.has(name))) : [];
}

/** Returns the commands of hooks by the paths of the files that they name. The same words count as for the digest of a workspace's hooks. */
async function namedByHooks(hooks: readonly string[], fs: FileSystem): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for (const command of hooks) {
    for (const word of wordsOf(command)) {
      const path = pathOf(word, fs);
      if (path === undefined) continue;
      named.set(path, command);
      const real = await realOf(path, fs);
      if (real !== undefined) named.set(real, command);
    }
  }
  return named;
}

/** Returns the path of a word in the first folder, in which hooks of the user run, or of a word that is an absolute path. */
function pathOf(word: string, { folders }: FileSystem): string | undefined {
  const first = folders.length > 1 && !/^(?:[a-z]:)?[\\/]/i.test(word) ? `${folders[0]?.name}/` : '';
  try {
    return formatPath(parsePath(first + word, folders), folders);
  } catch {
    return undefined;
  }
}

type Behind = {
  running: readonly (Running & { ecosystems: ReadonlySet<string> })[];
  /** The commands by the path of a file that they run. */
  run: ReadonlyMap<string, string>;
  /** Returns a path and the other paths that lead to the same file through symbolic links. */
  namesOf(path: string): string[];
};

/** A confirmed plan allows changes to a file that it names. A glob in the plan does not. */
function isNamed(plan: RunRecord['plan'], path: string): boolean {
  return plan?.steps.some(({ files }) => files.some((file) => file.replace(/^\.\//, '') === path)) ?? false;
}

/** Finds the files that the commands run. Returns undefined if they run no code. Tests are included only with `withTests`. */
async function filesBehind(commands: readonly Omit<Running, 'name'>[], fs: FileSystem, withTests = false): Promise<Behind | undefined> {
  const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
  const standing: Running[] = commands.map((each) => ({ ...each, name: each.text }));
  // Several commands can run the same hooks. Only the first of them and the first check of the plan are needed.
  const gits = standing.filter(({ text }) => runsHooks(text));
  const hooked = [...new Set([gits[0], gits.find(({ isCheck }) => isCheck)])].filter((each) => each !== undefined);
  const hooks = hooked.length > 0 ? await hookScripts(fs) : [];
  // The approval request names the command that was allowed, not the line of the hook.
  const inHooks = hooked.flatMap((each) => hooks.map(({ text }) => ({ ...each, text: commandsOfHook(text), folders: tops })));
  const running = await Promise.all(
    [...standing, ...inHooks].filter(runsCode).map(async (each) => ({ ...each, ...(await runBy(each, fs, withTests)) })),
  );
  if (running.length === 0 && hooks.length === 0) return undefined;
  const run = new Map<string, string>();
  for (const { place } of hooks) run.set(place, hooked[0]?.name ?? 'git');
  for (const { files, name } of running) {
    for (const file of files) {
      run.set(file, name);
      const real = await realOf(file, fs);
      if (real !== undefined) run.set(real, name);
    }
  }
  const links = await linksIn([...new Set(running.flatMap(({ folders }) => folders))], fs);
  const namesOf = (path: string) => [
    path,
    ...links.flatMap(({ link, real }) => (path === real || path.startsWith(`${real}/`) ? [link + path.slice(real.length)] : [])),
  ];
  return { running, run, namesOf };
}

/** Returns the folders that a rule applies to: the folder that it names or, for a glob, the matching folders that contain written files. */
function foldersNamed(path: string, written: readonly string[]): string[] {
  const place = path.replace(/\/+$/, '');
  const above = written.flatMap((file) => upwards(file).slice(1));
  return [...new Set([place.replace(/^\.\/(?=.)/, ''), ...above.filter((folder) => inScope(folder, [place]))])];
}

/**
 * Returns a sentence for the approval request of a command if this run changed files that determine what commands do. Otherwise it is empty.
 * `code` contains the files that this command runs and that the run changed.
 */
export function changedBefore({ staged }: Pick<SessionState, 'staged'>, runId: string, code: readonly string[]): string {
  const changed = staged.filter((write) => write.runId === runId && write.landed && isSteering(write.change.path));
  const paths = [...new Set([...code, ...changed.map(({ change }) => change.path)])];
  return paths.length === 0 ? '' : ` This run changed ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' and more' : ''}.`;
}

async function realOf(path: string, fs: FileSystem): Promise<string | undefined> {
  try {
    const place = await fs.canonical(parsePath(path, fs.folders));
    return place && formatPath(place, fs.folders);
  } catch {
    return undefined;
  }
}

/** Returns the symbolic links directly in these folders, with their targets. For example, `package.json` may be a link to another file. */
async function linksIn(folders: readonly string[], fs: FileSystem): Promise<{ link: string; real: string }[]> {
  const found: { link: string; real: string }[] = [];
  for (const folder of folders) {
    const entries = await Promise.resolve()
      .then(() => fs.list(parsePath(folder, fs.folders)))
      .catch(() => []);
    for (const { name } of entries.filter(({ link }) => link)) {
      const link = folder === '.' ? name : `${folder}/${name}`;
      const real = await realOf(link, fs);
      if (real !== undefined) found.push({ link, real });
    }
  }
  return found;
}

/**
 * Returns the files that a command runs directly, through a Makefile or through scripts in package.json, and the ecosystems whose
 * configuration files affect the command.
 */
async function runBy(command: Standing, fs: FileSystem, withTests: boolean): Promise<{ files: string[]; ecosystems: Set<string> }> {
  const files: string[] = [];
  const ecosystems = new Set<string>();
  const texts: Standing[] = [command];
  const known = new Set<string>();
  for (let at = 0; at < texts.length; at++) {
    const { text, folders } = texts[at] as Standing;
    files.push(...filesRunBy({ text, folders }, withTests));
    const names = scriptsRunBy(text);
    const found = new Set<string>();
    for (const folder of foldersOf({ text, folders })) {
      if (runsMake(text)) files.push(...(await filesOfMake(folder, fs, withTests)));
      if (names.length === 0) continue;
      const scripts = await scriptsIn(folder, fs);
      for (const name of names.includes(EVERY) ? scripts.keys() : names) {
        if (scripts.has(name)) found.add(name);
        for (const script of [`pre${name}`, name, `post${name}`].flatMap((each) => scripts.get(each) ?? [])) {
          const key = `${folder}\n${script}`;
          if (known.has(key)) continue;
          known.add(key);
          // If there are too many scripts, the remaining scripts are not followed, and all files are assumed to affect the command.
          if (texts.length > MAX_SCRIPTS) ecosystems.add(ANY);
          else texts.push({ text: script, folders: [folder] });
        }
      }
    }
    for (const each of ecosystemsOf(text, (name) => found.has(name))) ecosystems.add(each);
  }
  return { files, ecosystems };
}

async function filesOfMake(folder: string, fs: FileSystem, withTests: boolean): Promise<string[]> {
  const texts = await Promise.all(['GNUmakefile', 'makefile', 'Makefile'].map((name) => textIn(folder, name, fs)));
  return texts.flatMap((text) => (text === undefined ? [] : filesRunByMakefile(text, folder, withTests)));
}

async function textIn(folder: string, name: string, fs: FileSystem): Promise<string | undefined> {
  try {
    const at = await fs.canonical(parsePath(folder === '.' ? name : `${folder}/${name}`, fs.folders));
    return at && decodeText((await fs.read(at)).bytes);
  } catch {
    return undefined;
  }
}

async function scriptsIn(folder: string, fs: FileSystem): Promise<Map<string, string>> {
  try {
    const { scripts } = JSON.parse((await textIn(folder, 'package.json', fs)) ?? '{}') as { scripts?: Record<string, unknown> };
    return new Map(Object.entries(scripts ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
