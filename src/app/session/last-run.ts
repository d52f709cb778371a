/** Checks whether the last run allows what the user does next, and creates the first events of the next run. */

import type { ModelRef, UserMessage } from '../../core/model/messages.ts';
import type { AppliedCode, AppliedWorktree } from '../../core/session/effects.ts';
import type { EventBody, Mode } from '../../core/session/events.ts';
import type { RunLimits } from '../../core/session/limits.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import type { RunAgent } from '../../core/session/shapes/run-agent.ts';
import { runLimits } from '../limits.ts';
import type { Settings } from '../ports.ts';
import { type Bound, plannedMode } from './plans.ts';
import { type Prompt, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';

/** The value in the log instead of a model for a run that applies code. */
export const APPLIES = { provider: 'kedge', model: 'apply' } as const;
/** The text that replaces the prompt if a message contains only images. */
const IMAGE_ALONE = 'Image';

export type Started = Extract<EventBody, { type: 'run_started' }>;
/** `agent` has already lowered the mode. */
type Asked = { mode: Mode; model?: ModelRef | undefined; agent?: RunAgent | undefined; attachments?: UserMessage['content'] };

/** Returns the event that starts a run. If `model` is not set, the model of the mode is used. */
export function startOf(
  { mode: wanted, model, agent, attachments = [] }: Asked,
  text: string,
  settings: Settings,
  state: SessionState,
  bound: Bound = {},
): Started {
  const { shown, ...ties } = bound;
  const mode = plannedMode(wanted, bound, settings.requirePlan?.());
  const prompt = shown ?? (text || IMAGE_ALONE);
  const asked = { prompt, ...(attachments.length > 0 && { attachments }), ...(agent && { agent }) };
  const worktree = bound.worktree ?? state.worktree;
  const limits = runLimits(settings, mode, state);
  return { type: 'run_started', mode, ...asked, model: model ?? settings.model(mode), limits, ...ties, ...(worktree && { worktree }) };
}

/** `named` is a word that is the name of an agent or not. `name` is used if it is not. */
export type AgentName = { name?: string | undefined; named?: string | undefined; keepsModel?: true | undefined };

/** An `@name` at the beginning of a message may be the name of an agent. */
const AGENT_MENTION = /^\s*@([a-z0-9][\w-]{0,39})(?=\s|$)/i;

/** Returns the agent that a prompt asks for, or undefined without one, so that nothing has to be loaded. */
export function askedAgent(
  text: string,
  { agent, keepsModel }: Pick<Prompt, 'agent'> & { keepsModel?: true | undefined },
  state: SessionState,
  bound: Bound,
): AgentName | undefined {
  const name = agent ?? sessionAgent(state, bound);
  const named = AGENT_MENTION.exec(text)?.[1]?.toLowerCase();
  return name || named ? { name, named, keepsModel } : undefined;
}

/** Returns the name of the agent that the user chose last, unless it cannot carry out the plan of the next run. */
function sessionAgent({ agent, runs }: SessionState, { plan }: Bound): string | undefined {
  const last = [...runs.values()].findLast((run) => run.agent?.name === agent)?.agent;
  return plan && (last?.mode ?? 'agent') !== 'agent' ? undefined : agent;
}

/** Returns the last run that called a model. */
export function lastAsked({ runs }: SessionState): RunRecord | undefined {
  return [...runs.values()].findLast(({ applies }) => !applies);
}

/** Returns the last run if it can be continued. @throws SessionError if there is none. */
export function resumableRun({ lastRun }: SessionState): RunRecord {
  if (!lastRun || (lastRun.status === 'finished' && lastRun.outcome !== 'failed'))
    throw new SessionError('There is no paused run to continue. Send a message to start a run.');
  return lastRun;
}

/** Returns the event that continues a run. @throws SessionError if its worktree belongs to another session now, or was dropped */
export function resuming({ runs, worktree }: SessionState, runId: string): EventBody {
  const place = runs.get(runId)?.worktree;
  if (place !== undefined && place !== worktree)
    throw new SessionError('The worktree of this run is not used by this session any more. Send a message to continue in your folder.');
  return { type: 'run_resumed' };
}

/** @throws SessionError while the user is asked to approve changes, because no model would receive a message. */
export function expectReader({ applies, status }: RunRecord): void {
  if (applies && status !== 'finished') throw new SessionError('Approve or reject the changes above first. Your message was not sent.');
}

/**
 * Returns the first events of a run that applies code from an answer, or the changes of a worktree, to files.
 * @throws SessionError if another run is not finished
 */
export function applyOpening({ lastRun, worktree }: SessionState, applies: AppliedCode | AppliedWorktree, limits: RunLimits): EventBody[] {
  if (lastRun && lastRun.status !== 'finished')
    throw new SessionError('The last run is not finished. Continue or stop it before you apply code.');
  const prompt = applyPrompt(applies);
  // Code from an answer belongs where the session works. The changes of a worktree belong in the user's folder.
  const place = worktree !== undefined && 'code' in applies && { worktree };
  return [
    { type: 'run_started', mode: 'agent', prompt, model: APPLIES, limits, applies, ...place },
    { type: 'message_added', message: userMessage(prompt, []) },
  ];
}

export function applyPrompt(applies: AppliedCode | AppliedWorktree): string {
  if ('worktree' in applies) return 'Apply the changes of the worktree';
  const { path, code } = applies;
  const first = code.split('\n').find((line) => line.trim() !== '') ?? '';
  return `Apply code to ${path}: ${first.trim().slice(0, 80)} …`;
}
