/** How often the agents ran in a session, and how their runs ended. The runs of children with an agent count, too. */
import type { Rating } from '../session/answers.ts';
import type { AgentEvent } from '../session/events.ts';
import type { RunEnd } from './numbers.ts';

/** The latest state of a run with an agent. `at` is the time at which it began. */
type AgentRun = { agent: string; at: number; end: RunEnd; rating?: Rating };

/** The runs with an agent by their ids. */
export type AgentRuns = Record<string, AgentRun>;

/** The facts about the runs of an agent. `last` is the time at which the newest of them began. */
export type AgentUse = { runs: number; ended: { [End in RunEnd]?: number }; up: number; down: number; last: number };

/** Adds an event to the runs, which are modified. */
export function addToAgentRuns(runs: AgentRuns, event: AgentEvent): void {
  if (event.type === 'run_started') {
    if (event.agent) runs[event.runId] = { agent: event.agent.name, at: event.at, end: 'open' };
    return;
  }
  const run = Object.hasOwn(runs, event.runId) ? runs[event.runId] : undefined;
  if (!run) return;
  if (event.type === 'run_finished') run.end = event.outcome;
  else if (event.type === 'run_resumed') run.end = 'open';
  else if (event.type === 'answer_rated') {
    if (event.rating === 'none') delete run.rating;
    else run.rating = event.rating;
  }
}

/** Returns the use of each agent in all of these sessions, by name. */
export function agentUses(sessions: readonly AgentRuns[]): Map<string, AgentUse> {
  const uses = new Map<string, AgentUse>();
  for (const { agent, at, end, rating } of sessions.flatMap((runs) => Object.values(runs))) {
    const use = uses.get(agent) ?? { runs: 0, ended: {}, up: 0, down: 0, last: 0 };
    use.runs++;
    use.ended[end] = (use.ended[end] ?? 0) + 1;
    if (rating) use[rating]++;
    use.last = Math.max(use.last, at);
    uses.set(agent, use);
  }
  return uses;
}
