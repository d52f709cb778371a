/** The page that lists what is installed: agents, prompt files, skills, hooks and packages. The data that the host sends, and the requests. */
import * as z from 'zod';
import type { AgentUse } from '../core/insights/agent-runs.ts';

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
  /** Whether the agent has a file, which can be opened and exported. */
  hasFile?: true;
  /** How often it ran in all workspaces. It is missing until the sessions have been counted, and for an agent that never ran. */
  use?: AgentUse;
};

export type InstalledKind = 'prompt' | 'skill' | 'hook';

/** A prompt file, a skill or a hook. `id` identifies it in requests. `source` says where it comes from. */
export type InstalledEntry = { kind: InstalledKind; id: string; name: string; description: string; source: string; problem?: string };

/** An imported package. `contents` and `source` are for reading. `changedByHand` are the paths of files that the user has changed. */
export type PackageEntry = {
  name: string;
  version: string;
  contents: string;
  source: string;
  digest: string;
  updatedAt: number;
  changedByHand: readonly string[];
};

/** `directory` is the folder for the user's agents. */
export type AgentsPage = {
  agents: readonly AgentEntry[];
  unusable: readonly { path: string; problem: string }[];
  installed: readonly InstalledEntry[];
  packages: readonly PackageEntry[];
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
  z.object({ page, type: z.literal('open_agent_file'), name }),
  z.object({ page, type: z.literal('open_installed'), kind: z.enum(['prompt', 'skill', 'hook']), id: z.string().max(5_000) }),
  z.object({ page, type: z.literal('export_agent'), name }),
  /** Asks for a package, and shows everything in it before it is stored. */
  z.object({ page, type: z.literal('import_package') }),
  z.object({ page, type: z.literal('update_package'), name }),
  z.object({ page, type: z.literal('remove_package'), name }),
] as const;
