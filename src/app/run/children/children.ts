/**
 * The child runs of a run. They have a conversation of their own in the log of the session, at most the mode and the tools of their parent, and
 * spend from what is left of its budget.
 */

import { lowerMode, narrowLimits } from '../../../agents/narrow.ts';
import { abortable, wasStopped } from '../../../core/abort.ts';
import type { ModelAdapter } from '../../../core/model/model.ts';
import type { RunPorts } from '../../../core/run/ports.ts';
import { runError } from '../../../core/run/run-error.ts';
import { CallHalted, type Tool, ToolError, type ToolOutput } from '../../../core/run/tool.ts';
import { childRunId, type RunParent } from '../../../core/session/children/child-ids.ts';
import { applierOf, childOf, isElsewhere } from '../../../core/session/children/child-state.ts';
import type { EventBody } from '../../../core/session/events.ts';
import { type RunLimits, type Use, usedOf } from '../../../core/session/limits.ts';
import type { RunRecord, SessionState } from '../../../core/session/session-state.ts';
import { totalsOf } from '../../../core/session/usage-totals.ts';
import { childName } from '../../../core/words/child-name.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { type Delegate, delegateTool, type Task } from '../../../tools/delegate.ts';
import type { ChosenAgent } from '../../agents/agents.ts';
import type { RunContext } from '../../context/run-context.ts';
import { APPLIES, applyPrompt } from '../../session/last-run.ts';
import { SessionError } from '../../session/session-error.ts';
import type { ChildWorktree } from '../../worktrees/child-worktree.ts';
import type { Above, RunScope } from '../run-scope.ts';
import { type Applied, answerOf, lastText } from './child-answer.ts';

/** The parent run, and the functions that build and execute a run. */
export type Family = {
  run: RunRecord;
  scope: RunScope;
  /** Whether the parent has the write gate. Without it, its children only read. */
  canWrite: boolean;
  /** The parent as its children see it, which is complete when they begin. */
  above(): Above;
  limits(): RunLimits;
  build(run: RunRecord, scope: RunScope): Promise<RunPorts>;
  loop(ports: RunPorts, signal: AbortSignal): Promise<void>;
  /** @throws SessionError if there is no such agent, or the user does not accept it */
  agent(name: string): Promise<ChosenAgent | undefined>;
  context(run: RunRecord, scope: Pick<RunScope, 'state' | 'sessionId'>): Promise<RunContext>;
  /** @throws ToolError if no child can have a worktree */
  worktree(): Promise<ChildWorktree>;
};

type Call = Parameters<Delegate>[1];

export class Children {
  readonly #family: Family;
  readonly #adapters = new Set<ModelAdapter>();
  /** Ends when no other child applies its changes. */
  #applied: Promise<unknown> = Promise.resolve();

  /** Whether the model may give tasks to children. Without it, only the steps of a plan have them. */
  readonly isOffered: boolean;

  constructor(family: Family, isOffered: boolean) {
    this.#family = family;
    this.isOffered = isOffered;
  }

