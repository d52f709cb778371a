/**
 * A tree of child runs that is killed at a chosen moment. As a program: `node delegating-task.ts root storage moment`. It prints every durable
 * event, and kills itself at that moment. Without a moment, it ends when the task is done.
 */
import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { Session } from '../../src/app/session/session.ts';
import { isDurable } from '../../src/core/session/events.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { call, say } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { delegating, modelOf, type Role, reading, resultsIn } from './delegating-model.ts';
import { GENEROUS } from './harness.ts';
import { WatchedStore } from './watched-store.ts';

/** The calls that the tree makes: the root five, three children that read two, two and three, their child two, and the child that writes two. */
export const CALLS = 16;
export const RUNS = 6;
export const ANSWER = 'One: a.txt, b.txt.';

export function layOutFiles(root: string): void {
  mkdirSync(root, { recursive: true });
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) writeFileSync(join(root, name), `${name}\n`);
  writeFileSync(join(root, 'written.txt'), WRITTEN.before);
}

/** The content of the file that a child changes. A second change would change it further. */
export const WRITTEN = { before: 'x\n', after: 'xx\n' };

const writing: Role = (turn) =>
  turn === 0
    ? call('replace_in_file', { path: 'written.txt', edits: [{ old_text: 'x', new_text: 'xx' }] }, 'w')
    : turn === 1
      ? call('create_file', { path: 'made.txt', content: 'made\n' }, 'w')
      : say('Written.');

const root: Role = (turn, request) =>
  turn === 0
    ? ['one', 'two', 'three', 'four'].flatMap((task, index) =>
        call('delegate', { task, ...(task === 'four' && { write: 'here' }) }, `d${index}`),
      )
    : turn === 1
      ? call('read_file', { path: 'd.txt' }, 'last')
      : say(resultsIn(request)[0] ?? '');

/** Opens the task. `moment` is called wherever a crash matters. */
export function openTree(directory: string, storage: string, moment: () => void): Assistant {
  const fs = new NodeFileSystem([directory]);
  const store = new WatchedStore(join(storage, 'sessions'), moment);
  const adapter = modelOf({
    root,
    one: reading(ANSWER, 'a.txt', 'b.txt'),
    two: (turn, request, signal) =>
      turn === 0 ? delegating('inner')(turn, request, signal) : reading('Two.', '', 'c.txt')(turn, request, signal),
    three: reading('Three.', 'd.txt', 'c.txt', 'b.txt'),
    four: writing,
    inner: reading('Inner.', 'a.txt', 'd.txt'),
  });
  return new Assistant({
    ...{ fileSystem: () => fs, writer: () => new NodeWriter(fs), store, blobs: new DiskBlobs(join(storage, 'blobs')) },
    settings: { model: () => ({ provider: 'scripted', model: 'scripted' }), limits: () => GENEROUS, delegation: () => 2 },
    adapter: async () => adapter,
    trusted: () => true,
    grants: { list: () => [{ kind: 'edits' }], add: () => undefined },
  });
}

/** Continues the task from where it stopped and runs it to its end. */
export async function finish(session: Session): Promise<void> {
  const { lastRun } = session.state;
  if (!lastRun) await session.prompt({ text: 'root', mode: 'agent' });
  else if (lastRun.status !== 'finished') await session.resume();
}

if (import.meta.main) {
  const [directory = '', storage = '', at = '0'] = process.argv.slice(2);
  let count = 0;
  const moment = () => {
    if (++count === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
  const assistant = openTree(directory, storage, moment);
  const session = await assistant.newSession();
  session.subscribe((event) => isDurable(event) && writeSync(1, `${JSON.stringify(event)}\n`), { withChildren: true });
  await finish(session);
  assistant.close();
  writeSync(2, `${count} moments`);
}
