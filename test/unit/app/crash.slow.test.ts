import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { layOutTask, openTask, versionsIn, work } from '../../support/crash-task.ts';
import { eventsOf, snapshotOf } from '../../support/harness.ts';

const PROGRAM = join(import.meta.dirname, '../../support/crash-task.ts');
const FULL_DISK = join(import.meta.dirname, '../../support/full-disk.ts');
const ignored = /^out\//;

async function places() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-crash-')));
  const [root, storage] = [join(base, 'workspace'), join(base, 'storage')];
  layOutTask(root);
  return { root, storage, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
}

type Place = { root: string; storage: string };

/** Runs the task in a process. Returns the durable events that it showed, in order, and what it wrote to its standard error. */
async function run(args: string[], { root, storage }: Place, moment = 0, env = {}): Promise<{ shown: AgentEvent[]; said: string }> {
  const child = spawn(process.execPath, [...args, PROGRAM, root, storage, String(moment)], { env: { ...process.env, ...env } });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = await once(child, 'close');
  assert.ok(signal === 'SIGKILL' || code === 0, said);
  return {
    shown: out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    said,
  };
}

/** Runs the task in a process that kills itself at a moment. */
const killedAt = (moment: number, place: Place) => run([], place, moment);

/** Runs the task in a process whose disk is full from an operation on. With 0, it is never full. */
async function onFullDisk(operation: number, place: Place): Promise<{ shown: AgentEvent[]; operations: number }> {
  const report = join(place.root, '..', 'operations');
  const env = { KEDGE_DISK_FULL_AT: String(operation), KEDGE_DISK_OPERATIONS: report };
  const { shown } = await run(['--import', FULL_DISK], place, 0, env);
  return { shown, operations: Number(await readFile(report, 'utf8')) };
}

const withoutOutput = (snapshot: Record<string, string>) =>
  Object.fromEntries(Object.entries(snapshot).filter(([path]) => !ignored.test(path)));

const share = fc.double({ min: 0, max: 1, noNaN: true });
const options = { numRuns: Number(process.env.KEDGE_CRASHES ?? 10) };

/**
 * Opens what the process left behind, runs the task to its end and undoes it. Every event that was shown must be in the log, every file wholly
 * before or after each change, and no call may run twice.
 */
async function goOn(place: Place, initial: Record<string, string>, shown: readonly AgentEvent[]): Promise<void> {
  const task = openTask(place.root, place.storage, () => undefined);
  try {
    await task.writer.recover();
    versionsIn(place.root);
    const [info] = await task.assistant.sessions();
    const session = info ? await task.assistant.session(info.id) : await task.assistant.newSession();
    assert.ok(session);
    const logged = new Map(session.events.map((event) => [event.seq, event]));
    for (const event of shown) assert.deepEqual(logged.get(event.seq), event);
    await work(session);
    const { plan } = session.plans.list().at(-1) ?? {};
    assert.equal(session.plans.list().at(-1)?.stage, 'done', plan?.goal);
    versionsIn(place.root);
    for (const name of await readdir(join(place.root, 'out')))
      assert.equal(await readFile(join(place.root, 'out', name), 'utf8'), 'x', `${name} was written by more than one call`);
    const started = eventsOf(session.events, 'tool_finished').filter(({ result, withheld }) => !withheld && !result.isError);
    assert.equal(new Set(started.map(({ callId }) => callId)).size, started.length);
    await session.changes.restore({ runId: [...session.state.runs.keys()][0] ?? '' });
    assert.deepEqual(withoutOutput(await snapshotOf(place.root)), initial);
  } finally {
    task.close();
  }
}

describe('a run of a plan that is killed', () => {
  let moments = 0;

  before(async () => {
    await using place = await places();
    moments = Number.parseInt((await killedAt(0, place)).said, 10);
    assert.deepEqual(versionsIn(place.root), [3, 3, 3]);
    assert.ok(moments > 100, `${moments} moments`);
  });

  it('has logged what it showed, runs nothing twice, leaves whole files, goes on to its end, and can be undone', async () => {
    await fc.assert(
      fc.asyncProperty(share, async (part) => {
        await using place = await places();
        const initial = withoutOutput(await snapshotOf(place.root));
        const { shown } = await killedAt(1 + Math.floor(part * (moments - 1)), place);
        await goOn(place, initial, shown);
      }),
      options,
    );
  });
});

describe('a run of a plan whose disk is full from some moment on', () => {
  let operations = 0;

  before(async () => {
    await using place = await places();
    ({ operations } = await onFullDisk(0, place));
    assert.deepEqual(versionsIn(place.root), [3, 3, 3]);
    assert.ok(operations > 100, `${operations} operations`);
  });

  it('keeps the same promises when there is space again', async () => {
    await fc.assert(
      fc.asyncProperty(share, async (part) => {
        await using place = await places();
        const initial = withoutOutput(await snapshotOf(place.root));
        const { shown } = await onFullDisk(1 + Math.floor(part * (operations - 1)), place);
        // The end of the run is shown although it cannot be logged.
        await goOn(
          place,
          initial,
          shown.filter(({ type }) => type !== 'run_finished'),
        );
      }),
      options,
    );
  });
});
