/** Runs in a Git worktree from the terminal: what is offered after such a run, and `kedge worktree`. */
import type { Session } from '../../../app/session/session.ts';
import type { SessionWorktree } from '../../../app/worktrees/session-worktree.ts';
import type { AgentEvent, Mode } from '../../../core/session/events.ts';
import { EXIT } from '../exit-codes.ts';
import type { Kedge } from '../kedge.ts';
import { type Options, UsageError } from '../options/arguments.ts';
import { oneLine, paintFor } from '../output/terminal.ts';
import { TextRenderer } from '../output/text-renderer.ts';
import { linesOf } from '../questions.ts';
import { driveRun } from '../run-session.ts';
import { findSession } from '../sessions/find.ts';

type Listed = { session: Session; worktree: SessionWorktree };
const MOST_NAMES = 20;
const NONE = 'No session of this folder works in a worktree. To start one: kedge agent --worktree "…"';

/** Creates the worktree of a new session. Returns its id. @throws UsageError in a mode that cannot write */
export async function createWorktree(
  { assistant }: Kedge,
  session: Session,
  options: Options & { mode: Mode },
  signal: AbortSignal,
): Promise<string> {
  if (options.mode !== 'agent')
    throw new UsageError('--worktree is for Agent mode, because the other modes change no files. Leave it out.');
  const worktree = await assistant.worktree(session);
  if (!options.quiet && !options.json) process.stderr.write('Creating a worktree …\n');
  return worktree.create(signal);
}

/** Lists the changes of a run that has ended. If a terminal is connected, asks whether they are to be applied. */
export async function offerChanges({ assistant }: Kedge, session: Session, options: Options, signal: AbortSignal): Promise<void> {
  const worktree = await assistant.worktree(session);
  const text = await changesText(worktree, signal);
  if (options.json) return;
  process.stderr.write(`${text}\n`);
  const id = session.id;
  const isOver = session.state.lastRun?.status === 'finished';
  if (isOver && process.stdin.isTTY && !signal.aborted) {
    const answer = await linesOf(process.stdin).ask('Apply them to your files? [y] review and apply, [n] later, [d] drop them: ', signal);
    const letter = answer?.trim().toLowerCase()[0];
    if (letter === 'y') return void (await apply({ session, worktree }, options, signal));
    if (letter === 'd') return drop({ session, worktree });
  }
  process.stderr.write(`To review and apply: kedge worktree apply ${id}\nTo drop the changes: kedge worktree drop ${id}\n`);
}

/** @throws UsageError if the words are invalid */
export async function worktreeCommand(kedge: Kedge, words: readonly string[], options: Options, signal: AbortSignal): Promise<number> {
  const [action = 'list', wanted, ...rest] = words;
  if (!/^(list|apply|drop)$/.test(action) || rest.length > 0)
    throw new UsageError('Usage: kedge worktree, kedge worktree apply [SESSION], or kedge worktree drop [SESSION].');
  if (action === 'list') return list(kedge, options, signal);
  const listed = await find(kedge, wanted);
  if (action === 'drop') {
    if (!(options.yes || (await confirmsDrop(signal)))) return EXIT.stopped;
    await drop(listed);
    return EXIT.answered;
  }
  if (!process.stdin.isTTY)
    throw new UsageError('The changes are applied after you have seen them, which needs a terminal. Run the command in a terminal.');
  return apply(listed, options, signal);
}

async function list(kedge: Kedge, options: Options, signal: AbortSignal): Promise<number> {
  const all = await inWorktrees(kedge);
  for (const { session, worktree } of all) {
    // A worktree that cannot be read is not one without changes.
    const read = await worktree
      .changes(signal)
      .catch((error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }));
    signal.throwIfAborted();
    const title = session.state.title;
    const files = 'changes' in read ? { files: read.changes.map(({ path }) => path) } : read;
    const state = 'files' in files ? `${count(files.files.length)} changed` : oneLine(files.problem, 300);
    const line = options.json ? JSON.stringify({ session: session.id, title, ...files }) : `${session.id}  ${oneLine(title, 60)}  ${state}`;
    process.stdout.write(`${line}\n`);
  }
  if (all.length === 0 && !options.json) process.stdout.write(`${NONE}\n`);
  return EXIT.answered;
}

