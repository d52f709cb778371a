/** Collects all facts that the policy needs for a call of a run, and returns the decision of the policy. */

import { allowsServer } from '../../agents/narrow.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { EarlierCall, Judgement, PreparedCall, Tool } from '../../core/run/tool.ts';
import type { Target } from '../../core/session/effects.ts';
import { grantsFor } from '../../core/session/grant-scope.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import type { IsDenied } from '../../mcp/types.ts';
import { decide } from '../../policy/decide.ts';
import { seemsPermitted } from '../../policy/grants.ts';
import type { PolicyInput } from '../../policy/policy-input.ts';
import { deniesMcp, inFolders, NO_RULES, sessionRules } from '../../policy/rules.ts';
import { deniedFilter, withheldFilter } from '../../policy/unreadable-files.ts';
import { scopeOfChild, withAnsweredQuestion, writeScope } from '../../tools/plan/plan-scope.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import type { Location } from '../../workspace/types.ts';
import type { WithheldFilter } from '../../workspace/workspace.ts';
import type { AssistantPorts, PolicySettings } from '../ports.ts';
import { earlierCallJudge, hiddenPaths, type LookedUp, lookUp, READER } from './command-facts.ts';
import { confirmsCommand, explained } from './plan-run.ts';
import { seenIn } from './seen.ts';

export type Judge = Required<Pick<RunPorts, 'decide' | 'alike'>> & {
  /** Creates a filter for the files that the model may read only with an approval. */
  withheldFilter: WithheldFilter;
  /** Applies the current rules to an earlier call whose result is to be read again. Returns undefined if the result may be read. */
  decideByRules(call: EarlierCall): Promise<Judgement | undefined>;
};

type Session = { readonly state: SessionState; readonly events: EventList };
type Ports = Pick<
  AssistantPorts,
  'fileSystem' | 'policy' | 'grants' | 'trusted' | 'shellParsers' | 'gitSettings' | 'unattended' | 'commands'
>;
/** `hides` returns true if .kedgeignore excludes a file. `planned` is the run whose plan says what this run may change. */
type Place = {
  planned?: RunRecord | undefined;
  hookPlaces: readonly string[];
  /** The commands of the user's own hooks. */
  hooks?: readonly string[] | undefined;
  tools(): readonly Tool[];
  hides?: ((at: Location) => boolean) | undefined;
};

/** Returns a filter for the files that may only be read after an approval. */
export function withheldFilterOf(ports: Pick<Ports, 'policy' | 'fileSystem'>): WithheldFilter {
  const aliases = aliasesIn(ports.fileSystem().folders);
  return (call) => withheldFilter(policySettings(ports).rules, call, aliases);
}

/** Returns a function that returns true for files that no model may read, regardless of approvals. */
export function deniedFilterOf(ports: Pick<Ports, 'policy' | 'fileSystem'>): (path: string) => boolean {
  return deniedFilter(policySettings(ports).rules, aliasesIn(ports.fileSystem().folders));
}

/** Returns a function that returns true for MCP servers, and for their tools, that no model may use, regardless of approvals. */
export function mcpDenialOf(ports: Pick<Ports, 'policy' | 'fileSystem'>): IsDenied {
  return (server, tool) => deniesMcp(policySettings(ports).rules, server, tool);
}

/** Returns the same for a run, whose agent may have fewer servers and tools. A server that it does not have is not started. */
export function mcpDenialFor({ agent }: Pick<RunRecord, 'agent'>, ports: Pick<Ports, 'policy' | 'fileSystem'>): IsDenied {
  const isDenied = mcpDenialOf(ports);
  return (server, tool) => isDenied(server, tool) || (agent !== undefined && !allowsServer(agent, server, tool));
}

/** Returns the ports with the current rules that the user has set in the session. */
export function withSessionRules<Given extends Pick<Ports, 'policy'>>(ports: Given, state: Pick<SessionState, 'rules'>): Given {
  const policy = () => {
    const set: PolicySettings = ports.policy?.() ?? NO_RULES;
    return { ...set, rules: [...sessionRules(state.rules), ...set.rules] };
  };
  return { ...ports, policy };
}

