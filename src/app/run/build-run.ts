/** Builds a run with its tools, policy, model and limits, and the write gate for its changes. */

import { narrowLimits, narrowTools } from '../../agents/narrow.ts';
import { agentPrompt } from '../../agents/prompt.ts';
import { Meter, type SharedBudget } from '../../core/run/budget.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Tool } from '../../core/run/tool.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { RunAgent } from '../../core/session/shapes/run-agent.ts';
import { usedBy } from '../../core/session/usage-totals.ts';
import { systemPrompt } from '../../core/words/prompts.ts';
import { type ExternalAccess, toolsFor } from '../../tools/index.ts';
import { StepController } from '../../tools/plan/step-controller.ts';
import { WriteGate } from '../../workspace/gate.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import type { FileSystem } from '../../workspace/types.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { hookPlaces } from '../facts/hook-places.ts';
import { runLimits } from '../limits.ts';
import { narrowed } from '../mentions/collections.ts';
import { isAllocated, windowOf } from '../models/context-window.ts';
import { pressureNotice, pressureOf, shrink } from '../models/memory-pressure.ts';
import type { AssistantPorts, DocumentsPort } from '../ports.ts';
import { priceOf } from './cost.ts';
import { judgeFor, mcpDenialFor, withSessionRules } from './judge.ts';
import { checksFor, expectConfirmed } from './plan-run.ts';
import type { RunScope } from './run-scope.ts';

export { compactNow } from '../../core/run/context-room.ts';
export { runLoop } from '../../core/run/run.ts';
export { contextOf } from '../context/run-context.ts';

/** The write gate and the daily budget, which all runs of an assistant share. */
type Shared = { gate(): Promise<WriteGate>; share(): SharedBudget | undefined };

export async function buildRun(run: RunRecord, scope: RunScope, ports: AssistantPorts, { gate, share }: Shared): Promise<RunPorts> {
  await expectConfirmed(run);
  const { mode, agent } = run;
  const fs = ports.fileSystem();
  const { languages, settings, now = Date.now } = ports;
  const { state, emit, pace, answered, replied } = scope;
  const shown = await withIgnoreFiles(fs);
  const judge = judgeFor(run, scope, ports, {
    hookPlaces: mode === 'agent' ? await hookPlaces(fs) : [],
    tools: () => tools,
    hides: shown.hides,
  });
  const workspace = new Workspace(shown, judge.withheldFilter);
  const checks = checksFor(judge, languages);
  // This is the only place where a run receives write access: in Agent mode and in a workspace that the user trusts.
  const writeGate = mode === 'agent' && ports.trusted() ? await gate() : undefined;
  const stepController = writeGate && run.plan ? new StepController({ run, state }, workspace, writeGate, checks) : undefined;
  const revises = state.plans.get(run.revises ?? '')?.plan;
  const history = () => ({ messages: state.messages, events: scope.events, decideByRules: judge.decideByRules });
  const applied = run.applies && (await import('./apply-run.ts')).appliedRun(run, run.applies);
  const documents = applied ? undefined : await ports.documents?.(scope.sessionId);
  const own = applied
    ? applied.tools(workspace, writeGate)
    : writeGate
      ? toolsFor(
          workspace,
          { mode: 'agent', gate: writeGate, stepController, model: run.model, ...externalAccess(ports) },
          languages,
          history,
        )
      : toolsFor(workspace, mode === 'plan' ? { mode, newId: () => crypto.randomUUID(), revises } : { mode: 'ask' }, languages, history);
  const all = agent && !applied ? [...own, ...(await toolsForAgent(agent, workspace, ports))] : own;
  const available = documents ? await withDocuments(all, narrowed(documents, run, state), workspace) : all;
  const builtin = narrowTools(agent, available);
  let tools: readonly Tool[] = builtin;
  const join = (more: readonly Tool[]) => {
    tools = narrowTools(agent, withTools(tools, more));
  };
  const waits = state.open.some(({ name }) => !builtin.some((own) => own.name === name));
  if (!applied && !documents?.alone && ports.trusted()) {
    join((await ports.mcp?.toolsFor(mode, mcpDenialFor(run, withSessionRules(ports, state)), { join, waits })) ?? []);
  }
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
  const format = applied ? undefined : ports.answerFormat;
  const adapter = applied?.adapter ?? (await ports.adapter(run.model));
  // A run that was stopped during the wait has ended, so no event may follow in its log.
  if (shrunk && !scope.aborted) emit({ type: 'limits_shrunk', limits: limits(), reason: shrunk });
  return {
    model: run.model,
    adapter,
    blind: facts.vision === false,
    window: {
      size: window,
      answer: { set: tuning?.maxOutputTokens, possible: facts.maxOutput },
      learn: (tokens) => ports.windows?.learn(run.model, tokens),
    },
    compactionAsked: () => scope.compactionAsked?.(),
    ...(price && { price }),
    get tools() {
      return tools;
    },
    meter: new Meter(limits, () => usedBy(run, scope.state, now()), run.from, share(), price !== undefined),
    request: {
      system: [
        systemPrompt(
          mode,
          fs.folders.map(({ name }) => name),
        ),
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
    ...(scope.context && { rulesFor: scope.context.rulesFor }),
    state,
    emit,
    pace,
    answered,
    replied,
    now,
  };
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

/** The code of these tools is loaded only if there are collections. */
async function withDocuments(own: readonly Tool[], documents: DocumentsPort, workspace: Workspace): Promise<Tool[]> {
  // The key of a document in the workspace is its path, and the key of a page is its address.
  const isWithheldPath = workspace.withheldPaths('documents_search');
  const { documentTools } = await import('../../tools/documents/index.ts');
  const tools = await documentTools({ ...documents, isWithheld: (_, key) => !/^https?:\/\//.test(key) && isWithheldPath(key) });
  return [...own.filter(({ name }) => !documents.alone || name === 'ask_user' || name === 'recall'), ...tools];
}
