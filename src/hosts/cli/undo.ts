/** `kedge undo`: takes back what a run changed, without a model. */
import type { Assistant } from '../../app/assistant.ts';
import type { Session } from '../../app/session/session.ts';
import type { AgentEvent, UndoResult } from '../../core/session/events.ts';
import { EXIT } from './converse.ts';
import { oneLine, paintFor } from './output/terminal.ts';

type UndoOptions = { show?: ((event: AgentEvent) => void) | undefined; signal?: AbortSignal };

export async function undo(assistant: Assistant, wanted: string | undefined, { show, signal }: UndoOptions = {}): Promise<number> {
  const problems: string[] = [];
  const found = await findRun(assistant, wanted, problems);
  if (!found) {
    const none = wanted ? `There is no run ${wanted} that changed files here.` : 'No run here has changes that could be taken back.';
    process.stderr.write(`kedge: ${[none, ...problems].join(' ')}\n`);
    return EXIT.failed;
  }
  const { session, runId, prompt, passed } = found;
  // What was lost may be the very run that was meant.
  if (!wanted) for (const damage of passed) process.stderr.write(`kedge: ${damage}\n`);
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
    process.stderr.write('kedge: Stopped before anything was taken back.\n');
    return EXIT.stopped;
  }
  if (!show) print(prompt, results);
  const refused = results.flatMap(({ path, outcome }) => (outcome === 'refused' ? [path] : []));
  if (!show) for (const line of await changedSince(assistant, session, runId, refused)) process.stderr.write(`${line}\n`);
  const isMore = [...session.state.runs.values()].some((run) => run.runId !== runId && run.changed && !session.state.undone.has(run.runId));
  if (isMore && !show && !wanted) process.stderr.write('A run before it changed files too. To take that back as well: kedge undo\n');
  return refused.length > 0 ? EXIT.failed : EXIT.answered;
}

/** Where another run of Kedge, mostly of another program, went on in a file that could not be restored, which one it was. */
async function changedSince(assistant: Assistant, own: Session, runId: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const begun = own.events.find((event) => event.type === 'changes_staged' && event.runId === runId)?.at ?? 0;
  const lines = new Map<string, string>();
  for (const { id } of await assistant.sessions()) {
    const session = await assistant.session(id).catch(() => undefined);
    for (const event of session?.events ?? []) {
      if (event.type !== 'file_changed' || event.runId === runId || event.at < begun || session?.state.undone.has(event.runId)) continue;
      const path = event.changes.find((change) => paths.includes(change.path))?.path;
      const run = session?.state.runs.get(event.runId);
      if (path === undefined || !run) continue;
      const name = `“${oneLine(run.plan?.goal ?? run.prompt, 80)}”`;
      lines.set(
        event.runId,
        `${oneLine(path)} was changed since by another run, ${name}. To undo that run first: kedge undo ${event.runId}`,
      );
    }
  }
  return [...lines.values()];
}

/**
 * The run of that id, the last one of the session of that id, or the last one that changed files and was not taken back yet; of any session of
 * the folder. A session that cannot be opened keeps nobody from the others, and is named in `problems`, as are those in whose damaged log no
 * such run is left; `passed` are the latter.
 */
async function findRun(
  assistant: Assistant,
  wanted: string | undefined,
  problems: string[],
): Promise<{ session: Session; runId: string; prompt: string; passed: readonly string[] } | undefined> {
  const passed: string[] = [];
  for (const { id } of await assistant.sessions()) {
    const session = await assistant.session(id).catch((error: unknown) => {
      problems.push(`The session ${id} cannot be opened: ${oneLine(error instanceof Error ? error.message : String(error), 200)}`);
    });
    const runs = session ? [...session.state.runs.values()].reverse() : [];
    const run = runs.find(
      ({ runId, changed }) => changed && (wanted ? runId.startsWith(wanted) || id.startsWith(wanted) : !session?.state.undone.has(runId)),
    );
    if (session && run) return { session, runId: run.runId, prompt: run.plan?.goal ?? run.prompt, passed };
    if (session?.damage) passed.push(`Session ${id}: ${oneLine(session.damage, 1_000)}`);
  }
  problems.push(...passed);
  return undefined;
}

const OUTCOME: Record<UndoResult['outcome'], string> = {
  restored: 'restored',
  merged: 'restored, and what was written since is still in it',
  unchanged: 'was as before already',
  refused: 'refused',
};

function print(prompt: string, results: readonly UndoResult[]): void {
  const paint = paintFor(process.stdout);
  const lines = results.map(({ path, outcome, reason }) => {
    const sign = outcome === 'refused' ? paint.red('✗') : paint.green('●');
    return `${sign} ${oneLine(path)}: ${OUTCOME[outcome]}${reason ? ` (${oneLine(reason)})` : ''}`;
  });
  process.stdout.write(`Undo of: ${oneLine(prompt, 80)}\n${lines.join('\n')}${lines.length ? '\n' : ''}`);
}
