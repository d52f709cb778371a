/** Which files decide what the commands do that run without asking in a run. */
import type { Covers } from '../core/covers.ts';
import type { RunRecord, SessionState } from '../core/session-state.ts';
import type { SourcedRule } from '../policy/rules.ts';
import { filesRunBy, isSteering, runsCode, type Standing, scriptsRunBy } from '../policy/steering.ts';
import { decodeText } from '../workspace/content.ts';
import { parsePath } from '../workspace/paths.ts';
import type { FileSystem } from '../workspace/types.ts';

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
    ...grants.flatMap((covers) => (covers.kind === 'command' ? [{ text: covers.prefix.join(' '), folders: covers.folders ?? tops }] : [])),
    ...(plan?.steps ?? []).flatMap(({ check }) =>
      typeof check === 'object' && 'command' in check ? [{ text: check.command, folders: tops }] : [],
    ),
  ];
  const running = standing.filter(runsCode);
  const [first] = running;
  if (!first) return () => undefined;
  const run = new Map<string, string>();
  for (const each of running) for (const file of await filesOf(each, fs)) run.set(file, each.text);
  // A plan that names a file itself was a yes to its change; what this run made anew nobody allowed as it was.
  const isAgreed = (path: string) =>
    own.has(path) || plan?.steps.some(({ files }) => files.some((file) => file.replace(/^\.\//, '') === path));
  return (path) => (isSteering(path) ? first.text : isAgreed(path) ? undefined : run.get(path));
}

/** What a question about a command has to say besides: that this run changed what the command does. */
export function changedBefore({ staged }: Pick<SessionState, 'staged'>, runId: string): string {
  const changed = staged.filter((write) => write.runId === runId && write.landed && isSteering(write.change.path));
  const paths = [...new Set(changed.map(({ change }) => change.path))];
  return paths.length === 0 ? '' : ` This run changed ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' and more' : ''}.`;
}

/** Files that it runs itself, or by the scripts of the package.json where it runs. */
async function filesOf(command: Standing, fs: FileSystem): Promise<string[]> {
  const files = filesRunBy(command);
  for (const folder of command.folders) {
    const names = scriptsRunBy(command.text);
    if (names.length === 0) continue;
    const scripts = await scriptsIn(folder, fs);
    for (let at = 0; at < Math.min(names.length, MAX_SCRIPTS); at++) {
      const name = names[at] as string;
      const texts = [`pre${name}`, name, `post${name}`].flatMap((each) => scripts.get(each) ?? []);
      for (const text of texts) {
        files.push(...filesRunBy({ text, folders: [folder] }));
        names.push(...scriptsRunBy(text).filter((each) => !names.includes(each)));
      }
    }
  }
  return files;
}

async function scriptsIn(folder: string, fs: FileSystem): Promise<Map<string, string>> {
  try {
    const at = parsePath(folder === '.' ? 'package.json' : `${folder}/package.json`, fs.folders);
    const { scripts } = JSON.parse(decodeText((await fs.read(at)).bytes) ?? '{}') as { scripts?: Record<string, unknown> };
    return new Map(Object.entries(scripts ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
