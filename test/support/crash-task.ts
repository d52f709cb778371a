/**
 * A task that is killed at a chosen moment: a plan with edits in several files, new files, commands and approvals, run by the real
 * assistant. As a program: `node crash-task.ts root storage moment`. It prints every durable event that it shows, and kills itself at that
 * moment. Without a moment, it ends when the task is done or cannot continue.
 */
import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { Session } from '../../src/app/session/session.ts';
import { callsOf } from '../../src/core/model/messages.ts';
import type { ModelEvent, ModelRequest } from '../../src/core/model/model.ts';
import { isDurable } from '../../src/core/session/events.ts';
import { Commands } from '../../src/hosts/node/commands/commands.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { call, say, scriptedAdapter, turn } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { watchedFs } from './failing-fs.ts';
import { GENEROUS } from './harness.ts';
import { WatchedStore } from './watched-store.ts';

const FILES = ['src/a.txt', 'src/b.txt', 'src/c.txt'];
const LINES = 30;
/** The versions to which the task brings the files, and the number of commands that it runs. */
const ROUNDS = 3;

export function layOutTask(root: string): void {
  for (const folder of ['src', 'out']) mkdirSync(join(root, folder), { recursive: true });
  for (const path of FILES) writeFileSync(join(root, path), contentOf(0));
}

function contentOf(version: number): string {
  return Array.from({ length: LINES }, (_, line) => `line ${line} v${version}\n`).join('');
}

/** Returns the version of each file. @throws Error if a file contains a mixture of versions */
export function versionsIn(root: string): number[] {
  return FILES.map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const version = Number(/v(\d+)/.exec(text)?.[1]);
    if (text !== contentOf(version)) throw new Error(`${path} is neither before nor after a change:\n${text}`);
    return version;
  });
}

/** Returns the answers of a model that reads the files before each edit, so that it can continue after an interruption. */
function answer(root: string, request: ModelRequest): ModelEvent[] {
  const count = request.messages.flatMap(callsOf).length;
  const step = 1 + Math.floor((count - 1) / 3);
  if (count === 0) {
    const steps = Array.from({ length: ROUNDS }, (_, index) => ({ title: `Round ${index + 1}`, files: ['src/**'] }));
    return call('propose_plan', { goal: 'Bring the files on', steps });
  }
  if (step > ROUNDS) return say('All done.');
  if (count % 3 === 2) return call('run_command', { command: `printf x >> out/run${step}.txt` });
  if (count % 3 === 0) return call('update_step', { step, status: 'done' });
  const sections = FILES.map((path, index) => {
    const version = versionsIn(root)[index] as number;
    const lines = Array.from({ length: LINES }, (_, line) => `-line ${line} v${version}\n+line ${line} v${version + 1}`);
    return `*** Update File: ${path}\n@@\n${lines.join('\n')}`;
  });
  return call('apply_patch', { input: `*** Begin Patch\n${sections.join('\n')}\n*** Add File: src/new${step}.txt\n+new\n*** End Patch` });
}

/** Builds the assistant on these directories. `moment` is called wherever a crash matters. */
export function openTask(root: string, storage: string, moment: () => void) {
  const fs = new NodeFileSystem([root]);
  const watched = watchedFs((_index, _name, operation) => {
    moment();
    return operation();
  });
  const writer = new NodeWriter(fs, { journal: join(storage, 'journal'), fs: watched });
  const store = new WatchedStore(join(storage, 'sessions'), moment);
  const commands = new Commands({ storage: join(storage, 'commands'), directory: (at) => fs.directory(at) });
  const script = Array.from({ length: 99 }, () => (request: ModelRequest, signal: AbortSignal) => {
    const scripted = turn(answer(root, request));
    return typeof scripted === 'function' ? scripted(request, signal) : scripted;
  });
  const assistant = new Assistant({
    ...{ fileSystem: () => fs, writer: () => writer, store, blobs: new DiskBlobs(join(storage, 'blobs')) },
    settings: { model: () => ({ provider: 'openai', model: 'gpt-5' }), limits: () => GENEROUS },
    adapter: async () => scriptedAdapter(script),
    trusted: () => true,
    commands: () => commands,
    grants: { list: () => [], add: () => undefined },
  });
  const close = () => {
    assistant.close();
    commands.dispose();
  };
  return { assistant, store, writer, close };
}

/** Continues the task from where it stopped and runs it to its end. Every request for approval is approved. */
export async function work(session: Session): Promise<void> {
  const stop = session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: true });
  });
  for (let round = 0; round < 20; round++) {
    const { lastRun, pendingApprovals, plans } = session.state;
    const [pending] = pendingApprovals.values();
    const proposed = [...plans].findLast(([, { status }]) => status === 'proposed')?.[0];
    if (pending) await session.answerApproval(pending.approvalId, { approve: true });
    else if (!lastRun) await session.prompt({ text: 'Bring the files on', mode: 'plan' });
    else if (lastRun.status !== 'finished' || lastRun.outcome === 'failed') await session.resume();
    else if (proposed) await session.plans.answer(proposed, 'run');
    else if (lastRun.plan) {
      const unfinished = session.plans.list().find(({ stage }) => stage === 'stopped');
      if (!unfinished) break;
      await session.plans.resume(unfinished.plan.id);
    } else if (plans.size > 0) await session.plans.again([...plans.keys()].at(-1) as string);
    else await session.prompt({ text: 'Bring the files on', mode: 'plan' });
  }
  stop();
}

if (import.meta.main) {
  const [root = '', storage = '', at = '0'] = process.argv.slice(2);
  let count = 0;
  const moment = () => {
    if (++count === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
  const task = openTask(root, storage, moment);
  const session = await task.assistant.newSession();
  session.subscribe((event) => {
    moment();
    if (isDurable(event)) writeSync(1, `${JSON.stringify(event)}\n`);
    moment();
  });
  // The task ends when the disk is full.
  await work(session).catch((error) => writeSync(2, `${error}\n`));
  task.close();
  writeSync(2, `${count} moments`);
}
