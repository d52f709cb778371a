/** Builds a run with its tools, policy, model and limits, and the write gate for its changes. */

import { narrowLimits, narrowTools } from '../../agents/narrow.ts';
import { agentPrompt } from '../../agents/prompt.ts';
import { hasAgents } from '../../core/plan/plan.ts';
import { Meter, type SharedBudget } from '../../core/run/budget.ts';
import type { Conductor, RunPorts } from '../../core/run/ports.ts';
import { runLoop } from '../../core/run/run.ts';
import type { Tool } from '../../core/run/tool.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { RunAgent } from '../../core/session/shapes/run-agent.ts';
import { usedBy } from '../../core/session/usage-totals.ts';
import { systemPrompt } from '../../core/words/prompts.ts';
import type { IsDenied } from '../../mcp/types.ts';
import type { DocumentScope } from '../../tools/documents/access.ts';
import { type ExternalAccess, toolsFor } from '../../tools/index.ts';
import { withAgents } from '../../tools/plan/agent-steps.ts';
import { StepController } from '../../tools/plan/step-controller.ts';
import { skillTool } from '../../tools/skill.ts';
import { WriteGate } from '../../workspace/gate.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import type { FileSystem } from '../../workspace/types.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { contextOf } from '../context/run-context.ts';
import { hookPlaces } from '../facts/hook-places.ts';
import { runLimits } from '../limits.ts';
import { narrowed } from '../mentions/collections.ts';
import { isAllocated, windowOf } from '../models/context-window.ts';
import { pressureNotice, pressureOf, shrink } from '../models/memory-pressure.ts';
import type { AssistantPorts, DocumentsPort, Settings } from '../ports.ts';
import type { AskerPorts } from '../reading/asker.ts';
import { readCommand } from '../reading/command.ts';
import { SessionError } from '../session/session-error.ts';
import type { Children, Family } from './children/children.ts';
import { priceOf } from './cost.ts';
import { judgeFor, mcpDenialFor, withSessionRules } from './judge.ts';
import { checksFor, expectConfirmed } from './plan-run.ts';
import type { RunScope } from './run-scope.ts';

export { compactNow } from '../../core/run/context-room.ts';
export { contextOf, runLoop };

/** The write gate and the daily budget, which all runs of an assistant share. */
type Shared = { gate(): Promise<WriteGate>; share(): SharedBudget | undefined };

