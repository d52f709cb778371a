/** The slash commands of a conversation. The help and the completion are made from this table. */
import { narrowingLines } from '../../../agents/describe.ts';
import { proposedPlan } from '../../../app/session/plans.ts';
import { initiation } from '../../../app/session/prompt.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { MODES } from '../../../core/modes.ts';
import { planMarkdown } from '../../../core/view/plan-markdown.ts';
import { entryProblem, parseSlashCommand, rememberedText } from '../../../core/words/slash-commands.ts';
import { CATALOG, modelText, parseModelRef } from '../../../providers/catalog.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import type { Chat } from './chat.ts';
import { listSessions, resume, review, SESSION_VERBS, undoLast } from './session-commands.ts';

export type ChatCommand = {
  name: string;
  /** The arguments that can follow the command. */
  args?: string;
  text: string;
  values?(chat: Chat): readonly string[] | Promise<readonly string[]>;
  run(chat: Chat, words: string): Promise<void> | void;
};

const VERBS = ['list', 'get', 'set', 'unset', 'edit', 'path', 'schema'];

export const COMMANDS: readonly ChatCommand[] = [
  { name: 'help', text: 'show the commands and keys', run: ({ front }) => front.say(helpText()) },
  { name: 'mode', args: 'ask|plan|agent', text: 'change the mode', values: () => MODES, run: changeMode },
  { name: 'model', args: 'P/MODEL', text: 'show the models, or change the model', values: () => CATALOG.map(usualModel), run: changeModel },
  {
    name: 'agent',
    args: 'NAME',
    text: 'show the agents, or change the agent; none = without one',
    values: async ({ kedge }) => [...(await (await kedge.assistant.agents()).list()).agents.map(({ name }) => name), 'none'],
    run: changeAgent,
  },
  { name: 'plan', args: 'WORDS', text: 'propose a plan; without words, show the last plan', run: plan },
  { name: 'continue', text: 'continue a paused run, an open question or a plan', run: (chat) => chat.proceed() },
  { name: 'pause', text: 'pause the run after its current step', run: ({ session }) => session.pause() },
  { name: 'undo', text: 'undo the changes of the last run', run: undoLast },
  { name: 'review', text: 'show the changes of the last run', run: review },
  {
    name: 'read',
    args: 'NAME… TASK',
    text: 'read whole documents of collections, in parts that fit the model, and carry out the task',
    run: (chat, words) => chat.send(`/read ${words}`, chat.mode),
  },
  {
    name: 'compact',
    args: 'WORDS',
    text: 'compact the conversation; the words say what to keep',
    run: (chat, words) => (chat.session.running ? chat.session.compact(words) : chat.run(() => chat.session.compact(words))),
  },
  {
    name: 'sessions',
    args: 'search WORDS',
    text: 'list the sessions of this folder',
    values: () => SESSION_VERBS,
    run: listSessions,
  },
  {
    name: 'resume',
    args: 'ID',
    text: 'continue another session of this folder',
    values: async ({ kedge }) => (await kedge.assistant.sessions()).map(({ id }) => id),
    run: resume,
  },
  { name: 'clear', text: 'start a new session', run: clear },
  { name: 'init', args: 'WORDS', text: 'write an AGENTS.md for this folder', run: init },
  { name: 'remember', args: 'WORDS', text: 'remember this in later sessions of this folder', run: remember },
  {
    name: 'lesson',
    args: 'keep|dismiss',
    text: 'answer what Kedge proposes to remember after a run',
    values: () => ['keep', 'dismiss'],
    run: async ({ kedge, session, front }, words) => front.say(await (await kedge.assistant.lessons()).command(session, words)),
  },
  { name: 'grants', text: 'list your permanent permissions in this folder', run: listGrants },
  {
    name: 'mcp',
    args: 'import',
    text: 'list the MCP servers and their tools, or add those of Claude and Cursor',
    values: () => ['import'],
    run: servers,
  },
  { name: 'prompt', args: 'NAME', text: 'send a prompt file of yours or of this workspace', run: sendPrompt },
  { name: 'skills', text: 'list the prompt files and skills, with their sources', run: listCustomizations },
  { name: 'config', args: 'list|get|set|unset|edit', text: 'show and change your settings', values: () => VERBS, run: config },
  { name: 'verbose', text: 'show or hide thoughts, complete diffs and receipts', run: toggleVerbose },
  { name: 'quit', text: 'leave', run: (chat) => chat.leave() },
];

