/** Which files decide what the commands do that run without asking in a run. */
import type { Covers } from '../core/covers.ts';
import type { RunRecord, SessionState } from '../core/session-state.ts';
import type { SourcedRule } from '../policy/rules.ts';
import {
  commandsOfHook,
  filesRunBy,
  filesRunByMakefile,
  isSteering,
  quoted,
  runsCode,
  runsHooks,
  runsMake,
  type Standing,
  scriptsRunBy,
} from '../policy/steering.ts';
import { decodeText } from '../workspace/content.ts';
import { formatPath, parsePath } from '../workspace/paths.ts';
import type { FileSystem } from '../workspace/types.ts';
import { hookScripts } from './hook-places.ts';

type Given = {
  rules: readonly SourcedRule[];
  grants: readonly Covers[];
  plan: RunRecord['plan'];
  own: ReadonlySet<string>;
  fs: FileSystem;
};

/** Scripts that run scripts. */
const MAX_SCRIPTS = 50;

/** @returns by a file the command that it decides about, if there is one. */
export async function steering({ rules, grants, plan, own, fs }: Given): Promise<(path: string) => string | undefined> {
  const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
  const standing: Standing[] = [
    ...rules.flatMap(({ effect, from, command }) =>
      effect === 'allow' && from === 'user' && command !== undefined ? [{ text: command, folders: tops }] : [],
    ),
    ...grants.flatMap((covers) =>
      covers.kind === 'command' ? [{ text: covers.prefix.map(quoted).join(' '), folders: covers.folders ?? tops }] : [],
    ),
    ...(plan?.steps ?? []).flatMap(({ check }) =>
      typeof check === 'object' && 'command' in check ? [{ text: check.command, folders: tops }] : [],
    ),
  ];
  const hooked = standing.find(({ text }) => runsHooks(text));
  const hooks = hooked ? (await hookScripts(fs)).map((script) => ({ text: commandsOfHook(script), folders: tops })) : [];
  // The question names the command that was allowed, and not the line of a hook.
  const running = [
    ...standing.filter(runsCode).map((each) => ({ ...each, name: each.text })),
    ...hooks.filter(runsCode).map((each) => ({ ...each, name: hooked?.text ?? 'git' })),
  ];
  const [first] = running;
  if (!first) return () => undefined;
  const run = new Map<string, string>();
  for (const each of running) {
    for (const file of await filesOf(each, fs)) {
      run.set(file, each.name);
      const real = await realOf(file, fs);
      if (real !== undefined) run.set(real, each.name);
    }
  }
  const links = await linksIn([...new Set(running.flatMap(({ folders }) => folders))], fs);
  /** What a file is called through links as well. */
  const namesOf = (path: string) => [
    path,
    ...links.flatMap(({ link, real }) => (path === real || path.startsWith(`${real}/`) ? [link + path.slice(real.length)] : [])),
  ];
  // A plan that names a file itself was a yes to its change; what this run made anew nobody allowed as it was.
  const isAgreed = (path: string) =>
    own.has(path) || plan?.steps.some(({ files }) => files.some((file) => file.replace(/^\.\//, '') === path));
  return (path) => {
    const names = namesOf(path);
    if (names.some(isSteering)) return first.name;
    return isAgreed(path) ? undefined : names.map((name) => run.get(name)).find((text) => text !== undefined);
  };
}

/** What a question about a command has to say besides: that this run changed what the command does. */
export function changedBefore({ staged }: Pick<SessionState, 'staged'>, runId: string): string {
  const changed = staged.filter((write) => write.runId === runId && write.landed && isSteering(write.change.path));
  const paths = [...new Set(changed.map(({ change }) => change.path))];
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

/** Links right in these folders, and where they lead: `package.json` may be one to a file with another name. */
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

/** Files that it runs itself, or by the Makefile or the scripts of the package.json where it runs. */
async function filesOf(command: Standing, fs: FileSystem): Promise<string[]> {
  const files = filesRunBy(command);
  for (const folder of command.folders) {
    if (runsMake(command.text)) files.push(...(await filesOfMake(folder, fs)));
    const names = scriptsRunBy(command.text);
    if (names.length === 0) continue;
    const scripts = await scriptsIn(folder, fs);
    for (let at = 0; at < Math.min(names.length, MAX_SCRIPTS); at++) {
      const name = names[at] as string;
      const texts = [`pre${name}`, name, `post${name}`].flatMap((each) => scripts.get(each) ?? []);
      for (const text of texts) {
        files.push(...filesRunBy({ text, folders: [folder] }));
        if (runsMake(text)) files.push(...(await filesOfMake(folder, fs)));
        names.push(...scriptsRunBy(text).filter((each) => !names.includes(each)));
      }
    }
  }
  return files;
}

async function filesOfMake(folder: string, fs: FileSystem): Promise<string[]> {
  const texts = await Promise.all(['GNUmakefile', 'makefile', 'Makefile'].map((name) => textIn(folder, name, fs)));
  return texts.flatMap((text) => (text === undefined ? [] : filesRunByMakefile(text, folder)));
}

async function textIn(folder: string, name: string, fs: FileSystem): Promise<string | undefined> {
  try {
    return decodeText((await fs.read(parsePath(folder === '.' ? name : `${folder}/${name}`, fs.folders))).bytes);
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