export async function buildRun(run: RunRecord, scope: RunScope, ports: AssistantPorts, { gate, share }: Shared): Promise<RunPorts> {
  await expectConfirmed(run);
  const { mode, agent } = run;
  const { above } = scope;
  const fs = ports.fileSystem();
  const { languages, settings, now = Date.now } = ports;
  const { state, emit, pace, answered, replied } = scope;
  const shown = await withIgnoreFiles(fs);
  const planned = run.plan ? run : above?.planned;
  const judged = judgeFor(run, scope, ports, {
    planned,
    hookPlaces: mode === 'agent' ? await hookPlaces(fs) : [],
    hooks: scope.hooks?.userCommands,
    tools: () => tools,
    hides: shown.hides,
  });
  const judge = scope.hooks ? (await import('./hooks.ts')).withHooks(judged, scope.hooks, () => ports.unattended?.() ?? false) : judged;
  const workspace = new Workspace(shown, judge.withheldFilter);
  const checks = checksFor(judge, languages);
  // This is the only place where a run receives write access: in Agent mode and in a workspace that the user trusts, and if its parent has it.
  const canWrite = mode === 'agent' && ports.trusted() && (above?.canWrite ?? true);
  const writeGate = canWrite ? await gate() : undefined;
  // A child run has no browser of its own.
  const browser = writeGate && !above && !run.applies ? await ports.browser?.() : undefined;
  const browse = browser && (await import('../../tools/network/browse.ts')).browseTool(browser);
  const revises = state.plans.get(run.revises ?? '')?.plan;
  const history = () => ({ messages: state.messages, events: scope.events, decideByRules: judge.decideByRules });
  const applied = run.applies && (await import('./apply-run.ts')).appliedRun(run, run.applies, ports, scope.sessionId);
  const found = applied ? undefined : above ? above.documents : await ports.documents?.(scope.sessionId);
  const documents = found && narrowed(found, run, state);
  const skills = applied ? [] : (scope.context?.skills ?? []);
  const children = applied
    ? undefined
    : await childrenOf(run, settings, () => ({
        ...{ run, scope, canWrite, loop: runLoop, limits: () => limits() },
        above: () => {
          const isNarrowed = above?.isNarrowed || agent !== undefined;
          return { meter, documents, tools: () => tools, isLeftOut, isNarrowed, canWrite, planned };
        },
        build: async (child, inner) => {
          const there = await portsFor(child, run, ports, scope.sessionId);
          return buildRun(child, inner, there, { gate: there === ports ? gate : async () => openGate(there.fileSystem(), there), share });
        },
        context: async (child, inner) => contextOf(child, inner, await portsFor(child, run, ports, scope.sessionId)),
        worktree: async () => (await import('../worktrees/child-worktree.ts')).childWorktree(run, scope, ports),
        agent: async (name) => (await import('../agents/agents.ts')).chooseAgent({ name }, { id: scope.sessionId, state }, ports),
      }));
  const agents =
    mode === 'plan' && !above ? await (await import('../agents/plan-agents.ts')).offeredAgents(run, revises, state, ports) : [];
  const planRun = { run, state };
  const steps = writeGate && run.plan ? new StepController(planRun, workspace, writeGate, checks) : undefined;
  const stepController = steps && children ? withAgents(steps, planRun, children.delegate) : steps;
  const own = applied
    ? applied.tools(workspace, writeGate)
    : writeGate
      ? toolsFor(
          workspace,
          { mode: 'agent', gate: writeGate, stepController, model: run.model, ...externalAccess(ports), browse },
          languages,
          history,
        )
      : toolsFor(
          workspace,
          mode === 'plan' ? { mode, newId: () => crypto.randomUUID(), revises, agents } : { mode: 'ask' },
          languages,
          history,
        );
  const extra = agent && !applied ? await toolsForAgent(agent, workspace, ports) : [];
  const all = [...own, ...extra, ...(skills.length > 0 ? [skillTool(skills)] : [])];
  const readable = documents && readableIn(documents, workspace);
  const read = readable ? await withDocuments(all, readable) : all;
  const available = children?.isOffered ? [...read, children.tool] : read;
  // A child run has at most the tools of its parent, and those that an agent adds if its parent has none. All of these only read.
  const isOffered = (tool: Tool) =>
    !above || applied !== undefined || above.tools().some(({ name }) => name === tool.name) || (!above.isNarrowed && extra.includes(tool));
  const offered = (some: readonly Tool[]) => narrowTools(agent, some.filter(isOffered));
  const builtin = offered(available);
  let tools = builtin;
  const join = (more: readonly Tool[]) => {
    tools = offered(withTools(tools, more));
  };
  const waits = state.open.some(({ name }) => !builtin.some((own) => own.name === name));
  const isDenied = mcpDenialFor(run, withSessionRules(ports, state));
  const isLeftOut: IsDenied = (server, tool) => above?.isLeftOut(server, tool) || isDenied(server, tool);
  if (!applied && !documents?.alone && ports.trusted()) join((await ports.mcp?.toolsFor(mode, isLeftOut, { join, waits })) ?? []);
  // The user confirmed the checks of a plan, so they do not depend on the tools of its agent.
  checks.runCommand = available.find(({ name, source }) => name === 'run_command' && source === 'builtin');
  const facts = ports.facts?.(run.model) ?? {};
  const tuning = settings.tuning?.(run.model);
  const price = applied ? () => 0 : priceOf(run.model, facts, now);
  const memory = await ports.memory?.(run.model);
  const window = windowOf(run.model, ports, memory);
  const level = pressureOf(memory, settings.pressure?.());
  const shrunk = pressureNotice(memory, level);
  const limits = () => shrink(narrowLimits(runLimits(settings, mode, state), agent?.limits), level);
  const format = applied || above ? undefined : ports.answerFormat;
  const adapter = applied?.adapter ?? (await ports.adapter(run.model));
  const windowPort = {
    size: window,
    answer: { set: tuning?.maxOutputTokens, possible: facts.maxOutput },
    learn: (tokens: number) => ports.windows?.learn(run.model, tokens),
  };
  const asked = { adapter, model: run.model, window: windowPort, state };
  const conductor = readable && !above && readCommand(run.prompt) && (await withReading(run, readable, asked));
  const used = () => usedBy(run, scope.state, now());
  const isPriced = price !== undefined;
  const meter = above
    ? above.meter.forChild({ max: () => agent?.limits ?? {}, used, isPriced })
    : new Meter(limits, used, run.from, share(), isPriced);
  // A run that was stopped during the wait has ended, so no event may follow in its log.
  if (shrunk && !above && !scope.aborted) emit({ type: 'limits_shrunk', limits: limits(), reason: shrunk });
  return {
    model: run.model,
    adapter: children?.withRetry(adapter) ?? adapter,
    blind: facts.vision === false,
    window: windowPort,
    ...(conductor && { conductor }),
    compactionAsked: () => scope.compactionAsked?.(),
    ...(price && { price }),
    get tools() {
      return tools;
    },
    meter,
    request: {
      system: [
        systemPrompt(
          mode,
          fs.folders.map(({ name }) => name),
        ),
        run.parent && `${CHILD_PROMPT} ${canWrite ? WRITTEN : FOUND}`,
        settings.instructions?.()?.trim(),
        agent && agentPrompt(agent),
      ]
        .filter(Boolean)
        .join('\n\n'),
      cacheKey: scope.sessionId,
      ...tuning,
      ...(agent?.temperature !== undefined && { temperature: agent.temperature }),
      ...(format && { answerSchema: format.schema }),
      // The server must allocate the same window that the run assumes.
      ...(isAllocated(run.model) && window !== undefined && { contextWindow: window }),
    },
    decide: applied?.decide(judge.decide) ?? judge.decide,
    ...(format && { answerProblem: format.problemWith }),
    ...(stepController && { closing: (context) => stepController.close(context) }),
    alike: judge.alike,
    ...(browser && { close: () => browser.close() }),
    ...(scope.context && { rulesFor: scope.context.rulesFor }),
    ...(scope.hooks && { afterCall: scope.hooks.afterTool.bind(scope.hooks) }),
    state,
    emit,
    pace,
    answered,
    replied,
    now,
  };
}

