/** The words that all hosts show about an agent. */
import { MODE_NAME } from '../core/session/events.ts';
import type { RunAgent } from '../core/session/shapes/run-agent.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import type { AgentDefinition } from './definition.ts';

type Described = Pick<AgentDefinition, 'mode' | 'tools' | 'without' | 'limits' | 'temperature' | 'models'>;

/** Returns where an agent comes from, such as `your folder` or the path of its file. */
export function sourceText({ source, path }: Pick<RunAgent, 'source' | 'path'>): string {
  if (source === 'shipped') return 'part of Kedge';
  return `${source === 'user' ? 'your agent' : 'agent of this workspace'}, ${visibleLine(path ?? '')}`;
}

/** Returns one sentence for each way in which an agent narrows its runs. */
export function narrowingLines({ mode, tools, without, limits, temperature, models }: Described): string[] {
  const lines = [mode ? `Runs in ${MODE_NAME[mode]} mode at most.` : 'Runs in the mode that you choose.'];
  if (tools) lines.push(tools.length > 0 ? `Has only these tools: ${tools.join(', ')}.` : 'Has no tools.');
  else lines.push('Has all tools of the mode.');
  if (without?.length) lines.push(`Does not have: ${without.join(', ')}.`);
  const most = Object.entries(limits ?? {}).map(([name, amount]) => `${LIMIT_WORDS[name] ?? name} ${amount}`);
  if (most.length > 0) lines.push(`Lowers your limits to: ${most.join(', ')}.`);
  if (models.length > 0) lines.push(`Asks for the model ${models.join(', or ')}.`);
  if (temperature !== undefined) lines.push(`Temperature ${temperature}.`);
  return lines;
}

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  turns: 'turns',
  callsPerTurn: 'calls per turn',
  callsPerRun: 'calls',
  minutes: 'minutes',
  tokens: 'tokens',
  usd: 'US dollars',
};

/** Returns the page of an agent as Markdown. */
export function agentPage(agent: AgentDefinition): string {
  const { name, description, digest, tries, problems, prompt } = agent;
  return [
    `# ${name}`,
    description || 'The file has no description.',
    [`- From: ${sourceText(agent)}`, `- Digest: ${digest}`, ...narrowingLines(agent).map((line) => `- ${line}`)].join('\n'),
    tries.length > 0 && `## Try\n\n${tries.map((each) => `- ${each}`).join('\n')}`,
    problems.length > 0 && `## Problems\n\n${problems.map((each) => `- ${each}`).join('\n')}`,
    `## Prompt\n\n${quoted(prompt)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The words of an agent are a quotation, so that they do not look like Kedge's own headings. */
function quoted(prompt: string): string {
  return prompt === ''
    ? 'The file has no prompt.'
    : prompt
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
}
