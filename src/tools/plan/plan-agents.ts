/** The agents that the steps of a plan can name. */
import type { Mode } from '../../core/modes.ts';
import type { PlanDraft } from '../../core/plan/plan.ts';
import { visibleLine } from '../../core/words/visible-text.ts';

/** `about` says what the agent does. It is missing for an agent of the workspace that the user has not accepted yet. */
export type PlanAgent = { name: string; about?: string; mode?: Mode | undefined };

const ABOUT = 60;

/** Describes the field of a step that names its agent, for the model. */
export function agentField(agents: readonly PlanAgent[]): string {
  const names = agents.map(({ name, about }) => (about ? `${name} (${shorten(about)})` : name));
  return `The agent that carries out the step alone, where one fits: ${names.join(', ')}`;
}

/** Returns what is wrong with the agents of a plan, or undefined. */
export function agentProblem({ steps }: Pick<PlanDraft, 'steps'>, agents: readonly PlanAgent[]): string | undefined {
  for (const [index, { agent: name, files }] of steps.entries()) {
    if (name === undefined) continue;
    const shown = visibleLine(name).slice(0, 40);
    const agent = agents.find((each) => each.name === name);
    if (!agent)
      return `Step ${index + 1} names the agent ${shown}, which does not exist. There are: ${agents.map((each) => each.name).join(', ')}.`;
    if (files.length > 0 && agent.mode !== undefined && agent.mode !== 'agent')
      return `Step ${index + 1} changes files, but the agent ${shown} only reads. Name another agent, or no files.`;
  }
  return undefined;
}

function shorten(text: string): string {
  const [line = ''] = /^.*?[.!?](?=\s|$)/.exec(visibleLine(text)) ?? [visibleLine(text)];
  return line.length > ABOUT ? `${line.slice(0, ABOUT).toWellFormed()}…` : line.replace(/\.$/, '');
}
