/** The code and ports that runs, undo and restore need in addition to reading sessions. They are loaded when they are first used. */

import type { Plan } from '../core/plan/plan.ts';
import type { RunPorts } from '../core/run/ports.ts';
import type { RunRecord, SessionState } from '../core/session/session-state.ts';
import type { WriteGate } from '../workspace/gate.ts';
import type { FileSystem } from '../workspace/types.ts';
import type { Narrow } from './agents/agents.ts';
import type { RunContext } from './context/run-context.ts';
import type { AssistantPorts, LatePorts } from './ports.ts';
import { DayBudgets } from './run/day-budget.ts';
import type { HooksOfRun, RunScope } from './run/run-scope.ts';
import type { AgentName } from './session/last-run.ts';

type Loaded = typeof import('./run/build-run.ts') & { ports: AssistantPorts };

export class Work {
  /** The budgets of all runs of a day, if the host has a ledger. */
  readonly day: DayBudgets | undefined;
  readonly #ports: AssistantPorts | LatePorts;
  #gate: { fs: FileSystem; gate: WriteGate } | undefined;
  #loading: Promise<Loaded> | undefined;
  /** The hooks that run after a run has asked or ended. */
  readonly #pendingHooks = new Set<Promise<unknown>>();

  constructor(ports: AssistantPorts | LatePorts) {
    this.#ports = ports;
    const { ledger, settings, now = Date.now } = ports;
    this.day = ledger && new DayBudgets(ledger, () => settings.budgets?.() ?? { day: {} }, now);
  }

  /** Loads the code and the host's ports only once. After a failure, the next call tries again. */
  load(): Promise<Loaded> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<Loaded> {
    const [builders, ports] = await Promise.all([
      import('./run/build-run.ts'),
      'forWork' in this.#ports ? this.#ports.forWork() : this.#ports,
    ]);
    return { ...builders, ports: { ...this.#ports, ...ports } };
  }

  /** Builds a run. Returns its ports, the loop that executes it, and the function that compacts its conversation. */
  async build(run: RunRecord, scope: RunScope): Promise<{ ports: RunPorts; loop: Loaded['runLoop']; compact: Loaded['compactNow'] }> {
    const { buildRun, runLoop, compactNow } = await this.load();
    const ports = await this.#portsOf(run.worktree, scope.sessionId);
    const built = await buildRun(run, scope, ports, {
      gate: () => this.gate(run.worktree, scope.sessionId),
      share: () => this.day?.share(),
    });
    return { ports: built, loop: runLoop, compact: compactNow };
  }

  /**
   * Loads the rules files, memory and surroundings that the model of a run receives in addition to the conversation.
   * @throws Error when an ignore file cannot be read.
   */
  async context(run: RunRecord, scope: Pick<RunScope, 'state' | 'sessionId'>): Promise<RunContext> {
    const { contextOf } = await this.load();
    return contextOf(run, scope, await this.#portsOf(run.worktree, scope.sessionId));
  }

  /**
   * Returns the hooks of a run, or undefined if there are none. The hooks for its prompt have run, and `context` contains what they add.
   * @throws Error if the user's hooks cannot be read, or one of them denies the prompt
   */
  async hooks(run: RunRecord, scope: RunScope): Promise<{ hooks: HooksOfRun; context?: RunContext } | undefined> {
    const ports = await this.#portsOf(run.worktree, scope.sessionId);
    const port = await ports.hooks?.();
    return port && (await import('./run/hooks.ts')).beginHooks(run, scope, ports, { port, pending: this.#pendingHooks });
  }

  /** @throws SessionError if a step of the plan names an agent that cannot carry it out */
  async expectAgents(plan: Plan, state: SessionState): Promise<void> {
    const [{ expectAgents }, { ports }] = await Promise.all([import('./agents/plan-agents.ts'), this.load()]);
    await expectAgents(plan, state, ports);
  }

  /** Returns how the agent narrows the next run of a session. @throws SessionError if it cannot be used */
  async agent(name: AgentName, session: { id: string; state: SessionState }): Promise<Narrow | undefined> {
    const [{ narrowingBy }, { ports }] = await Promise.all([import('./agents/agents.ts'), this.load()]);
    return narrowingBy(name, session, ports);
  }

  /**
   * Returns the write gate of the open folders. All sessions use the same gate, so that their changes are written one after another. A worktree of a
   * session has a gate of its own.
   */
  async gate(worktree?: string, sessionId = ''): Promise<WriteGate> {
    const { openGate } = await this.load();
    const ports = await this.#portsOf(worktree, sessionId);
    const fs = ports.fileSystem();
    if (worktree !== undefined) return openGate(fs, ports);
    if (this.#gate?.fs !== fs) this.#gate = { fs, gate: openGate(fs, ports) };
    return this.#gate.gate;
  }

  async #portsOf(worktree: string | undefined, sessionId: string): Promise<AssistantPorts> {
    const { ports } = await this.load();
    return worktree === undefined ? ports : (await import('./worktrees/ports-in.ts')).portsIn(ports, worktree, sessionId);
  }

  /** Ends everything that the runs have started, such as MCP servers. */
  async close(): Promise<void> {
    await Promise.all([this.#loading?.then(({ ports }) => ports.mcp?.close()).catch(() => undefined), ...this.#pendingHooks]);
  }
}
