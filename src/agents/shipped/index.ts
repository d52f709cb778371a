/** The agents that Kedge comes with. They are written like the files of users, and read by the same parser. */
import type { AgentDefinition } from '../definition.ts';
import type { SHIPPED_NAMES } from '../names.ts';
import { parseAgent } from '../parse.ts';
import { ANALYST } from './analyst.ts';
import { CODER } from './coder.ts';
import { RESEARCHER } from './researcher.ts';
import { REVIEWER } from './reviewer.ts';
import { TUTOR } from './tutor.ts';

const TEXTS: Record<(typeof SHIPPED_NAMES)[number], string> = {
  researcher: RESEARCHER,
  coder: CODER,
  reviewer: REVIEWER,
  analyst: ANALYST,
  tutor: TUTOR,
};

/** The texts do not change, so they are parsed once. */
let parsed: Promise<readonly AgentDefinition[]> | undefined;

export async function shippedAgents(): Promise<AgentDefinition[]> {
  parsed ??= Promise.all(
    Object.entries(TEXTS).map(async ([fileName, text]) => {
      const agent = await parseAgent(text, { source: 'shipped', fileName });
      if ('problem' in agent) throw new Error(`The agent ${fileName} of Kedge: ${agent.problem}`);
      return agent;
    }),
  );
  return [...(await parsed)];
}