  /** The tool with which the model of the parent starts children. */
  get tool(): Tool {
    return delegateTool(this.delegate, this.#family.canWrite);
  }

  /** Returns an adapter that also makes the children send their requests again now. */
  withRetry(own: ModelAdapter): ModelAdapter {
    const retryNow = () => {
      for (const adapter of [own, ...this.#adapters]) adapter.retryNow?.();
    };
    const { isFree, silenceMs } = own;
    const facts = { ...(isFree !== undefined && { isFree }), ...(silenceMs !== undefined && { silenceMs }) };
    return { ...facts, stream: (request, signal) => own.stream(request, signal), retryNow };
  }

  /** Starts a child run, or goes on with the one that the call has started before. @throws CallHalted if it has paused */
  readonly delegate: Delegate = async (task, call) => {
    const { scope: parent } = this.#family;
    const state = childOf(parent.state, call.callId) ?? (await this.#begin(task, call));
    const { runId, status } = state.lastRun as RunRecord;
    if (status !== 'finished') await this.#drive(runId, state, call);
    const tree = isElsewhere(parent.state, runId) ? await this.#family.worktree() : undefined;
    const run = state.lastRun as RunRecord;
    if (!tree || !run.worktree) {
      call.signal.throwIfAborted();
      return this.#outcome(run, state);
    }
    // After a stop, the changes of a child are dropped. When the window closes, no end is logged, and the run can go on with them.
    if (call.signal.aborted && run.outcome === 'stopped') await tree.remove(run.worktree).catch(() => undefined);
    call.signal.throwIfAborted();
    this.#expectEnded(run, state);
    const applied = this.#applied.then(() => this.#apply(run, tree, call));
    this.#applied = applied.catch(() => undefined);
    const { isDecided, ...result } = await applied;
    // A worktree that cannot be deleted now is deleted before the next one is created.
    const kept = isDecided ? void (await tree.remove(run.worktree).catch(() => undefined)) : await tree.close(run.worktree, call.signal);
    return answerOf(run, state, parent.events, kept === undefined ? result : { ...result, text: `${result.text} ${kept}` });
  };

  /** Lets the user review what a child changed in its worktree, and applies what they approve. One child at a time, because each changes files. */
  async #apply(
    { runId, worktree = '', prompt, agent }: RunRecord,
    tree: ChildWorktree,
    call: Call,
  ): Promise<Applied & { isDecided: boolean }> {
    call.signal.throwIfAborted();
    const { scope, run, limits } = this.#family;
    let state = applierOf(scope.state, call.callId);
    if (!state) {
      const found = await tree.changes(worktree, call.signal).catch((error: Error) => error);
      call.signal.throwIfAborted();
      if (found instanceof Error) return { text: `Its changes were not applied. ${found.message}`, isDecided: false };
      if (found.changes.length + found.skipped.length === 0) return { text: 'It changed no files.', isDecided: true };
      const applies = { worktree };
      const given = {
        prompt: applyPrompt(applies),
        model: APPLIES,
        limits: leftOf(limits(), run.used),
        parent: this.#parentOf(call.callId),
      };
      scope.child(this.#newId()).emit({ type: 'run_started', mode: 'agent', applies, ...given });
      state = applierOf(scope.state, call.callId) as SessionState;
    }
    const applier = () => state.lastRun as RunRecord;
    if (applier().status !== 'finished') await this.#drive(applier().runId, state, call, childName(runId, prompt, agent?.name));
    if (call.signal.aborted && applier().status === 'finished') await tree.remove(worktree).catch(() => undefined);
    call.signal.throwIfAborted();
    this.#expectEnded(applier(), state);
    const finished = scope.events.ofType('tool_finished', applier().runId).at(-1);
    const answer = scope.events.ofType('approval_resolved', applier().runId).at(-1)?.answer;
    return { text: lastText(state), state, isDecided: finished?.result.isError !== true || answer?.approve === false };
  }

  async #begin({ task, agent: name, write }: Task, { callId, signal }: Call): Promise<SessionState> {
    const { run, scope, limits, canWrite } = this.#family;
    const chosen = await this.#agent(name);
    const agent = chosen?.agent;
    const mode = canWrite && write ? 'agent' : 'ask';
    if (agent && lowerMode(mode, agent.mode) !== mode)
      throw new ToolError(`The agent ${agent.name} cannot write. Delegate the task without \`write\`, or to another agent.`);
    const own = mode === 'agent' && write === 'worktree' ? await (await this.#family.worktree()).create(signal) : undefined;
    signal.throwIfAborted();
    const worktree = own ?? (mode === 'agent' ? run.worktree : undefined);
    const model = chosen?.modelOf(run.model) ?? run.model;
    const left = narrowLimits(leftOf(limits(), run.used), agent?.limits);
    const ties = { parent: this.#parentOf(callId), ...(worktree !== undefined && { worktree }), ...(agent && { agent }) };
    scope.child(this.#newId()).emit({ type: 'run_started', mode, prompt: task, model, limits: left, ...ties });
    return childOf(scope.state, callId) as SessionState;
  }

  #parentOf(callId: string): RunParent {
    const { runId, parent } = this.#family.run;
    return { runId, callId, depth: (parent?.depth ?? 0) + 1 };
  }

  #newId(): string {
    const { run, scope } = this.#family;
    const { children = 0 } = scope.state.runs.get(run.runId) ?? run;
    return childRunId(run.runId, children + 1);
  }

  async #agent(name: string | undefined): Promise<ChosenAgent | undefined> {
    try {
      return name ? await this.#family.agent(name) : undefined;
    } catch (error) {
      throw error instanceof SessionError ? new ToolError(error.message) : error;
    }
  }

  async #drive(runId: string, state: SessionState, { signal, progress }: Call, shown?: string): Promise<void> {
    const { scope: parent, build, loop, context, above } = this.#family;
    const own = parent.child(runId);
    const name = shown ?? childName(runId, state.lastRun?.prompt ?? '', state.lastRun?.agent?.name);
    const emit = (event: EventBody) => {
      if (event.type === 'tool_started') progress(`${visibleLine(event.title)}\n`);
      own.emit(named(event, name));
    };
    const run = () => state.lastRun as RunRecord;
    const scope = { ...own, state, emit, above: above(), context: undefined as RunContext | undefined };
    let adapter: ModelAdapter | undefined;
    try {
      if (state.messages.length > 0 || run().status === 'paused') emit({ type: 'run_resumed' });
      if (!run().applies) scope.context = await abortable(context(run(), scope), signal).catch(() => undefined);
      const opening: EventBody = { type: 'message_added', message: { role: 'user', content: [{ type: 'text', text: run().prompt }] } };
      if (!run().hasOpening) emit(scope.context?.added(opening) ?? opening);
      const ports = await abortable(build(run(), scope), signal);
      adapter = ports.adapter;
      this.#adapters.add(adapter);
      await loop(ports, signal);
    } catch (error) {
      if (run().status === 'finished') throw error;
      const how = wasStopped(signal) ? { outcome: 'stopped' as const } : { outcome: 'failed' as const, error: runError(error) };
      emit({ type: 'run_finished', ...how, ...totalsOf(run(), state, scope.now()) });
    } finally {
      if (adapter) this.#adapters.delete(adapter);
    }
  }

  #outcome(run: RunRecord, state: SessionState): ToolOutput {
    this.#expectEnded(run, state);
    return answerOf(run, state, this.#family.scope.events);
  }

  /** @throws CallHalted if the child has paused, and its parent has to pause, too */
  #expectEnded(run: RunRecord, state: SessionState): void {
    const { scope } = this.#family;
    if (run.status === 'paused') {
      if (run.pause === 'user') throw new CallHalted({ reason: 'user' });
      // A limit of its own agent ends a child. Every other limit belongs to its parent or to the day, so the parent pauses, too.
      const own = run.reached && run.agent?.limits?.[run.reached.limit as keyof RunLimits];
      const isOwn = run.reached && own !== undefined && usedOf(run.reached.limit, run.used) >= own;
      if (run.pause === 'limit' && run.reached && !isOwn) throw new CallHalted({ reason: 'limit', reached: run.reached });
      scope.child(run.runId).emit({ type: 'run_finished', outcome: 'stopped', ...totalsOf(run, state, scope.now()) });
    }
  }
}

/** Returns what is left of the limits of the parent. */
function leftOf({ callsPerTurn, ...limits }: RunLimits, { turns, calls, ms, tokens, usd }: Use): RunLimits {
  const left = (limit: number, used: number) => Math.max(0, limit - used);
  return {
    callsPerTurn,
    turns: left(limits.turns, turns),
    callsPerRun: left(limits.callsPerRun, calls),
    minutes: left(limits.minutes, ms / 60_000),
    ...(limits.tokens !== undefined && { tokens: left(limits.tokens, tokens) }),
    ...(limits.usd !== undefined && { usd: left(limits.usd, usd) }),
  };
}

/** The user sees which child asks. */
function named(event: EventBody, name: string): EventBody {
  if (event.type === 'approval_requested') return { ...event, title: `${name}: ${event.title}` };
  if (event.type === 'question_asked') return { ...event, question: { ...event.question, text: `${name}: ${event.question.text}` } };
  return event;
}
