/** Panel states with agents: the page that lists them, and a run of one of them. */
import { type AgentDefinition, runAgentOf } from '../../src/agents/definition.ts';
import { narrowingLines, sourceText } from '../../src/agents/describe.ts';
import { parseAgent } from '../../src/agents/parse.ts';
import { shippedAgents } from '../../src/agents/shipped/index.ts';
import type { AgentEntry } from '../../src/protocol/agents-page.ts';
import type { PanelState } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

const STYLE = await parseAgent(
  '---\ndescription: Compares the code with the style guide\nmode: ask\ntools: [read, sudo, "Bash(rm:*)"]\n---\nLook.',
  {
    source: 'workspace',
    path: '.github/agents/style.agent.md',
    fileName: 'style',
  },
);
const [, , REVIEWER] = (await shippedAgents()) as [unknown, unknown, AgentDefinition];
const ALL = [...(await shippedAgents()), ...('problem' in STYLE ? [] : [STYLE])];
const ENTRIES = ALL.map((agent): AgentEntry => {
  const { name, description, digest, tries, problems } = agent;
  const entry = { name, description, digest, tries, problems, source: sourceText(agent), rules: narrowingLines(agent) };
  return { ...entry, ...(name === 'reviewer' && { isChosen: true }), ...(name === 'style' && { review: 'changed' }) };
});

const reviewed = () =>
  new Script()
    .run('ask', 'Review my uncommitted changes', undefined, runAgentOf(REVIEWER))
    .calls('read_changes', 'Read the uncommitted changes', {})
    .returns('read_changes', 'diff --git a/src/tide.ts b/src/tide.ts')
    .says('**error** src/tide.ts:12 – the height is negative at low tide, and `Math.sqrt` returns NaN. Compare it with 0 first.')
    .finishes();

const chosen = (agent: string): ReturnType<typeof host> => {
  const message = host('agent') as { type: 'state'; state: PanelState };
  return { ...message, state: { ...message.state, agent } };
};

export function agentStates(): Record<string, NamedState> {
  return {
    'agent-run': { messages: [chosen('reviewer'), session(reviewed(), false)] },
    agents: {
      messages: [
        chosen('reviewer'),
        session(reviewed(), false),
        { type: 'show_page', name: 'agents' },
        {
          type: 'page',
          name: 'agents',
          data: {
            agents: ENTRIES,
            unusable: [
              {
                path: '.kedge/agents/coder.md',
                problem: 'The name coder is not usable, because Kedge has an agent coder. Give the agent another name.',
              },
            ],
            directory: '/home/anna/.config/kedge/agents',
          },
        },
      ],
    },
  };
}