async function apply({ session, worktree }: Listed, options: Options, signal: AbortSignal): Promise<number> {
  const renderer = new TextRenderer(process.stdout, process.stderr, true, undefined);
  const stop = session.subscribe((event: AgentEvent) => renderer.handle(event));
  try {
    await driveRun(session, () => worktree.apply(), { interactive: true, yes: false }, signal);
  } finally {
    stop();
  }
  if (session.state.worktree === undefined) return EXIT.answered;
  const landed = session.state.staged.some(({ runId, landed }) => landed && runId === session.state.lastRun?.runId);
  process.stderr.write(
    `${landed ? 'What was left out is still in the worktree.' : 'Nothing was applied.'} To review again: kedge worktree apply ${session.id}\nTo drop the changes: kedge worktree drop ${session.id}\n`,
  );
  if (landed) return EXIT.answered;
  return options.json ? EXIT.failed : EXIT.stopped;
}

/** Without a terminal, the command itself is the confirmation. */
async function confirmsDrop(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const answer = await linesOf(process.stdin).ask('Delete the worktree with its changes? [y/N] ', signal);
  return /^\s*y/i.test(answer ?? '');
}

async function drop({ session, worktree }: Listed): Promise<void> {
  await worktree.drop();
  process.stderr.write(`Dropped the worktree of “${oneLine(session.state.title, 60)}”. Your files stay as they are.\n`);
}

async function find(kedge: Kedge, wanted: string | undefined): Promise<Listed> {
  if (wanted !== undefined) {
    const session = await findSession(kedge.assistant, wanted);
    if (session.state.worktree === undefined)
      throw new UsageError('This session does not work in a worktree. To list those that do: kedge worktree');
    return { session, worktree: await kedge.assistant.worktree(session) };
  }
  const all = await inWorktrees(kedge);
  if (all[0] && all.length === 1) return all[0];
  throw new UsageError(
    all.length === 0
      ? NONE
      : `${all.length} sessions work in worktrees. Name one of them: ${all.map(({ session }) => session.id).join(', ')}`,
  );
}

async function inWorktrees({ assistant, worktrees: load }: Kedge): Promise<Listed[]> {
  const all: Listed[] = [];
  const worktrees = await load?.();
  for (const { session: id } of (await worktrees?.list()) ?? []) {
    const session = await assistant.session(id).catch(() => undefined);
    if (session?.state.worktree !== undefined) all.push({ session, worktree: await assistant.worktree(session) });
  }
  return all;
}

async function changesText(worktree: SessionWorktree, signal: AbortSignal): Promise<string> {
  const { changes, skipped } = await worktree.changes(signal);
  const paint = paintFor(process.stderr);
  const lines = changes.slice(0, MOST_NAMES).map(({ path, before, after }) => {
    const sign = !before ? paint.green('+') : !after ? paint.red('-') : '~';
    return `  ${sign} ${oneLine(path)}`;
  });
  if (changes.length > MOST_NAMES) lines.push(`  and ${changes.length - MOST_NAMES} more`);
  if (skipped.length > 0) lines.push(`  ${count(skipped.length)} cannot be applied: ${oneLine(skipped.join(', '), 300)}`);
  const first = worktree.isPartlyApplied
    ? `${count(changes.length)} in the worktree ${changes.length === 1 ? 'is' : 'are'} not applied, or only in part.`
    : `${count(changes.length)} changed in the worktree. Your files are as they were.`;
  return [first, ...lines].join('\n');
}

function count(files: number): string {
  return `${files} ${files === 1 ? 'file' : 'files'}`;
}