export function judgeFor(run: RunRecord, session: Session, ports: Ports, { planned, hookPlaces, hooks = [], tools, hides }: Place): Judge {
  const ruled = withSessionRules(ports, session.state);
  const settings = () => policySettings(ruled);
  const isHidden = hiddenPaths(ports, hides);
  const judgeEarlier = earlierCallJudge(ports, { settings, hides });
  const aliases = aliasesIn(ports.fileSystem().folders);
  const seen = seenIn(session.events, aliases.places);
  const always = () => ({ mode: run.mode, trusted: ports.trusted(), hookPlaces, aliases, unattended: ports.unattended?.() ?? false });
  return {
    async decide(call, tool, prepared) {
      const { rules, readOnlyCommands = false } = settings();
      // The files are judged in the order in which they are read, because the content of a file may determine which files are read next.
      const files = filesRead(prepared)
        .map((target) => decide({ ...always(), tool: READER, name: READER.name, targets: [target], rules }))
        .find(({ kind }) => kind !== 'allow');
      if (files?.kind === 'deny') return files;
      const repeated = (await Promise.all((prepared?.repeats ?? []).map(judgeEarlier))).filter((each) => each !== undefined);
      const reading = repeated.find(({ kind }) => kind === 'deny') ?? files ?? repeated[0];
      if (reading?.kind === 'deny') return reading;
      const command = prepared?.command;
      const commands = command && (await import('../../policy/command.ts'));
      const parser = command && (await ports.shellParsers?.(command.shell));
      const written = (prepared?.targets ?? []).flatMap(({ path, access }) => (access === 'read' ? [] : [path]));
      const fs = ports.fileSystem();
      const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => name) : ['.'];
      const isBelow = command !== undefined && !tops.includes(command.cwd);
      const grants = [...grantsFor(grantsIn(run, session.state), run.runId, call.id), ...ports.grants.list()];
      const own = ownFiles(session.state, run.runId, prepared);
      const steers =
        written.length > 0 &&
        (await (await import('../facts/steering-files.ts')).steering({ rules, grants, plan: planned?.plan, own, written, hooks, fs }));
      // The confirmation of a plan does not cover code that the model wrote after it.
      const isCheck = command !== undefined && confirmsCommand(run.plan, command, tops[0]);
      const code = isCheck ? await (await import('../facts/steering-files.ts')).changedCode(command.text, session.state, run, fs) : [];
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
            isConfirmed: isCheck && code.length === 0,
            hides: isHidden,
            ...known,
          }),
        rules,
        grants,
        planScope:
          planned?.plan &&
          (planned === run ? writeScope(withAnsweredQuestion(run, call.id, session.state), written) : scopeOfChild(planned)),
        ownFiles: own,
        ...(steers && { steers }),
        // The conversation is searched only for calls that can send data, because a session may be long.
        seen: prepared?.hosts?.length || tool?.source !== 'builtin' ? seen() : undefined,
      });
      let judged = decide(input());
      // The disk is examined only if the command would run or the user could grant a permission for it.
      if (command && commands && (judged.kind === 'allow' || judged.covers?.length || judged.rule === 'command-elsewhere')) {
        judged = decide(input(await lookUp(command, parser, ports, { settings, hides })));
      }
      if (reading?.kind === 'ask' && judged.kind !== 'deny' && (judged.kind === 'allow' || judged.covers)) return reading;
      // The reason must also mention files that this run changed and that determine what the command does.
      if (command && judged.kind === 'ask')
        judged = withChangedFiles(judged, (await import('../facts/steering-files.ts')).changedBefore(session.state, run.runId, code));
      return explained(judged, planned ?? run, prepared);
    },
    alike(covers, call) {
      // Without the paths of a call, it is unknown whether the plan includes it.
      if ('beyondPlan' in covers) return false;
      const tool = tools().find(({ name }) => name === call.name);
      return tool !== undefined && seemsPermitted(covers, tool, call.input);
    },
    withheldFilter: (call) => withheldFilter(settings().rules, call, aliases),
    decideByRules: judgeEarlier,
  };
}

/** Nobody has seen what a child run changed in a worktree, so a permission that was given elsewhere does not count for commands there. */
function grantsIn({ runId, parent, worktree }: RunRecord, { grants }: SessionState): SessionState['grants'] {
  return parent && worktree !== undefined ? grants.filter((grant) => grant.runId === runId || grant.covers.kind !== 'command') : grants;
}

/** Adds the run's earlier changes to the reasons. `changed` is a sentence, or empty. */
function withChangedFiles(judged: Judgement, changed: string): Judgement {
  if (changed === '') return judged;
  const { rule, reason, reasons } = judged;
  return { ...judged, reason: reason + changed, ...(reasons && { reasons: [...reasons, { rule, reason: changed.trim() }] }) };
}

/** Returns the user's current policy settings. Their rules apply to the paths of the open folders. */
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

/** Returns the files in the changes of the call that this run created and that were not changed by others since then. */
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
