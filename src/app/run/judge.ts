/** Puts the policy's question for each call of a run: everything that counts besides the call itself is gathered here. */

import type { RunPorts } from '../../core/run/ports.ts';
import type { PreparedCall, Tool } from '../../core/run/tool.ts';
import type { Target } from '../../core/session/effects.ts';
import { grantsFor } from '../../core/session/grant-scope.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { callsIn } from '../../core/view/run-view.ts';
import type { SessionView } from '../../core/view/session-view.ts';
import type { CommandOptions } from '../../policy/command.ts';
import { decide } from '../../policy/decide.ts';
import { seemsPermitted } from '../../policy/grants.ts';
import type { PolicyInput } from '../../policy/policy-input.ts';
import { inFolders, NO_RULES, touchesAny } from '../../policy/rules.ts';
import { isSecret } from '../../policy/secrets.ts';
import { withheldFilter } from '../../policy/unreadable-files.ts';
import { withAnsweredQuestion, writeScope } from '../../tools/plan/plan-scope.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import type { WithheldFilter } from '../../workspace/workspace.ts';
import { findReachedPaths } from '../facts/command-paths.ts';
import type { AssistantPorts, PolicySettings } from '../ports.ts';
import { explained } from './plan-run.ts';

export type Judge = Required<Pick<RunPorts, 'decide' | 'alike'>> & {
  /** Tells which files need an approval to be read. */
  withheldFilter: WithheldFilter;
};

/** Every call that tells what is in a file is judged as reading it. */
const READER = { name: 'read_file', effect: 'readonly', source: 'builtin' } as const;

type Session = { readonly state: SessionState; readonly view: SessionView };
type Ports = Pick<AssistantPorts, 'fileSystem' | 'policy' | 'grants' | 'trusted' | 'shellParsers' | 'gitSettings' | 'unattended'>;
/** `hides`: what `.kedgeignore` keeps from models. */
type Place = { hookPlaces: readonly string[]; tools(): readonly Tool[]; hides?: ((at: Location) => boolean) | undefined };

/** Facts about a command that were looked up on disk. */
type LookedUp = Pick<CommandOptions, 'reach' | 'code' | 'gitSettings'>;

