/** Panel states with agents: the page that lists them, and a run of one of them. */
import { type AgentDefinition, runAgentOf } from '../../src/agents/definition.ts';
import { narrowingLines, sourceText } from '../../src/agents/describe.ts';
import { parseAgent } from '../../src/agents/parse.ts';
import { shippedAgents } from '../../src/agents/shipped/index.ts';
import type { AgentEntry, InstalledEntry, PackageEntry } from '../../src/protocol/agents-page.ts';
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
  return {
    ...entry,
    ...(name === 'reviewer' && {
      isChosen: true,
      use: { runs: 12, ended: { answered: 10, stopped: 1, failed: 1 }, up: 3, down: 1, last: Date.UTC(2026, 10, 20, 12) },
    }),
    ...(name === 'style' && { review: 'changed', hasFile: true }),
  };
});
const INSTALLED: readonly InstalledEntry[] = [
  {
    ...{
      kind: 'prompt',
      id: '/home/anna/.config/kedge/prompts/release.md',
      name: '/release',
      description: 'Writes the notes of a release',
    },
    source: 'yours, /home/anna/.config/kedge/prompts/release.md',
    problem: 'It is sent in Ask mode at most.',
  },
  {
    ...{ kind: 'skill', id: '.kedge/skills/tides/SKILL.md', name: 'tides', description: 'Knows how the tide tables are computed' },
    source: 'of this workspace, .kedge/skills/tides/SKILL.md',
  },
  {
    ...{ kind: 'hook', id: '.kedge/hooks.json#0', name: 'format', description: 'Runs after a tool call: npx prettier --check .' },
    source: 'of this workspace, .kedge/hooks.json',
    problem: 'You are asked before it runs.',
  },
];
const PACKAGES: readonly PackageEntry[] = [
  {
    ...{ name: 'harbor', version: '1.2.0', contents: '1 agent, 2 prompt files, 1 skill', updatedAt: Date.UTC(2026, 10, 18, 12) },
    source: 'https://example.invalid/team/harbor-agents.git',
    digest: '4f0c3a9d21b7e85604f0c3a9d21b7e85604f0c3a9d21b7e85604f0c3a9d21b7e',
    changedByHand: ['agents/harbor.md'],
  },
];

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
            installed: INSTALLED,
            packages: PACKAGES,
            directory: '/home/anna/.config/kedge/agents',
          },
        },
      ],
    },
  };
}
