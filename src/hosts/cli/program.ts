/** The terminal program: one command from beginning to end. */
import { SessionError } from '../../app/session/session.ts';
import { writeFailure } from '../../core/file-failure.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import { catalogEntry } from '../../providers/catalog.ts';
import { StoredKeys } from '../node/keyring.ts';
import { storageDirectory } from '../node/storage.ts';
import { answerPending, converse, EXIT, openPlan } from './converse.ts';
import { findSession, type Kedge, openKedge, triedModels } from './kedge.ts';
import { type Command, parseCommand, UsageError } from './options/arguments.ts';
import { chosenModel, describeModels, missingKey } from './options/environment.ts';
import { TextRenderer } from './output/render.ts';
import { harmless, oneLine } from './output/terminal.ts';

/**
 * What is to be done when a signal comes: `say` before the program ends by it, `interrupted` at each Ctrl+C. `ending`: the exit code of a program
 * that a signal ends. `stalled` when nothing is left to wait for although the program has not ended.
 */
type LastWords = { say?: () => Promise<void>; interrupted?: () => void; stalled?: () => void; ending?: Promise<number> };

/** Returns the exit code. Every failure is one sentence on stderr. */
export async function program(args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const lastWords = handleSignals(stopping);
  const endOfStall = handleStall(lastWords);
  try {
    const code = await carryOut(parseCommand(args), stopping.signal, lastWords);
    return (await lastWords.ending) ?? code;
  } catch (error) {
    if (lastWords.ending) return lastWords.ending;
    if (isBrokenPipe(error)) return EXIT.stopped;
    process.stderr.write(`kedge: ${isGone(error) ? GONE : oneLine(failureText(error), 1_000)}\n`);
    return error instanceof UsageError || error instanceof SessionError ? EXIT.usage : EXIT.failed;
  } finally {
    endOfStall();
  }
}

async function carryOut(command: Command, signal: AbortSignal, lastWords: LastWords): Promise<number> {
  switch (command.action) {
    case 'help':
      process.stdout.write((await import('./options/help.ts')).HELP);
      return EXIT.answered;
    case 'version': {
      const manifest = await import('../../../package.json', { with: { type: 'json' } });
      process.stdout.write(`${manifest.default.version}\n`);
      return EXIT.answered;
    }
    case 'models':
      process.stdout.write(`${describeModels(process.env, storedKeys().names)}\n${await describeLocal()}`);
      return EXIT.answered;
    case 'keys': {
      const { keys } = await import('./options/keys.ts');
      const { stdin: input, stdout: output, stderr: prompts } = process;
      return (await keys(command.keys, storedKeys(), process.env, { input, output, prompts })) ? EXIT.answered : EXIT.stopped;
    }
    case 'sessions':
      return listSessions(openKedge(command), command.json);
    case 'undo': {
      const { undo } = await import('./undo.ts');
      const { assistant } = openKedge(command);
      // It ends between two files, and says what it has done.
      lastWords.say = () => assistant.shutDown();
      return undo(assistant, command.run, { show: command.json ? printJson : undefined, signal });
    }
    case 'grants':
      return grants(openKedge(command), command.clear);
    case 'prompt':
    case 'continue':
      return run(command, signal, lastWords);
  }
}

/** What local models showed when they were tried, in lines of their own. */
async function describeLocal(): Promise<string> {
  const tried = (await import('./local-models.ts')).describeTried(triedModels());
  return tried ? `\nLocal models that were tried:\n${harmless(tried)}\n` : '';
}

function storedKeys(): StoredKeys {
  return new StoredKeys(storageDirectory(process.env));
}

async function run(command: Extract<Command, { prompt: string[] }>, signal: AbortSignal, lastWords: LastWords): Promise<number> {
  const chosen = chosenModel(command.model, process.env);
  // Its code loads while everything else is got ready.
  if (chosen)
    void catalogEntry(chosen.provider)
      ?.load()
      .catch(() => undefined);
  const kedge = openKedge(command);
  const text = await promptText(command.prompt);
  const session = command.session === undefined ? kedge.assistant.newSession() : await findSession(kedge.assistant, command.session);
  if (session.damage) process.stderr.write(`kedge: ${oneLine(session.damage, 1_000)}\n`);
  lastWords.say = () => kedge.assistant.shutDown();
  lastWords.stalled = () => session.fail(new Error(STALLED));
  const { lastRun } = session.state;
  const model = chosen ?? lastRun?.model ?? { provider: 'offline', model: 'offline' };
  kedge.expectPrice(model);
  const { config, given, unsuitable } = await kedge.use(model, session, signal);
  if (signal.aborted) return EXIT.stopped;
  const missing = missingKey(model, config);
  if (missing) throw new Error(missing);
  const mode = command.action === 'prompt' ? command.mode : (lastRun?.mode ?? 'ask');
  if (unsuitable && mode === 'agent') process.stderr.write(`${oneLine(unsuitable, 1_000)}\n`);
  const renderer = command.json
    ? undefined
    : new TextRenderer(process.stdout, process.stderr, process.stdin.isTTY === true, session.view.runs.at(-1));
  session.subscribe(renderer ? (event) => renderer.handle(event) : printJson);
  lastWords.interrupted = () => renderer?.interrupted();

  const start = async () => {
    if (text) return session.prompt({ text, mode });
    if (session.state.pendingApprovals.size + session.state.pendingQuestions.size > 0) return answerPending(session, command, signal);
    const proposed = openPlan(session);
    const plan = proposed && session.state.plans.get(proposed)?.plan;
    if (plan) return renderer?.handle({ type: 'plan_proposed', plan, runId: '', seq: 0, at: 0 });
    const left = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === lastRun?.runId);
    if (left && lastRun?.outcome !== 'failed') return session.plans.resume(left.plan.id);
    if (lastRun?.status === 'finished' && lastRun.outcome !== 'failed')
      throw new UsageError('That session has ended. Add a request: kedge --continue "…"');
    return session.resume();
  };
  const code = await converse(session, start, { ...command, ...(given && { baseUrl: given }) }, signal, () => renderer?.skipWait());
  if (command.output !== undefined) (await import('./output/plan-output.ts')).writePlan(session, command.output);
  await kedge.prune().catch(() => undefined);
  await kedge.assistant.shutDown();
  return code;
}

