/** The terminal program: runs one command and returns its exit code. */
import { existsSync } from 'node:fs';
import { proposedPlan } from '../../app/session/plans.ts';
import { SessionError } from '../../app/session/session-error.ts';
import { writeFailure } from '../../core/file-failure.ts';
import type { AgentEvent, Mode } from '../../core/session/events.ts';
import { catalogEntry } from '../../providers/catalog.ts';
import { configFile } from '../node/config-path.ts';
import { StoredKeys } from '../node/keyring.ts';
import { storageDirectory } from '../node/storage.ts';
import { openKedge } from './kedge.ts';
import { type Command, notCommand, parseCommand, UsageError } from './options/arguments.ts';
import { chosenModel, missingKey } from './options/environment.ts';
import { harmless, oneLine } from './output/terminal.ts';
import { TextRenderer } from './output/text-renderer.ts';
import { answerPending, EXIT, runSession } from './run-session.ts';

/**
 * Callbacks for signals. `shutDown` is called before a signal ends the program, `onInterrupt` at each Ctrl+C, and `onStall` when the event
 * loop is empty although the command has not ended. While a signal ends the program, `ending` is a promise of the exit code.
 */
export type SignalHooks = { shutDown?: () => Promise<void>; onInterrupt?: () => unknown; onStall?: () => void; ending?: Promise<number> };

/** Returns the exit code. Every failure is reported as one sentence on stderr. */
export async function program(args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const hooks = handleSignals(stopping);
  const removeStallHandler = handleStall(hooks);
  try {
    const code = SESSION_COMMANDS.test(commandWords(args))
      ? await (await import('./sessions/commands.ts')).sessionCommand(args, stopping.signal, hooks)
      : await execute(parseCommand(args), stopping.signal, hooks);
    return (await hooks.ending) ?? code;
  } catch (error) {
    if (hooks.ending) return hooks.ending;
    if (isBrokenPipe(error)) return EXIT.stopped;
    process.stderr.write(`kedge: ${isCurrentFolderGone(error) ? FOLDER_GONE : oneLine(failureText(error), 1_000)}\n`);
    return error instanceof UsageError || error instanceof SessionError ? EXIT.usage : EXIT.failed;
  } finally {
    removeStallHandler();
  }
}

const loadWorktrees = () => import('./worktrees/worktrees.ts');

/** The commands that do not run a model. The code of each is loaded when it is used. */
const SESSION_COMMANDS = /^(sessions|fork|export|import|replay|doctor|insights|docs(?! (?:ask|summarize|worksheet|compare)$))\b/;

/** Returns the first two words that are not options. */
function commandWords(args: readonly string[]): string {
  const words = args.filter((arg, index) => !arg.startsWith('-') && args[index - 1] !== '--folder');
  return words.slice(0, 2).join(' ');
}

async function execute(command: Command, signal: AbortSignal, hooks: SignalHooks): Promise<number> {
  switch (command.action) {
    case 'help':
      process.stdout.write((await import('./options/help.ts')).helpOn(command.topic));
      return EXIT.answered;
    case 'version': {
      const manifest = await import('../../../package.json', { with: { type: 'json' } });
      process.stdout.write(`${manifest.default.version}\n`);
      return EXIT.answered;
    }
    case 'other': {
      const { runOther } = await import('./other-commands.ts');
      const { env } = command.name === 'config' ? process : await configured(command);
      return runOther(command, { stored: storedKeys, env, signal, hooks });
    }
    case 'ask-documents': {
      const { command: options, env } = await configured(command);
      return (await import('./documents/ask.ts')).askDocuments(options, env, signal, hooks);
    }
    case 'acp':
    case 'mcp': {
      const { command: options, env } = await configured(command);
      return (await import('./servers/index.ts')).serve(options, env, signal, hooks);
    }
    case 'chat': {
      const { command: options, env, mode } = await configured(command);
      return (await import('./chat/index.ts')).chat(options, env, mode, hooks);
    }
    case 'prompt':
    case 'continue':
      return run(command, signal, hooks);
  }
}

function storedKeys(): StoredKeys {
  return new StoredKeys(storageDirectory(process.env));
}

type Configured<Given> = { command: Given; env: NodeJS.ProcessEnv; mode?: Mode };

