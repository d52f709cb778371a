/** The modes, models and slash commands that the user can choose in the client. */
import type { AvailableCommand, SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { PromptCommand } from '../../app/customizations/index.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import { MODE_NAME, MODES, type Mode } from '../../core/modes.ts';
import { modelText } from '../../providers/catalog.ts';
import type { ModelChoice } from './ports.ts';

const ABOUT: Record<Mode, string> = {
  ask: 'Answers questions and cannot change files',
  plan: 'Proposes a plan, which runs when you confirm it',
  agent: 'Works on a task and asks before each change',
};

export function modesOf(mode: Mode): SessionModeState {
  const availableModes = MODES.map((id) => ({ id, name: MODE_NAME[id], description: ABOUT[id] }));
  return { currentModeId: mode, availableModes };
}

/** Returns the mode with this id, if there is one. */
export function modeOf(id: unknown): Mode | undefined {
  return MODES.find((mode) => mode === id);
}

/** Clients that display these options do not display the modes, so the mode is an option, too. */
export function configOptions(mode: Mode, model: ModelRef, models: readonly ModelChoice[]): SessionConfigOption[] {
  const current = modelText(model);
  const others = models.filter(({ value }) => value !== current);
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: MODES.map((value) => ({ value, name: MODE_NAME[value], description: ABOUT[value] })),
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: current,
      options: [models.find(({ value }) => value === current) ?? { value: current, name: current }, ...others],
    },
  ];
}

export const COMMANDS: AvailableCommand[] = [
  { name: 'continue', description: 'Continue the last run: a paused run, an open question, or a plan' },
  { name: 'run', description: 'Confirm the plan that was proposed last' },
  {
    name: 'agent',
    description: 'Use an agent, which narrows what Kedge may do; none = without one',
    input: { hint: 'name, and the task' },
  },
  { name: 'compact', description: 'Shorten the conversation', input: { hint: 'what to keep' } },
  { name: 'read', description: 'Read whole documents of collections', input: { hint: 'documents, and what to do with them' } },
  { name: 'init', description: 'Write an AGENTS.md for this folder', input: { hint: 'further instructions' } },
  { name: 'remember', description: 'Remember this in later sessions of this folder', input: { hint: 'what to remember' } },
  {
    name: 'lesson',
    description: 'Answer what Kedge proposes to remember for similar tasks',
    input: { hint: 'keep, keep and your own words, or dismiss' },
  },
];

/** Returns the command of a prompt file. */
export function commandOf({ command, text, takes }: PromptCommand): AvailableCommand {
  return { name: command.slice(1), description: text, ...(takes !== undefined && { input: { hint: takes } }) };
}
