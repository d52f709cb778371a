/** The ports of the run loop, which the app implements. */

import type { LongestAnswer } from '../context/window.ts';
import type { Message, ModelRef, NotePart, ToolCall, ToolResult, Usage } from '../model/messages.ts';
import type { ModelAdapter, ModelRequest } from '../model/model.ts';
import type { ApprovalAnswer, EventBody, QuestionAnswer } from '../session/events.ts';
import type { Permission } from '../session/grant-scope.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Meter } from './budget.ts';
import type { ExecuteContext, Judgement, PreparedCall, Tool } from './tool.ts';

/** Controls how many steps a run may take. A step is a tool call or a turn of the model. */
export type Pace = {
  /** The number of steps that the run may take: 0 while the user pauses the run, 1 in single-step mode. */
  left(): number;
  took(steps: number): void;
};

/** The context window of the model in tokens, if it is known. `learn` stores a window that the service reported in an error. */
export type WindowPort = { size?: number | undefined; answer?: LongestAnswer; learn?(tokens: number): void };

/**
 * Answers the turns of a run by code, which sends its own requests to the model and keeps them within the window. The conversation is therefore not
 * compacted. `sent` are the messages that it has sent to the model in this turn, and `resultCharacters` returns how long each result of the next calls
 * may be.
 */
export type Conductor = Pick<ModelAdapter, 'stream'> & { readonly sent: readonly Message[]; resultCharacters(): number };

/** The ports that one turn of the model needs. */
export type ThinkPorts = {
  adapter: ModelAdapter;
  model: ModelRef;
  request: Omit<ModelRequest, 'model' | 'messages' | 'tools'>;
  /** Returns the cost of an answer in US dollars, when the price of the model and the usage are known. */
  price?(usage: Usage): number | undefined;
  /** Whether the model is known not to support images. Images are then replaced by notes. */
  blind?: boolean;
  window?: WindowPort;
  /** Takes the place of the model in the turns of the run. */
  conductor?: Conductor;
  /** Returns the content that the user wants to keep if the user has asked for a compaction. The next call returns undefined. */
  compactionAsked?(): string | undefined;
  /** Compares the usage of the run with its limits. */
  meter: Meter;
  state: SessionState;
  /** Appends the event to the log, then updates `state`, then notifies every listener. */
  emit(event: EventBody): void;
};

export type RunPorts = ThinkPorts & {
  /** The tools of the next turn. An MCP server can add or replace tools during a run; the list is then another object. */
  readonly tools: readonly Tool[];
  pace: Pace;
  /** Says what is wrong with the text of the final answer. The model is then asked for another answer. */
  answerProblem?(text: string): string | undefined;
  /** Runs after the final answer, before the run ends. */
  closing?(context: Pick<ExecuteContext, 'signal' | 'record'>): Promise<void>;
  /** `tool` is undefined when the model called a tool that does not exist. */
  decide(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall | undefined): Judgement | Promise<Judgement>;
  /** Returns notes about rules files that concern the call and that the model does not know yet. They are added to its result. */
  rulesFor?(call: PreparedCall): Promise<NotePart[]>;
  /** Returns what the user's hooks add to the result of a call that was carried out. */
  afterCall?(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall, result: ToolResult): Promise<NotePart[]>;
  /** Whether the permission would probably allow a call that was not judged yet. */
  alike?(covers: Permission, call: ToolCall): boolean;
  /** Resolves when the user has answered. `state` then includes the answer. */
  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  replied(questionId: string, signal: AbortSignal): Promise<QuestionAnswer>;
  now(): number;
  /** Ends what runs only as long as the run, such as its browser. */
  close?(): Promise<void>;
};