/** Adds the values of the configuration file to those of the command line and the environment, which take precedence. */
async function configured<Given extends Command>(command: Given): Promise<Configured<Given>> {
  const file = configFile();
  return existsSync(file) ? (await import('./config/configured.ts')).configured(command, file) : { command, env: process.env };
}

async function run(given: Extract<Command, { action: 'prompt' | 'continue' }>, signal: AbortSignal, hooks: SignalHooks): Promise<number> {
  const { command, env, mode: usualMode } = await configured(given);
  const chosen = chosenModel(command.model, env);
  // The provider's code loads while the session is opened.
  if (chosen)
    void catalogEntry(chosen.provider)
      ?.load()
      .catch(() => undefined);
  const { schema } = command;
  const answers =
    schema === undefined
      ? undefined
      : (await import('./schema/index.ts')).jsonAnswers(schema, 'mode' in command ? command.mode : usualMode);
  const kedge = openKedge(command, env, undefined, answers?.parts);
  const template = command.action === 'prompt' ? command.template : undefined;
  const isPiped = !template && command.prompt.includes('-');
  const typed = command.prompt
    .filter((word) => word !== '-')
    .join(' ')
    .trim();
  const text = template
    ? await (await import('./documents/template-prompt.ts')).templatePrompt({ template, words: command.prompt }, kedge.documents)
    : isPiped
      ? await (await import('./options/standard-input.ts')).withStandardInput(typed)
      : typed;
  const session =
    command.session === undefined
      ? await kedge.assistant.newSession()
      : await (await import('./sessions/find.ts')).findSession(kedge.assistant, command.session);
  const { limits } = session.state;
  if (Object.keys(limits).length > 0 && !command.json && !command.quiet)
    process.stderr.write(`${(await import('../../core/words/session-limits-text.ts')).sessionLimitsText(limits)}\n`);
  if (session.damage) process.stderr.write(`kedge: ${oneLine(session.damage, 1_000)}\n`);
  hooks.shutDown = () => kedge.assistant.shutDown();
  hooks.onStall = () => session.fail(new Error(STALLED));
  const { lastRun } = session.state;
  const model = chosen ?? lastRun?.model ?? { provider: 'offline', model: 'offline' };
  if (template && model.provider === 'offline')
    throw new UsageError(`kedge docs ${template} needs a model. Choose one with --model; kedge models lists them.`);
  kedge.expectPrice(model);
  const { config, explicitAddress, agentProblem } = await kedge.use(model, session, signal);
  if (signal.aborted) return EXIT.stopped;
  const missing = missingKey(model, config);
  if (missing) throw new Error(missing);
  const mode = command.action === 'prompt' ? (command.mode ?? usualMode) : (lastRun?.mode ?? 'ask');
  if (!mode) throw new UsageError(notCommand(command.prompt[0] ?? ''));
  if (agentProblem && mode === 'agent') process.stderr.write(`${oneLine(agentProblem, 1_000)}\n`);
  const { readLastRun } = await import('../../core/view/session-view.ts');
  const renderer = command.json
    ? undefined
    : new (command.quiet ? (await import('./output/quiet-renderer.ts')).QuietRenderer : TextRenderer)(
        answers?.out ?? process.stdout,
        process.stderr,
        process.stdin.isTTY === true,
        readLastRun(session.events),
      );
  const unsubscribe = session.subscribe(renderer ? (event) => renderer.handle(event) : printJson, { withChildren: true });
  hooks.onInterrupt = () => void renderer?.interrupted();

  const endpoint = env.KEDGE_OTLP_ENDPOINT;
  const traces = endpoint ? (await import('./traces.ts')).tracesTo(endpoint, kedge.assistant) : undefined;
  const start = async () => {
    const shown = command.action === 'prompt' && command.shown;
    if (text) {
      const attachments = /@|^\//.test(typed)
        ? await (await import('./mentions.ts')).readTyped(kedge.assistant, session, typed, signal, model)
        : [];
      const prompt =
        typed === text && text.startsWith('/') && !shown
          ? await (await import('./customizations/prompt-files.ts')).promptFile(kedge.assistant, session, text, { mode, signal })
          : undefined;
      if (prompt && !command.json && !command.quiet) process.stderr.write(`${harmless(prompt.text)}\n\n`);
      const asked = { ...(prompt ?? { text, mode }), attachments };
      const options = { ...command, mode: asked.mode };
      const worktree = command.worktree && (await (await loadWorktrees()).createWorktree(kedge, session, options, signal));
      const agent = command.agent === 'none' ? '' : command.agent;
      const bound = { ...(shown && { shown }), ...(worktree && { worktree }) };
      return session.prompt({ ...asked, ...(agent !== undefined && { agent }) }, bound);
    }
    if (session.state.pendingApprovals.size + session.state.pendingQuestions.size > 0) return answerPending(session, command, signal);
    const proposed = proposedPlan(session.state);
    const plan = proposed && session.state.plans.get(proposed)?.plan;
    if (plan) return renderer?.handle({ type: 'plan_proposed', plan, runId: '', seq: 0, at: 0 });
    const unfinished = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === lastRun?.runId);
    if (unfinished && lastRun?.outcome !== 'failed') return session.plans.resume(unfinished.plan.id);
    if (lastRun?.status === 'finished' && lastRun.outcome !== 'failed')
      throw new UsageError(
        'The last run of this session is finished, so there is nothing to continue. Add a request: kedge --continue "…"',
      );
    return session.resume();
  };
  const code = await runSession(session, start, { ...command, ...(explicitAddress && { baseUrl: explicitAddress }) }, signal, () =>
    renderer?.skipWait(),
  );
  if (code === EXIT.answered && !command.json) answers?.print(session);
  if (session.state.worktree !== undefined) {
    // Applying the changes prints with a renderer of its own.
    if (!command.json) unsubscribe();
    await (await loadWorktrees()).offerChanges(kedge, session, command, signal);
  }
  if (command.output !== undefined) (await import('./output/plan-output.ts')).writePlan(session, command.output);
  await kedge.pruneCheckpoints().catch(() => undefined);
  await traces?.flush();
  await kedge.assistant.shutDown();
  return code;
}