export function judgeFor(run: RunRecord, session: Session, ports: Ports, { hookPlaces, tools, hides }: Place): Judge {
  const settings = (): PolicySettings => {
    const set: PolicySettings = ports.policy?.() ?? NO_RULES;
    const folders = ports.fileSystem().folders.map(({ name }) => name);
    return { ...set, rules: inFolders(set.rules, folders) };
  };
  const isHidden = (path: string): boolean => {
    try {
      return hides?.(parsePath(path, ports.fileSystem().folders)) ?? false;
    } catch {
      return false;
    }
  };
  const aliases = aliasesIn(ports.fileSystem().folders);
  const settingsAt = async (cwd: string) => (await ports.gitSettings?.(parsePath(cwd, ports.fileSystem().folders))) ?? 'unknown';
  const always = () => ({ mode: run.mode, trusted: ports.trusted(), hookPlaces, aliases, unattended: ports.unattended?.() ?? false });
  return {
    async decide(call, tool, prepared) {
      const { rules, readOnlyCommands = false } = settings();
      // In the order of reading: which files come after the first may depend on its content.
      const reading = filesRead(prepared)
        .map((target) => decide({ ...always(), tool: READER, name: READER.name, targets: [target], rules }))
        .find(({ kind }) => kind !== 'allow');
      if (reading?.kind === 'deny') return reading;
      const command = prepared?.command;
      const commands = command && (await import('../../policy/command.ts'));
      const parser = command && (await ports.shellParsers?.(command.shell));
      const written = (prepared?.targets ?? []).flatMap(({ path, access }) => (access === 'read' ? [] : [path]));
      const fs = ports.fileSystem();
      const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
      const isBelow = command !== undefined && !tops.includes(command.cwd);
      const grants = [...grantsFor(session.state.grants, run.runId, call.id), ...ports.grants.list()];
      const own = ownFiles(session.state, run.runId, prepared);
      const steers =
        written.length > 0 &&
        (await (await import('../facts/steering-files.ts')).steering({ rules, grants, plan: run.plan, own, written, fs }));
      const input = (known?: LookedUp): PolicyInput => ({
        ...always(),
        tool,
        name: call.name,
        targets: prepared?.targets ?? [],
        hosts: prepared?.hosts,
        privateHost: prepared?.privateHost,
        command:
          command &&
          commands?.createCommandJudge(command, parser, {
            hookPlaces,
            aliases,
            readOnlyCommands,
            isBelow,
            tops,
            hides: isHidden,
            ...known,
          }),
        rules,
        grants,
        planScope: run.plan && writeScope(withAnsweredQuestion(run, call.id, session.state), written),
        ownFiles: own,
        ...(steers && { steers }),
        // Long sessions are looked through only where it matters.
        seen: prepared?.hosts?.length || tool?.source !== 'builtin' ? seenIn(session.view, aliases.places) : undefined,
      });
      let judged = decide(input());
      // What a command reaches is looked up only where it would run, or its kind could be granted.
      if (command && commands && (judged.kind === 'allow' || judged.covers?.length || judged.rule === 'command-elsewhere')) {
        const isRuled = touchesAny(rules.flatMap(({ path, effect }) => (path !== undefined && effect !== 'allow' ? [path] : [])));
        const matters = (path: string, byRules: boolean) =>
          (!byRules && aliases.places(path).some(isSecret)) || isHidden(path) || aliases.names(path).some(isRuled);
        const named = commands.factsOfCommand(command, parser);
        const { codePlaces } = await import('../facts/code-places.ts');
        const [reach, code, gitSettings] = await Promise.all([
          findReachedPaths(named, command.cwd, fs, matters),
          codePlaces(named, command.cwd, fs),
          named.runsGit && ports.gitSettings ? settingsAt(command.cwd) : undefined,
        ]);
        judged = decide(input({ reach, code, gitSettings }));
      }
      if (reading?.kind === 'ask' && judged.kind !== 'deny' && (judged.kind === 'allow' || judged.covers)) return reading;
      // The user ought to know that the command no longer runs the code that it ran before.
      if (command && judged.kind === 'ask')
        judged = {
          ...judged,
          reason: judged.reason + (await import('../facts/steering-files.ts')).changedBefore(session.state, run.runId),
        };
      return explained(judged, run, prepared);
    },
    alike(covers, call) {
      const tool = tools().find(({ name }) => name === call.name);
      return tool !== undefined && seemsPermitted(covers, tool, call.input);
    },
    withheldFilter: (call) => withheldFilter(settings().rules, call, aliases),
  };
}

/** Files whose content the call returns, or was prepared from. */
function filesRead({ targets, readToPrepare = [] }: Partial<PreparedCall> = {}): Target[] {
  const told = targets?.filter(({ path, access, names }) => access === 'read' && !names && path !== '.') ?? [];
  return [...told, ...readToPrepare.map((path) => ({ path, access: 'read' as const }))];
}

/** What the run itself made, as far as the call finds it the way the run left it. */
export function ownFiles({ staged }: Pick<SessionState, 'staged'>, runId: string, prepared: PreparedCall | undefined): Set<string> {
  const left = new Map<string, string | undefined>();
  const own = new Set<string>();
  for (const { runId: of, change } of staged) {
    if (of !== runId) continue;
    const isFirst = !left.has(change.path);
    if (isFirst && (change.kind === 'create' || (change.kind === 'move' && change.from !== undefined && own.has(change.from))))
      own.add(change.path);
    left.set(change.path, change.after);
  }
  const found = new Map(prepared?.changes?.map(({ path, before }) => [path, before]));
  return new Set([...own].filter((path) => found.has(path) && found.get(path) === left.get(path)));
}

/** What came into the conversation that makes it matter where the model sends something. */
function seenIn({ runs }: SessionView, places: (path: string) => readonly string[]): NonNullable<PolicyInput['seen']> {
  let [secret, strangers] = [false, false];
  for (const { asked, begun, targets, command, source, hosts } of runs.flatMap(callsIn)) {
    // Only the approval request records which paths a glob or link expanded to.
    secret ||= asked.some(({ request, answer }) => answer?.approve && request.secret);
    if (!begun) continue;
    secret ||= targets.some(({ path, access }) => access === 'read' && places(path).some(isSecret));
    secret ||= command?.split(/[\s'"`;|&<>()=:@\\]+/).some((word) => word !== '' && isSecret(word)) ?? false;
    strangers ||= source !== undefined || (hosts?.length ?? 0) > 0;
  }
  return { secret, strangers };
}
