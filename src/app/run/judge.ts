/** Collects all facts that the policy needs for a call of a run, and returns the decision of the policy. */

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
  /** Tells which files the model may read only after an approval. */
  withheldFilter: WithheldFilter;
};

/** If a call returns the content of a file, the policy checks that file as if it were read with `read_file`. */
const READER = { name: 'read_file', effect: 'readonly', source: 'builtin' } as const;

type Session = { readonly state: SessionState; readonly view: SessionView };
type Ports = Pick<AssistantPorts, 'fileSystem' | 'policy' | 'grants' | 'trusted' | 'shellParsers' | 'gitSettings' | 'unattended'>;
/** `hides` tells whether a file is excluded by .kedgeignore. */
type Place = { hookPlaces: readonly string[]; tools(): readonly Tool[]; hides?: ((at: Location) => boolean) | undefined };

/** Facts about a command that were looked up on disk. */
type LookedUp = Pick<CommandOptions, 'reach' | 'code' | 'gitSettings'>;

/** Tells which files may only be read after an approval. */
export function withheldFilterOf(ports: Pick<Ports, 'policy' | 'fileSystem'>): WithheldFilter {
  const aliases = aliasesIn(ports.fileSystem().folders);
  return (call) => withheldFilter(policySettings(ports).rules, call, aliases);
}

export function judgeFor(run: RunRecord, session: Session, ports: Ports, { hookPlaces, tools, hides }: Place): Judge {
  const settings = () => policySettings(ports);
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
      // The files are judged in the order in which they are read, because the content of a file may determine which files are read next.
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
        // The conversation is searched only for calls that can send data, because a session may be long.
        seen: prepared?.hosts?.length || tool?.source !== 'builtin' ? seenIn(session.view, aliases.places) : undefined,
      });
      let judged = decide(input());
      // The disk is examined only if the command would run or the user could grant a permission for it.
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
      // The reason must also say whether this run changed files that decide what the command does.
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
    withheldFilter: withheldFilterOf(ports),
  };
}

/** Returns the current policy settings of the user. Their rules apply to the paths of the open folders. */
export function policySettings(ports: Pick<AssistantPorts, 'policy' | 'fileSystem'>): PolicySettings {
  const set: PolicySettings = ports.policy?.() ?? NO_RULES;
  const folders = ports.fileSystem().folders.map(({ name }) => name);
  return { ...set, rules: inFolders(set.rules, folders) };
}

/** Returns the files whose content the call returns, and the files that were read to prepare the call. */
function filesRead({ targets, readToPrepare = [] }: Partial<PreparedCall> = {}): Target[] {
  const told = targets?.filter(({ path, access, names }) => access === 'read' && !names && path !== '.') ?? [];
  return [...told, ...readToPrepare.map((path) => ({ path, access: 'read' as const }))];
}

/** Returns the files in the changes of the call that this run created and that nobody else has changed since. */
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

/** Determines whether the conversation contains secrets or content from other programs and hosts. Both matter when the model sends data. */
function seenIn({ runs }: SessionView, places: (path: string) => readonly string[]): NonNullable<PolicyInput['seen']> {
  const mentions = runs.flatMap(({ mentions = [], said }) => [...mentions, ...said.flatMap((each) => each.mentions ?? [])]);
  let secret = mentions.some(({ secret }) => secret);
  let strangers = mentions.some(({ kind }) => kind === 'url');
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