/** Returns the ports for a child run, which may work in a worktree of its own. */
async function portsFor({ worktree }: RunRecord, parent: RunRecord, ports: AssistantPorts, sessionId: string): Promise<AssistantPorts> {
  const isSame = worktree === undefined || worktree === parent.worktree;
  return isSame ? ports : (await import('../worktrees/ports-in.ts')).portsIn(ports, worktree, sessionId);
}

const CHILD_PROMPT =
  'You carry out one task for another assistant, which receives only your final answer, without your tool results. Make it complete and short:';
const FOUND = 'findings with places, and what you could not find.';
const WRITTEN = 'what you changed and checked, and what is left.';

/** How deep the runs of an agent that names the tool delegate, if the user has set nothing. */
const USUAL_DEPTH = 2;

/**
 * Returns the child runs of a run, if it may have any: the user turned that on, chose an agent that names the tool, or confirmed a plan whose steps
 * name agents.
 */
async function childrenOf({ parent, agent, plan }: RunRecord, settings: Settings, family: () => Family): Promise<Children | undefined> {
  const isNamed = agent?.source !== 'workspace' && agent?.tools?.some((name) => name === 'delegate' || name === 'agents');
  const depth = settings.delegation?.() || (isNamed ? USUAL_DEPTH : 0);
  const isOffered = (parent?.depth ?? 0) < depth;
  if (!isOffered && !(plan && hasAgents(plan))) return undefined;
  return new (await import('./children/children.ts')).Children(family(), isOffered);
}

/** Adds tools of MCP servers, which replace earlier tools of the same servers. They must not replace a tool of Kedge or of another server. */
function withTools(tools: readonly Tool[], more: readonly Tool[]): readonly Tool[] {
  const sources = new Set(more.map(({ source }) => source));
  const others = tools.filter(({ source }) => !sources.has(source));
  return [...others, ...more.filter(({ name }) => !others.some((other) => other.name === name))];
}

export function openGate(fs: FileSystem, { writer, blobs, format }: AssistantPorts): WriteGate {
  return new WriteGate(new Workspace(fs), writer(), blobs, format);
}

function externalAccess({ commands, fetcher, remembered }: AssistantPorts): ExternalAccess {
  return { commands: commands?.(), fetcher, memory: remembered };
}

/** These tools are not offered without an agent, so that other requests do not become longer. Agents of the workspace get nothing more. */
async function toolsForAgent({ source, tools }: RunAgent, workspace: Workspace, ports: AssistantPorts): Promise<Tool[]> {
  if (source === 'workspace' || !tools) return [];
  const { agentTools } = await import('../agents/agent-tools.ts');
  return agentTools(workspace, ports);
}

type Readable = DocumentsPort & DocumentScope;

/** The key of a document in the workspace is its path, and the key of a page is its address. */
function readableIn(documents: DocumentsPort, workspace: Workspace): Readable {
  const isWithheldPath = workspace.withheldPaths('documents_search');
  return { ...documents, isWithheld: (_, key) => !/^https?:\/\//.test(key) && isWithheldPath(key) };
}

/** The code of these tools is loaded only if there are collections. */
async function withDocuments(own: readonly Tool[], documents: Readable): Promise<Tool[]> {
  const { documentTools } = await import('../../tools/documents/index.ts');
  return [...own.filter(({ name }) => !documents.alone || name === 'ask_user' || name === 'recall'), ...(await documentTools(documents))];
}

/** The code is loaded only for a message that begins with `/read`. @throws SessionError for the offline model, which answers by rules */
async function withReading(run: RunRecord, documents: Readable, ports: AskerPorts): Promise<Conductor | undefined> {
  if (run.model.provider === 'offline')
    throw new SessionError(
      'The offline model cannot read whole documents. Choose another model, or ask about the documents without /read.',
    );
  return (await import('../reading/reading-run.ts')).readingRun(run, documents, ports);
}