/** Returns the command that a message is, or the name of a command that does not exist. A path such as /etc/hosts is not a command. */
export function commandIn(text: string): { command: ChatCommand; words: string } | { unknown: string } | undefined {
  const [, name, words = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const command = COMMANDS.find((each) => each.name === name);
  return command ? { command, words: words.trim() } : { unknown: name };
}

const KEYS = `Keys
  Enter          send; during a run, the message is sent with the model's next turn
  Alt+Enter      a new line (also Ctrl+J, or a backslash before Enter)
  Tab            complete a command or an @file
  Shift+Tab      the next mode: ask, plan, agent
  Up, Ctrl+R     earlier messages, search in them
  Escape         pause the run, or continue it
  Ctrl+C         stop the run, or empty the line
  Ctrl+D         leave

@src/main.ts sends a file with the message, @src/main.ts:10-20 some of its lines, @picture.png an image.
Drag an image into the terminal to write its name.`;

function helpText(): string {
  const heads = COMMANDS.map(({ name, args }) => `/${name}${args ? ` ${args}` : ''}`);
  return ['Commands', ...COMMANDS.flatMap(({ text }, index) => row(heads[index] as string, text)), '', KEYS].join('\n');
}

/** A long command has its description in the next line, so that the lines fit into narrow terminals. */
function row(head: string, text: string): string[] {
  return head.length <= 14 ? [`  ${head.padEnd(15)}${text}`] : [`  ${head}`, `  ${' '.repeat(15)}${text}`];
}

async function clear(chat: Chat): Promise<void> {
  const { id, state } = chat.session;
  await chat.open();
  chat.front.say(state.lastRun ? `A new session. To return to the last one: /resume ${id}` : 'A new session.');
}

function changeMode(chat: Chat, words: string): void {
  const mode = MODES.find((each) => each === words);
  if (!mode) throw new UsageError(`Choose ask, plan or agent: /mode agent. The mode is ${chat.mode}.`);
  chat.mode = mode;
  chat.front.say(`The mode is ${mode}.`);
}

async function changeModel(chat: Chat, words: string): Promise<void> {
  if (words === '') {
    const [{ modelsText }, { StoredKeys }, { storageDirectory }] = await Promise.all([
      import('../models-command.ts'),
      import('../../node/keyring.ts'),
      import('../../node/storage.ts'),
    ]);
    const text = modelsText(chat.env, new StoredKeys(storageDirectory(chat.env)).names);
    chat.front.say(
      `${text.replace('pass --model provider/name', 'enter /model provider/name').trim()}\nThe model is ${modelText(chat.model)}.`,
    );
    return;
  }
  let model: ModelRef;
  try {
    model = parseModelRef(words);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  chat.setModel(model);
  chat.front.say(`The model is ${oneLine(modelText(model))}.`);
}

async function changeAgent(chat: Chat, words: string): Promise<void> {
  const [name = '', ...rest] = words.split(/\s+/);
  const { agents } = await (await chat.kedge.assistant.agents()).list(chat.session);
  if (name === 'none') {
    chat.agent = '';
    return chat.front.say('No agent is used.');
  }
  const agent = agents.find((each) => each.name === name.toLowerCase());
  if (!agent) {
    const now = chat.agent ?? chat.session.state.agent;
    const lines = agents.map((each) => `  ${each.name.padEnd(14)} ${oneLine(each.description, 100)}`);
    const head = name ? `There is no agent ${oneLine(name, 40)}.` : now ? `The agent is ${now}.` : 'No agent is used.';
    return chat.front.say(`${head} To choose one: /agent NAME\n${lines.join('\n')}`);
  }
  chat.agent = agent.name;
  chat.front.say(`The agent is ${agent.name}. ${narrowingLines(agent).join(' ')}`);
  if (rest.length > 0) await chat.send(rest.join(' '), chat.mode);
}

function usualModel({ id, defaultModel }: (typeof CATALOG)[number]): string {
  return id === defaultModel ? id : `${id}/${defaultModel}`;
}

function plan(chat: Chat, words: string): Promise<void> | void {
  if (words) return chat.send(words, 'plan');
  const { state, plans } = chat.session;
  const last = plans.list().at(-1);
  if (!last) throw new UsageError('This session has no plan. To request one, describe the change: /plan rename tideLevel to waterLevel');
  chat.front.markdown(`${planMarkdown(last.plan, state.runs.get(last.runId ?? ''))}\n`);
  if (proposedPlan(state) === last.plan.id) chat.front.say('The plan has not been run yet. To confirm it: /continue');
}

function init(chat: Chat, words: string): Promise<void> {
  return chat.run((model) => chat.session.prompt(...initiation(words, model)));
}

async function remember({ kedge, front }: Chat, words: string): Promise<void> {
  const command = parseSlashCommand(`/remember ${words}`);
  if (command?.name !== 'remember') return;
  const problem = entryProblem(command.entry);
  if (problem) throw new UsageError(problem);
  await kedge.memory.add(command.everywhere ? 'user' : 'workspace', command.entry);
  front.say(rememberedText(command.entry, command.everywhere));
}

async function sendPrompt(chat: Chat, words: string): Promise<void> {
  if (words === '' || !(await chat.sendPrompt(`/prompt ${words}`)))
    throw new UsageError('Name a prompt file, such as .kedge/prompts/NAME.md: /prompt NAME. To list them: /skills');
}

async function listCustomizations({ kedge, session, front }: Chat): Promise<void> {
  const [{ customizationsText }, customizations] = await Promise.all([
    import('../customizations/prompt-files.ts'),
    kedge.assistant.customizations(session),
  ]);
  front.say(customizationsText(await customizations.list()));
}

async function listGrants({ kedge }: Chat): Promise<void> {
  await (await import('../grants-command.ts')).manageGrants(kedge, undefined);
}

async function servers(chat: Chat, words: string): Promise<void> {
  const { kedge, front, env } = chat;
  if (!words) return front.say(await chat.servers());
  if (words !== 'import') throw new UsageError('Use /mcp, or /mcp import.');
  const { importServers } = await import('../servers/import.ts');
  const { mcpKeys } = await import('../options/mcp-servers.ts');
  front.say(await importServers(kedge.folders, front.prompter, env, mcpKeys(env)));
}

async function config({ front }: Chat, words: string): Promise<void> {
  const { configCommand } = await import('../config/command.ts');
  const [verb, name, ...value] = words.split(/\s+/).filter(Boolean);
  const change = () =>
    configCommand(
      [verb, name, ...value].filter((each) => each !== undefined),
      false,
    );
  if (verb === 'edit') front.release(change);
  else change();
  if (verb === 'set' || verb === 'unset' || verb === 'edit') front.say('A changed setting is used the next time Kedge is started.');
}

function toggleVerbose(chat: Chat): void {
  chat.isVerbose = !chat.isVerbose;
  chat.front.say(chat.isVerbose ? 'Thoughts, complete diffs and receipts are shown.' : 'Thoughts, long diffs and receipts are hidden.');
}
