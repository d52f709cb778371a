/** Looks up which files a command reaches, and judges the results of earlier calls by the current rules. */

import type { EarlierCall, Judgement } from '../../core/run/tool.ts';
import type { CommandLine } from '../../core/session/effects.ts';
import type { CommandOptions } from '../../policy/command.ts';
import type { ShellParser } from '../../policy/commands/shells/syntax.ts';
import { decideByRules } from '../../policy/decide.ts';
import { touchesAny } from '../../policy/rules.ts';
import { isSecret } from '../../policy/secrets.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import { findReachedPaths } from '../facts/command-paths.ts';
import type { AssistantPorts, PolicySettings } from '../ports.ts';

/** If a call returns the content of a file, the policy checks that file as if it were read with `read_file`. */
export const READER = { name: 'read_file', effect: 'readonly', source: 'builtin' } as const;

/** Facts about a command that were looked up on disk. */
export type LookedUp = Pick<CommandOptions, 'reach' | 'code' | 'gitSettings'>;

type Ports = Pick<AssistantPorts, 'fileSystem' | 'trusted' | 'shellParsers' | 'gitSettings' | 'unattended' | 'commands'>;
/** `hides` returns true if .kedgeignore excludes a file. */
type Place = { settings: () => PolicySettings; hides?: ((at: Location) => boolean) | undefined };

/** Returns a function that returns true if .kedgeignore excludes a path, as the model wrote it. */
export function hiddenPaths({ fileSystem }: Ports, hides: Place['hides']): (path: string) => boolean {
  return (path) => {
    try {
      return hides?.(parsePath(path, fileSystem().folders)) ?? false;
    } catch {
      return false;
    }
  };
}

export async function lookUp(command: CommandLine, parser: ShellParser | undefined, ports: Ports, place: Place): Promise<LookedUp> {
  const fs = ports.fileSystem();
  const aliases = aliasesIn(fs.folders);
  const isHidden = hiddenPaths(ports, place.hides);
  const isRuled = touchesAny(
    place.settings().rules.flatMap(({ path, effect }) => (path !== undefined && effect !== 'allow' ? [path] : [])),
  );
  const matters = (path: string, byRules: boolean) =>
    (!byRules && aliases.places(path).some(isSecret)) || isHidden(path) || aliases.names(path).some(isRuled);
  const settingsAt = async (cwd: string) => (await ports.gitSettings?.(parsePath(cwd, fs.folders))) ?? 'unknown';
  const { factsOfCommand } = await import('../../policy/command.ts');
  const named = factsOfCommand(command, parser);
  const { codePlaces } = await import('../facts/code-places.ts');
  const [reach, code, gitSettings] = await Promise.all([
    findReachedPaths(named, command.cwd, fs, matters),
    codePlaces(named, command.cwd, fs),
    named.runsGit && ports.gitSettings ? settingsAt(command.cwd) : undefined,
  ]);
  return { reach, code, gitSettings };
}

/**
 * Returns a function that applies the current rules to an earlier call whose result is to be read again. It returns undefined if the result
 * may be read.
 */
export function earlierCallJudge(ports: Ports, place: Place): (call: EarlierCall) => Promise<Judgement | undefined> {
  return async ({ name, effect, source, targets, hosts, command: line }) => {
    const { rules } = place.settings();
    const aliases = aliasesIn(ports.fileSystem().folders);
    const always = { mode: 'agent', trusted: ports.trusted(), aliases, rules, hookPlaces: [], unattended: ports.unattended?.() } as const;
    if (line) {
      const command: CommandLine = { ...line, shell: ports.commands?.()?.shell ?? 'other' };
      const parser = await ports.shellParsers?.(command.shell);
      const { createCommandJudge } = await import('../../policy/command.ts');
      const { reach } = await lookUp(command, parser, ports, place);
      const judge = createCommandJudge(command, parser, { aliases, hides: hiddenPaths(ports, place.hides), ...(reach && { reach }) });
      return decideByRules({ ...always, tool: { name, effect, source }, name, targets: [], command: judge });
    }
    // The result of an edit shows the file, so it is judged as reading it.
    const isEdit = source === 'builtin' && (effect === 'mutating' || effect === 'destructive');
    const read = targets.map((target) => ({ ...target, access: 'read' as const }));
    const tool = isEdit ? READER : { name, effect, source };
    return decideByRules({ ...always, tool, name: tool.name, targets: isEdit ? read : targets, hosts });
  };
}
