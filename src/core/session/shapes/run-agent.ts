/** The agent of a run, as it was when the run started. The log contains all of it, so that a resumed run uses exactly what ran. */
import type { Mode } from '../../modes.ts';
import { arrayOf, number, object, oneOf, optional, string } from '../../shape.ts';
import type { SessionLimits } from '../limits.ts';

/** The author of an agent: Kedge, the user, or somebody with access to the workspace. */
export type AgentSource = 'shipped' | 'user' | 'workspace';

export type RunAgent = {
  name: string;
  source: AgentSource;
  /** The file, for the user. Shipped agents have none. */
  path?: string;
  /** Identifies the content of the file. */
  digest: string;
  /** The highest mode of its runs. Without it, the user's mode applies. */
  mode?: Mode;
  /** The tools that its runs may have, as categories, names and servers (`mcp:NAME`, `mcp:NAME/TOOL`). Without it, all tools of the mode. */
  tools?: readonly string[];
  /** Tools that its runs do not have, in the same form. */
  without?: readonly string[];
  /** Limits, which apply where they are lower than those of the user. */
  limits?: SessionLimits;
  temperature?: number;
  /** The agent's part of the system prompt. */
  prompt: string;
};

const text = optional(string);
const amount = optional(number);
const names = optional(arrayOf(string));

export const runAgent = object<RunAgent>({
  name: string,
  source: oneOf<AgentSource>({ shipped: true, user: true, workspace: true }),
  path: text,
  digest: string,
  mode: optional(oneOf<Mode>({ ask: true, plan: true, agent: true })),
  tools: names,
  without: names,
  limits: optional(
    object<SessionLimits>({ turns: amount, callsPerTurn: amount, callsPerRun: amount, minutes: amount, tokens: amount, usd: amount }),
  ),
  temperature: amount,
  prompt: string,
});
