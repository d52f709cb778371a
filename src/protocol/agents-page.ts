/** The page that lists the agents: the data that the host sends, and the requests that it handles. */
import * as z from 'zod';

/** `source` and `rules` are sentences. `tries` are requests that can be put into the composer. */
export type AgentEntry = {
  name: string;
  description: string;
  source: string;
  digest: string;
  rules: readonly string[];
  tries: readonly string[];
  problems: readonly string[];
  /** Whether the next message of the session has this agent. */
  isChosen?: true;
  /** Whether the user is asked before the agent runs. */
  review?: 'new' | 'changed';
};

/** `directory` is the folder for the user's agents. */
export type AgentsPage = {
  agents: readonly AgentEntry[];
  unusable: readonly { path: string; problem: string }[];
  directory: string;
};

const page = z.literal('agents');
const name = z.string().max(100);

export const agentsRequests = [
  /** An empty name means no agent. */
  z.object({ page, type: z.literal('choose_agent'), name }),
  /** Opens the agent with its prompt as a document. */
  z.object({ page, type: z.literal('show_agent'), name }),
  /** Chooses the agent, and puts one of its requests into the composer. */
  z.object({ page, type: z.literal('try_agent'), name, text: z.string().min(1).max(1_000) }),
] as const;
