import type { ModelRef } from '../core/model/messages.ts';
import type { AgentSource, RunAgent } from '../core/session/shapes/run-agent.ts';

/** Where the text of an agent comes from. `fileName` is the last part of the path without its ending. */
export type AgentPlace = { source: AgentSource; path?: string; fileName: string };

/** An agent as its file describes it. */
export type AgentDefinition = RunAgent & {
  description: string;
  /** The models that the file names, best first, as it writes them. */
  models: readonly string[];
  /** Requests that show what the agent is good for. */
  tries: readonly string[];
  /** Sentences about what the file asks for and does not get. */
  problems: readonly string[];
};

/** A file that describes no usable agent. */
export type UnusableAgent = { place: AgentPlace; problem: string };

/** The part of a definition that a run keeps in its log. */
export function runAgentOf({ description, models, tries, problems, ...agent }: AgentDefinition): RunAgent {
  return agent;
}

/** The model of a run, and a sentence if the agent names a model that it does not get. */
export type AgentModel = { model?: ModelRef; remark?: string };
