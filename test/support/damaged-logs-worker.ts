/** Opens damaged logs one after another in a worker thread, so that its parent notices a log that makes it hang. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { planOverviews } from '../../src/core/plan/progress.ts';
import { NewerLogError } from '../../src/core/session/log-format.ts';
import { foldSession } from '../../src/core/session/reduce.ts';
import { receiptMarkdown } from '../../src/core/view/receipt.ts';
import { receiptOf } from '../../src/core/view/run-receipt.ts';
import { runIn } from '../../src/core/view/session-view.ts';
import { describeProgress } from '../../src/core/view/summary.ts';
import { say } from '../../src/providers/scripted/index.ts';
import { EMPTY, reduce } from '../../webview-ui/state.ts';
import { wholeState } from './compared.ts';
import { type Damage, damaged } from './damage.ts';
import { answerAll, type Harness, layOut, snapshotOf } from './harness.ts';
import { type RecordedLog, recordLogs } from './recorded-logs.ts';

export type DamagedLog = { log: number; other: number; damages: Damage[] };

/** The model ends every turn at once. */
const adapter = {
  async *stream() {
    yield* say('Here.');
    yield { type: 'stop' as const, reason: 'end_turn' as const };
  },
};

async function check(recorded: RecordedLog, other: RecordedLog, damages: readonly Damage[], files: Record<string, string>): Promise<void> {
  const { kedge, sent } = recorded;
  const file = join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`);
  const { bytes, isCut } = damaged(recorded.log, other.log, damages);
  await rm(`${file}.damaged`, { force: true });
  await rm(kedge.root, { recursive: true, force: true });
  await layOut(kedge.root, files);
  await writeFile(file, bytes);
  const before = new Map(isCut ? [] : sent.times);
  sent.times.clear();

  const opened = await kedge.reload({ adapter }).catch((error: unknown) => {
    if (!(error instanceof NewerLogError)) throw error;
  });
  // A flipped bit can make the log look like one in a later format.
  if (!opened) {
    assert.deepEqual(await readFile(file), bytes);
    sent.times = new Map(before);
    return;
  }
  assert.deepEqual(
    (await opened.assistant.sessions()).map(({ id }) => id),
    [kedge.session.id],
  );
  const library = await opened.assistant.library();
  assert.equal((await library.insights()).length, 1);
  for await (const hit of library.search('new')) assert.equal(hit.session.id, kedge.session.id);
  const { session } = opened;
  if (damages.length === 0) assert.deepEqual([session.damage, session.events.length >= kedge.session.events.length], [undefined, true]);
  show(opened);
  await goOn(opened);
  await session.prompt({ text: 'And now?', mode: 'ask' });
  assert.equal(session.state.lastRun?.outcome, 'answered');
  for (const { runId, changed } of [...session.state.runs.values()])
    if (changed) await session.changes.undo(runId).catch(expectSessionError);
  for (const [callId, times] of sent.times) assert.ok(times + (before.get(callId) ?? 0) <= 1, `${callId} was carried out twice`);
  show(opened);

  const again = await opened.reload({ adapter });
  assert.deepEqual([...again.session.events], JSON.parse(JSON.stringify(session.events)), 'the log is read as it was written');
  assert.deepEqual(wholeState(again.session.state), wholeState(session.state));
  again.assistant.close();
  sent.times = new Map(isCut ? recorded.sent.times : before);
}

/** Computes everything that hosts show of a session, to check that nothing throws. */
function show({ session }: Harness): void {
  const { id, events, state, damage } = session;
  const view = session.readView();
  const numbers = events.map(({ seq }) => seq);
  for (const [index, seq] of numbers.entries()) assert.ok(index === 0 || seq > (numbers[index - 1] ?? 0));
  assert.deepEqual(wholeState(foldSession(events)), wholeState(state));
  reduce(EMPTY, { type: 'session', sessionId: id, title: state.title, events: [...events], earlierRuns: 0, running: false });
  for (const runId of state.runs.keys()) receiptMarkdown(receiptOf(runIn(view, runId)));
  for (const event of events) if (event.type === 'run_finished' && event.receipt) receiptMarkdown(event.receipt);
  planOverviews(state);
  describeProgress(state, state.lastRun);
  assert.ok(damage === undefined || /damaged/.test(damage));
}

/** Answers approvals and questions and resumes the run until it has ended. */
async function goOn({ session }: Harness): Promise<void> {
  answerAll(session, { approve: true });
  session.subscribe((event) => {
    if (event.type === 'question_asked') void session.answerQuestion(event.questionId, { option: 'Skip' });
  });
  for (let round = 0; session.state.lastRun && session.state.lastRun.status !== 'finished'; round++) {
    assert.ok(round < 50, 'the run does not end');
    const [approval] = session.state.pendingApprovals.keys();
    const [question] = session.state.pendingQuestions.keys();
    if (approval !== undefined) await session.answerApproval(approval, { approve: true });
    else if (question !== undefined) await session.answerQuestion(question, { option: 'Skip' });
    else await session.resume({ raise: true });
  }
}

function expectSessionError(error: Error): void {
  if (error.name !== 'SessionError') throw error;
}

const recordings = await recordLogs();
const contents = new Map<RecordedLog, Record<string, string>>();
for (const recorded of recordings) {
  const found = Object.entries(await snapshotOf(recorded.kedge.root));
  contents.set(recorded, Object.fromEntries(found.flatMap(([path, text]) => (path.endsWith('/') ? [] : [[path, text]]))));
}

parentPort?.on('message', async ({ log, other, damages }: DamagedLog) => {
  const recorded = recordings[log % recordings.length] as RecordedLog;
  const foreign = recordings[other % recordings.length] as RecordedLog;
  const times = new Map(recorded.sent.times);
  let problem: string | undefined;
  try {
    await check(recorded, foreign, damages, contents.get(recorded) ?? {});
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  recorded.sent.times = times;
  parentPort?.postMessage({ problem });
});
parentPort?.postMessage('ready');
