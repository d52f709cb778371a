/** Kills a tree of child runs at random moments. KEDGE_CRASHES sets how often. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sweepWorktrees } from '../../../../src/app/worktrees/sweep.ts';
import { type Message, resultText, textOf } from '../../../../src/core/model/messages.ts';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { worktreesPort } from '../../../../src/hosts/node/worktrees/port.ts';
import { SessionStore } from '../../../../src/sessions/store.ts';
import { ANSWER, CALLS, finish, finishPlan, layOutFiles, openTree, PLAN_CALLS, RUNS, WRITTEN } from '../../../support/delegating-task.ts';
import { eventsOf } from '../../../support/harness.ts';

const PROGRAM = join(import.meta.dirname, '../../../support/delegating-task.ts');

async function places() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-tree-')));
  const [root, storage] = [join(base, 'workspace'), join(base, 'storage')];
  layOutFiles(root);
  return { root, storage, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
}

async function killedAt(
  moment: number,
  { root, storage }: { root: string; storage: string },
  task: 'tree' | 'plan' = 'tree',
): Promise<{ shown: AgentEvent[]; said: string }> {
  const child = spawn(process.execPath, [PROGRAM, root, storage, String(moment), task]);
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = await once(child, 'close');
  assert.ok(signal === 'SIGKILL' || code === 0, said);
  const lines = out.split('\n').filter(Boolean);
  return { shown: lines.map((line) => JSON.parse(line)), said };
}

const CRASHES = Number(process.env.KEDGE_CRASHES ?? 5);

describe('a tree of child runs that is killed', () => {
  it('has logged what it showed, runs and writes nothing twice, goes on to its end, and can be undone', async function () {
    this.timeout(300_000 + CRASHES * 10_000);
    let moments = 0;
    {
      await using place = await places();
      moments = Number.parseInt((await killedAt(0, place)).said, 10);
      assert.ok(moments > 100, `${moments} moments`);
    }
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (part) => {
        await using place = await places();
        const { shown } = await killedAt(1 + Math.floor(part * (moments - 1)), place);
        const assistant = openTree(place.root, place.storage, () => undefined);
        try {
          const [info] = await assistant.sessions();
          const session = (info && (await assistant.session(info.id))) ?? (await assistant.newSession());
          const logged = new Map(session.events.map((event) => [event.seq, event]));
          for (const event of shown) assert.deepEqual(logged.get(event.seq), event);
          await finish(session);
          assert.equal(session.damage, undefined);
          assert.equal(session.state.lastRun?.outcome, 'answered');
          assert.match(textOf(session.state.messages.at(-1) as Message), new RegExp(`^${ANSWER}`));
          const finished = eventsOf(session.events, 'tool_finished');
          assert.equal(finished.length, CALLS);
          assert.equal(new Set(finished.map(({ callId }) => callId)).size, CALLS);
          // A write that was interrupted is not repeated, and the model is told.
          for (const { result } of finished)
            if (result.isError)
              assert.match(`${result.name}: ${resultText(result)}`, /^(replace_in_file|create_file|apply_worktree): .*interrupted/s);
          assert.equal(eventsOf(session.events, 'run_started').length, RUNS);
          const contents = () => Promise.all(WRITTEN.names.map((name) => readFile(join(place.root, name), 'utf8')));
          for (const content of await contents()) assert.ok([WRITTEN.before, WRITTEN.after].includes(content), content);
          // A worktree that was created right before the kill is in no log, and is kept for an hour, because another process may be about to use it.
          const port = worktreesPort({ folder: place.root, storage: place.storage });
          await sweepWorktrees(port, { store: new SessionStore(join(place.storage, 'sessions')), now: () => Date.now() + 7_200_000 });
          assert.deepEqual(await port.list(), []);
          assert.equal(execFileSync('git', ['worktree', 'list'], { cwd: place.root, encoding: 'utf8' }).trim().split('\n').length, 1);
          const names = await readdir(place.root);
          const runId = session.state.lastRun?.runId ?? '';
          if (session.state.staged.length > 0) await session.changes.undo(runId);
          assert.deepEqual(
            await contents(),
            WRITTEN.names.map(() => WRITTEN.before),
          );
          assert.deepEqual(
            await readdir(place.root),
            names.filter((name) => name !== 'made.txt'),
          );
        } finally {
          assistant.close();
        }
      }),
      { numRuns: CRASHES },
    );
  });
});

describe('a plan with agents that is killed', () => {
  it('goes on to its end, and no step and no call of an agent is carried out twice', async function () {
    this.timeout(300_000 + CRASHES * 10_000);
    let moments = 0;
    {
      await using place = await places();
      moments = Number.parseInt((await killedAt(0, place, 'plan')).said, 10);
      assert.ok(moments > 60, `${moments} moments`);
    }
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (part) => {
        await using place = await places();
        await killedAt(1 + Math.floor(part * (moments - 1)), place, 'plan');
        const assistant = openTree(place.root, place.storage, () => undefined);
        try {
          const [info] = await assistant.sessions();
          const session = (info && (await assistant.session(info.id))) ?? (await assistant.newSession());
          await finishPlan(session);
          assert.equal(session.state.lastRun?.outcome, 'answered');
          const steps = eventsOf(session.events, 'plan_step').map(({ step, status }) => `${step} ${status}`);
          assert.deepEqual(steps, ['1 started', '1 done', '2 started', '2 done']);
          const finished = eventsOf(session.events, 'tool_finished');
          assert.equal(finished.length, PLAN_CALLS);
          assert.equal(new Set(finished.map(({ callId }) => callId)).size, PLAN_CALLS);
          assert.deepEqual(
            finished.filter(({ result }) => result.isError),
            [],
          );
          const reports = finished.filter(({ result }) => result.name === 'update_step').map(({ result }) => resultText(result));
          assert.match(reports[0] ?? '', /^Found\./);
          assert.match(reports[1] ?? '', /^Fine\./);
          assert.equal(eventsOf(session.events, 'run_started').length, 4);
        } finally {
          assistant.close();
        }
      }),
      { numRuns: CRASHES },
    );
  });
});