/** The words of the command line; a lone `-` is what comes in on stdin. @throws UsageError when that is empty. */
async function promptText(words: readonly string[]): Promise<string> {
  const text = words.filter((word) => word !== '-').join(' ');
  if (!words.includes('-')) return text.trim();
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  if (!input.trim() && !text.trim()) throw new UsageError('Nothing came in on stdin.');
  return [text, input.trimEnd()].filter(Boolean).join('\n\n');
}

async function listSessions({ assistant }: Kedge, json: boolean): Promise<number> {
  const infos = await assistant.sessions();
  if (infos.length === 0 && !json) process.stderr.write('There is no session in this folder yet.\n');
  for (const info of infos) {
    const when = new Date(info.changedAt).toLocaleString('sv').slice(0, 16);
    process.stdout.write(json ? `${JSON.stringify(info)}\n` : `${info.id}  ${when}  ${oneLine(info.title, 80)}\n`);
  }
  return EXIT.answered;
}

async function grants({ grants: kept, assistant }: Kedge, clear: number | 'all' | undefined): Promise<number> {
  const { describeGrants } = await import('./grants.ts');
  if (clear === undefined) {
    process.stdout.write(`${describeGrants(kept.list())}\n`);
    return EXIT.answered;
  }
  const gone = kept.clear(clear === 'all' ? undefined : clear);
  assistant.revokeGrants();
  if (gone.length === 0 && clear !== 'all') throw new UsageError(`There is no ${clear} in the list. See kedge grants.`);
  process.stdout.write(gone.length === 0 ? 'Nothing was allowed.\n' : `No longer allowed:\n${describeGrants(gone)}\n`);
  return EXIT.answered;
}

function printJson(event: AgentEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

const STALLED =
  'Nothing is left to wait for, but the run has not ended: a connection was lost without an error. Try again; if it happens again, use a newer version of Node.';

/** Node leaves in silence, and with 0, where nothing is left that could wake it: then a run fails, and if that does not help, the program. */
function handleStall(lastWords: LastWords): () => void {
  const stalled = () => {
    const { stalled: fail } = lastWords;
    delete lastWords.stalled;
    if (fail) {
      fail();
      // Another turn, in which what follows from it can be seen.
      return void setImmediate(() => undefined);
    }
    void lastWords.say?.();
    process.stderr.write('kedge: The program came to a standstill, with nothing left to wait for. Try again.\n');
    process.exit(EXIT.failed);
  };
  process.on('beforeExit', stalled);
  return () => process.off('beforeExit', stalled);
}

/** Ctrl+C stops the run; a second one leaves at once. When the terminal goes away, the log keeps the run open to be gone on with. */
function handleSignals(stopping: AbortController): LastWords {
  const lastWords: LastWords = {};
  process.on('SIGINT', () => {
    lastWords.interrupted?.();
    if (stopping.signal.aborted || !lastWords.say) process.exit(EXIT.stopped);
    stopping.abort();
  });
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(name, () => {
      // Whoever says it twice does not want to wait.
      if (lastWords.ending || !lastWords.say) process.exit(code);
      lastWords.ending = lastWords.say().then(() => process.exit(code));
    });
  }
  // Whoever read the output has gone: nothing that follows would be seen.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (isBrokenPipe(error)) return stopping.abort();
      void lastWords.say?.();
      if (stream === process.stdout) process.stderr.write(`kedge: The output cannot be written: ${oneLine(error.message)}\n`);
      process.exit(EXIT.failed);
    });
  }
  return lastWords;
}

/** What Kedge keeps belongs to a folder of its own. */
function failureText(error: unknown): string {
  const written = writeFailure(error);
  if (written) return `${written} KEDGE_HOME can name another folder for what Kedge keeps.`;
  return error instanceof Error ? error.message : String(error);
}

const GONE = 'The folder that you are in is not there any more. Change to another, or name one with --folder.';

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';
}

function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
}
