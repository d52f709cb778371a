/** `kedge undo`: undoes the changes of a run, without a model. */
import type { Assistant } from '../../app/assistant.ts';
import type { Session } from '../../app/session/session.ts';
import type { AgentEvent, UndoResult } from '../../core/session/events.ts';
import { oneLine, paintFor } from './output/terminal.ts';
import { EXIT } from './run-session.ts';

type UndoOptions = { show?: ((event: AgentEvent) => void) | undefined; signal?: AbortSignal };

export async function undo(assistant: Assistant, wanted: string | undefined, { show, signal }: UndoOptions = {}): Promise<number> {
  const problems: string[] = [];
  const target = await findRun(assistant, wanted, problems);
  if (!target) {
    const none = wanted
      ? `This folder has no run ${wanted} that changed files.`
      : 'This folder has no run with changes that can be undone.';
    process.stderr.write(`kedge: ${[none, ...problems].join(' ')}\n`);
    return EXIT.failed;
  }
  const { session, runId, prompt, damagedSessions } = target;
  // The run that the user wants to undo may be in a damaged session, so the damage is reported.
  if (!wanted) for (const damage of damagedSessions) process.stderr.write(`kedge: ${damage}\n`);
  if (session.damage) process.stderr.write(`kedge: ${oneLine(session.damage, 1_000)}\n`);
  let results: UndoResult[] = [];
  session.subscribe((event) => {
    if (event.type === 'changes_undone') results = event.results;
    show?.(event);
  });
  try {
    await session.changes.undo(runId, undefined, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    process.stderr.write('kedge: Stopped before anything was undone.\n');
    return EXIT.stopped;
  }
  if (!show) print(prompt, results);
  const refused = results.flatMap(({ path, outcome }) => (outcome === 'refused' ? [path] : []));
  if (!show) for (const line of await changedSince(assistant, session, runId, refused)) process.stderr.write(`${line}\n`);
  const isMore = [...session.state.runs.values()].some((run) => run.runId !== runId && run.changed && !session.state.undone.has(run.runId));
  if (isMore && !show && !wanted) process.stderr.write('An earlier run also changed files. To undo that run as well: kedge undo\n');
  return refused.length > 0 ? EXIT.failed : EXIT.answered;
}

/** Returns messages that name the later runs that changed the files that could not be restored. */
async function changedSince(assistant: Assistant, own: Session, runId: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const startedAt = own.events.ofType('changes_staged', runId)[0]?.at ?? 0;
  const lines = new Map<string, string>();
  for (const { id } of await assistant.sessions()) {
    const session = await assistant.session(id).catch(() => undefined);
    for (const event of session?.events.ofType('file_changed') ?? []) {
      if (event.runId === runId || event.at < startedAt || session?.state.undone.has(event.runId)) continue;
      const path = event.changes.find((change) => paths.includes(change.path))?.path;
      const run = session?.state.runs.get(event.runId);
      if (path === undefined || !run) continue;
      const name = `“${oneLine(run.plan?.goal ?? run.prompt, 80)}”`;
      lines.set(
        event.runId,
        `${oneLine(path)} was changed later by another run, ${name}. To undo that run first: kedge undo ${event.runId}`,
      );
    }
  }
  return [...lines.values()];
}

/**
 * Finds the run to undo in all sessions of the folder. `wanted` is the id of a run, or the id of a session whose last changing run is
 * undone. Without `wanted`, it is the last run that changed files and is not undone yet. Sessions that cannot be opened are skipped and
 * added to `problems`. `damagedSessions` describes damaged sessions without a matching run; if no run matches, `problems` includes them.
 */
async function findRun(
  assistant: Assistant,
  wanted: string | undefined,
  problems: string[],
): Promise<{ session: Session; runId: string; prompt: string; damagedSessions: readonly string[] } | undefined> {
  const damagedSessions: string[] = [];
  /** A fork contains copies of its parent's runs. A run that was undone in either session is not offered again. */
  const undone = new Set<string>();
  for (const { id } of await assistant.sessions()) {
    const session = await assistant.session(id).catch((error: unknown) => {
      problems.push(`Session ${id} could not be opened: ${oneLine(error instanceof Error ? error.message : String(error), 200)}`);
    });
    const runs = session ? [...session.state.runs.values()].reverse() : [];
    for (const runId of session?.state.undone ?? []) undone.add(runId);
    const run = runs.find(
      ({ runId, changed }) => changed && (wanted ? runId.startsWith(wanted) || id.startsWith(wanted) : !undone.has(runId)),
    );
    if (session && run) return { session, runId: run.runId, prompt: run.plan?.goal ?? run.prompt, damagedSessions };
    if (session?.damage) damagedSessions.push(`Session ${id}: ${oneLine(session.damage, 1_000)}`);
  }
  problems.push(...damagedSessions);
  return undefined;
}

const OUTCOME: Record<UndoResult['outcome'], string> = {
  restored: 'restored',
  merged: 'restored, with later edits kept',
  unchanged: 'not changed, because it already has its earlier content',
  refused: 'not restored',
};

function print(prompt: string, results: readonly UndoResult[]): void {
  const paint = paintFor(process.stdout);
  const lines = results.map(({ path, outcome, reason }) => {
    const sign = outcome === 'refused' ? paint.red('✗') : paint.green('●');
    return `${sign} ${oneLine(path)}: ${OUTCOME[outcome]}${reason ? ` (${oneLine(reason)})` : ''}`;
  });
  process.stdout.write(`Undone: ${oneLine(prompt, 80)}\n${lines.join('\n')}${lines.length ? '\n' : ''}`);
}