function printJson(event: AgentEvent): void {
  // An event that could not be logged has the number of the last logged event.
  process.stdout.write(`${JSON.stringify({ ...event, seq: Math.floor(event.seq) })}\n`);
}

const STALLED =
  'The run stopped responding: a connection was lost without an error. Try again. If it happens again, use a newer version of Node.';

/**
 * Handles an empty event loop, which makes Node exit silently with code 0. The handler fails the run. If the program still does not end,
 * the handler ends it with an error.
 */
function handleStall(hooks: SignalHooks): () => void {
  const onBeforeExit = () => {
    const { onStall: fail } = hooks;
    delete hooks.onStall;
    if (fail) {
      fail();
      // `setImmediate` keeps the event loop alive for one more turn, in which the run can record its failure.
      return void setImmediate(() => undefined);
    }
    void hooks.shutDown?.();
    process.stderr.write('kedge: The program stopped responding. Try again.\n');
    process.exit(EXIT.failed);
  };
  process.on('beforeExit', onBeforeExit);
  return () => process.off('beforeExit', onBeforeExit);
}

/**
 * Ctrl+C stops the run, and a second Ctrl+C exits immediately. When the terminal is closed, the run stays open in the log, so that it can
 * be continued.
 */
function handleSignals(stopping: AbortController): SignalHooks {
  const hooks: SignalHooks = {};
  process.on('SIGINT', () => {
    // A conversation handles Ctrl+C itself.
    if (hooks.onInterrupt?.() === true) return;
    if (stopping.signal.aborted || !hooks.shutDown) process.exit(EXIT.stopped);
    stopping.abort();
  });
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(name, () => {
      // A second signal exits without waiting for the shutdown.
      if (hooks.ending || !hooks.shutDown) process.exit(code);
      hooks.ending = hooks.shutDown().then(() => process.exit(code));
    });
  }
  // A broken pipe means that no program reads the output, so the run is stopped.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (isBrokenPipe(error)) return stopping.abort();
      void hooks.shutDown?.();
      if (stream === process.stdout) process.stderr.write(`kedge: The output could not be written: ${oneLine(error.message)}\n`);
      process.exit(EXIT.failed);
    });
  }
  return hooks;
}

/** Returns the message of an error. If Kedge cannot write its data, the message mentions the variable that sets another folder. */
function failureText(error: unknown): string {
  const problem = writeFailure(error);
  if (problem) return `${problem} To store Kedge’s data in another folder, set KEDGE_HOME.`;
  return error instanceof Error ? error.message : String(error);
}

const FOLDER_GONE = 'The current folder no longer exists. Change to another folder, or set one with --folder.';

function isCurrentFolderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';
}

function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
}
