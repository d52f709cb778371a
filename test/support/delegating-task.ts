/**
 * A tree of child runs, or a plan whose steps are carried out by agents, that is killed at a chosen moment. As a program:
 * `node delegating-task.ts root storage moment tree|plan`. It prints every durable event, and kills itself at that moment. Without a moment, it ends when the task is done.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { Session } from '../../src/app/session/session.ts';
import { isDurable } from '../../src/core/session/events.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { worktreesPort } from '../../src/hosts/node/worktrees/port.ts';
import { call, say } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { delegating, modelOf, type Role, reading, resultsIn } from './delegating-model.ts';
import { GENEROUS } from './harness.ts';
import { WatchedStore } from './watched-store.ts';

/**
 * The calls that the tree makes: the root six, three children that read two, two and three, their child two, the child that writes two, and the
 * child in a worktree one, whose changes one more run applies.
 */
export const CALLS = 19;
export const RUNS = 8;
export const ANSWER = 'One: a.txt, b.txt.';

export function layOutFiles(root: string): void {
  mkdirSync(root, { recursive: true });
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) writeFileSync(join(root, name), `${name}\n`);
  for (const name of WRITTEN.names) writeFileSync(join(root, name), WRITTEN.before);
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: root });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
}

/** The content of the files that children change. A second change would change them further. */
export const WRITTEN = { names: ['written.txt', 'elsewhere.txt'], before: 'x\n', after: 'xx\n' };

const replacing = (path: string) => call('replace_in_file', { path, edits: [{ old_text: 'x', new_text: 'xx' }] }, 'w');

const writing: Role = (turn) =>
  turn === 0 ? replacing('written.txt') : turn === 1 ? call('create_file', { path: 'made.txt', content: 'made\n' }, 'w') : say('Written.');

const root: Role = (turn, request) =>
  turn === 0
    ? [{ task: 'one' }, { task: 'two' }, { task: 'three' }, { task: 'five', write: 'worktree' }, { task: 'four', write: 'here' }].flatMap(
        (input, index) => call('delegate', input, `d${index}`),
      )
    : turn === 1
      ? call('read_file', { path: 'd.txt' }, 'last')
      : say(resultsIn(request)[0] ?? '');

/** The calls of a plan whose two steps are carried out by agents: its proposal, the two reports, and what the agents read. */
export const PLAN_CALLS = 6;
const PLANNING = 'plan with the researcher';
const STEPS = [
  { title: 'Find it', files: [], agent: 'researcher' },
  { title: 'Review it', files: [], agent: 'reviewer' },
];

const planner: Role = (turn) =>
  turn === 0
    ? call('propose_plan', { goal: 'Look', steps: STEPS }, 'plan')
    : turn < 3
      ? call('update_step', { step: turn, status: 'started' }, `step${turn}`)
      : say(ANSWER);
const taskOf = (step: number) =>
  `${STEPS[step - 1]?.title}\n\nThis is step ${step} of 2 of a plan that the user confirmed. The goal of the plan: Look`;

/** Opens the task. `moment` is called wherever a crash matters. */
export function openTree(directory: string, storage: string, moment: () => void): Assistant {
  const fs = new NodeFileSystem([directory]);
  const store = new WatchedStore(join(storage, 'sessions'), moment);
  const adapter = modelOf({
    ...{ root, [PLANNING]: planner, [taskOf(1)]: reading('Found.', 'a.txt', 'b.txt'), [taskOf(2)]: reading('Fine.', 'c.txt') },
    one: reading(ANSWER, 'a.txt', 'b.txt'),
    two: (turn, request, signal) =>
      turn === 0 ? delegating('inner')(turn, request, signal) : reading('Two.', '', 'c.txt')(turn, request, signal),
    three: reading('Three.', 'd.txt', 'c.txt', 'b.txt'),
    four: writing,
    five: (turn) => (turn === 0 ? replacing('elsewhere.txt') : say('Written elsewhere.')),
    inner: reading('Inner.', 'a.txt', 'd.txt'),
  });
  return new Assistant({
    ...{ fileSystem: () => fs, writer: () => new NodeWriter(fs), store, blobs: new DiskBlobs(join(storage, 'blobs')) },
    settings: { model: () => ({ provider: 'scripted', model: 'scripted' }), limits: () => GENEROUS, delegation: () => 2 },
    adapter: async () => adapter,
    worktrees: async () => worktreesPort({ folder: directory, storage }),
    trusted: () => true,
    grants: { list: () => [{ kind: 'edits' }], add: () => undefined },
  });
}

/** Continues the task from where it stopped and runs it to its end. */
export async function finish(session: Session): Promise<void> {
  const approve = (approvalId: string) => session.answerApproval(approvalId, { approve: true });
  session.subscribe((event) => event.type === 'approval_requested' && queueMicrotask(() => approve(event.approvalId)));
  const [pending] = session.state.pendingApprovals.keys();
  if (pending !== undefined) await approve(pending);
  const { lastRun } = session.state;
  if (!lastRun) await session.prompt({ text: 'root', mode: 'agent' });
  else if (lastRun.status !== 'finished') await session.resume();
}

/** Does the same for the plan, which is confirmed when it is proposed. */
export async function finishPlan(session: Session): Promise<void> {
  const { lastRun, plans, runs } = session.state;
  if (!lastRun) await session.prompt({ text: PLANNING, mode: 'plan' });
  else if (lastRun.status !== 'finished') await session.resume();
  const [{ plan } = {}] = plans.values();
  if (plan && ![...runs.values()].some((run) => run.plan?.id === plan.id)) await session.plans.answer(plan.id, 'run');
}

if (import.meta.main) {
  const [directory = '', storage = '', at = '0', task = 'tree'] = process.argv.slice(2);
  let count = 0;
  const moment = () => {
    if (++count === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
  const assistant = openTree(directory, storage, moment);
  const session = await assistant.newSession();
  session.subscribe((event) => isDurable(event) && writeSync(1, `${JSON.stringify(event)}\n`), { withChildren: true });
  await (task === 'plan' ? finishPlan(session) : finish(session));
  assistant.close();
  writeSync(2, `${count} moments`);
}
