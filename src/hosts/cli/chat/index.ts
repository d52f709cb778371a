/** `kedge` alone on a terminal, and `kedge chat`: a conversation in the folder. */
import { join } from 'node:path';
import type { AssistantPorts } from '../../../app/ports.ts';
import type { Mode } from '../../../core/modes.ts';
import { storageDirectory } from '../../node/storage.ts';
import { EXIT } from '../exit-codes.ts';
import { openKedge } from '../kedge.ts';
import { type Command, UsageError } from '../options/arguments.ts';
import { chosenModel } from '../options/environment.ts';
import { askThrough } from '../questions.ts';
import { findSession } from '../sessions/find.ts';
import { Conversation } from './conversation.ts';
import { History } from './input/history.ts';
import { Plain } from './plain.ts';
import { Terminal } from './terminal.ts';

type ChatCommand = Extract<Command, { action: 'chat' }>;
type Hooks = { shutDown?: () => Promise<void>; onInterrupt?: () => unknown };

/** `usualMode` is the mode of the configuration file. @throws UsageError if no terminal is connected */
export async function chat(command: ChatCommand, env: NodeJS.ProcessEnv, usualMode: Mode | undefined, hooks: Hooks): Promise<number> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    throw new UsageError(
      'kedge chat needs a terminal. For a single request, write kedge ask, kedge plan or kedge agent. See kedge --help.',
    );
  let mcp: AssistantPorts['mcp'];
  const adapt = (ports: AssistantPorts) => {
    mcp = ports.mcp;
    return ports;
  };
  const kedge = openKedge(command, env, undefined, { adapt });
  const { assistant } = kedge;
  hooks.shutDown = () => assistant.shutDown();
  const endpoint = env.KEDGE_OTLP_ENDPOINT;
  const traces = endpoint ? (await import('../traces.ts')).tracesTo(endpoint, assistant) : undefined;
  const history = new History(join(storageDirectory(env), 'history.jsonl'));
  const isPlain = command.plain || process.env.TERM === 'dumb';
  const front = isPlain ? new Plain() : new Terminal(history.read(), (entry) => history.add(entry));
  const session = command.session === undefined ? await assistant.newSession() : await findSession(assistant, command.session);
  const conversation = new Conversation(kedge, command, env, front, {
    session,
    mode: usualMode ?? 'ask',
    model: chosenModel(command.model, env),
    servers: async () =>
      (await mcp?.overview?.('agent', () => false)) ?? 'No MCP servers are configured. Add them with --mcp-config FILE or /mcp import.',
    leave: () => front.leave(),
  });
  if (front.prompter.readsKeys) askThrough(front.prompter);
  hooks.onInterrupt = () => {
    front.interrupt();
    return true;
  };
  front.say(`Kedge in ${kedge.folders.join(', ')}. /help lists the commands.`);
  const prompt = command.prompt.join(' ').trim();
  const begin = async () => {
    await conversation.open(session);
    if (!prompt) return;
    front.echo(prompt);
    await conversation.submit(prompt);
  };
  void begin().catch((error: unknown) => front.say(`kedge: ${error instanceof Error ? error.message : error}`));
  await front.converse(conversation);
  const { id, state } = conversation.session;
  if (state.lastRun) process.stderr.write(`\nTo continue this conversation:\n  kedge chat --session ${id}\n`);
  await traces?.flush();
  await kedge.pruneCheckpoints().catch(() => undefined);
  await assistant.shutDown();
  return EXIT.answered;
}
