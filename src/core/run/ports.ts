/** The ports of the loop: what a run is given by the app. */

import type { ModelRef, ToolCall, Usage } from '../model/messages.ts';
import type { ModelAdapter, ModelRequest } from '../model/model.ts';
import type { ApprovalAnswer, EventBody, QuestionAnswer } from '../session/events.ts';
import type { Covers } from '../session/grant-scope.ts';
import type { Limits } from '../session/limits.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Meter } from './budget.ts';
import type { ExecuteContext, Judgement, PreparedCall, Tool } from './tool.ts';

/** How fast the user lets the run go. A step is a call or a turn of the model. */
export type Pace = {
  /** How many steps may go: none while the user holds the run, one where it goes step by step. */
  left(): number;
  took(steps: number): void;
};

/** What one turn of the model needs. */
export type ThinkPorts = {
  adapter: ModelAdapter;
  model: ModelRef;
  request: Omit<ModelRequest, 'model' | 'messages' | 'tools'>;
  /** US dollars for an answer, where the model's price is known and the answer says what it took. */
  price?(usage: Usage): number | undefined;
  /** The model is known not to see: images are left out, and it is told so. */
  blind?: boolean;
  /** A run that another run starts gets that run's meter. */
  meter: Meter;
  state: SessionState;
  /** Appends to the log, takes the event into `state`, tells every listener; in that order. */
  emit(event: EventBody): void;
};

export type RunPorts = ThinkPorts & {
  tools: readonly Tool[];
  limits: Limits;
  pace: Pace;
  /** What there is to do before a run that was answered ends. */
  closing?(context: Pick<ExecuteContext, 'signal' | 'record'>): Promise<void>;
  /** `tool` is undefined when no such tool was offered. */
  decide(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall | undefined): Judgement | Promise<Judgement>;
  /** Whether a call that was not judged yet seems to need the same leave. */
  alike?(covers: Covers, call: ToolCall): boolean;
  /** Resolves when the user has answered; the answer's event is then in the state. */
  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  replied(questionId: string, signal: AbortSignal): Promise<QuestionAnswer>;
  now(): number;
};
