/** Updates in real processes that are killed, and in several processes at once. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { portsOf, temporaryStore } from '../../support/collections.ts';
import { KEY, versionOf } from '../../support/index-child.ts';

const CHILD = join(import.meta.dirname, '../../support/index-child.ts');
const ROUNDS = Number(process.env.KEDGE_KILL_ROUNDS ?? 8);
const DOCUMENTS = 60;

describe('an update that is killed', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  let children: ChildProcess[];
  beforeEach(async () => {
    setup = await temporaryStore();
    children = [];
    setup.store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await setup.remove();
  });

  function update(version: number): ChildProcess {
    const child = fork(CHILD, [setup.roots.workspace, String(DOCUMENTS), String(version)]);
    children.push(child);
    return child;
  }

  /** Returns the version of each document. Every section has to have the same one. */
  async function versions(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const { documents } = await setup.store.listDocuments('docs');
    for (const { key, state, length } of documents) {
      if (length === 0) {
        assert.equal(state, 'todo', key);
        continue;
      }
      const { text } = await setup.store.content('docs', key);
      const all = new Set([...text.matchAll(/version(\d+)/g)].map(([, version]) => Number(version)));
      assert.equal(all.size, 1, `${key} has a mixture of versions`);
      const [version = 0] = all;
      assert.equal(text, versionOf(Number(/\d+/.exec(key)?.[0]), version), key);
      if (state === 'ready') found.set(key, version);
      else found.set(key, -version);
    }
    return found;
  }

  it(`at ${ROUNDS} random moments leaves each document as it was or as it is, and says which are to do`, async function () {
    this.timeout(600_000);
    await setup.store.update(
      'docs',
      portsOf(new Map(Array.from({ length: DOCUMENTS }, (_, n) => [KEY(n), { text: versionOf(n, 1), mtimeMs: 1 }]))),
    );
    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const version = round + 2;
      const child = update(version);
      // The moment is spread over the whole update: after some of its messages, and a little later.
      const last = 1 + Math.floor(Math.random() * (DOCUMENTS + 3));
      const finished = await new Promise<boolean>((resolve) => {
        let messages = 0;
        child.on('message', (message: { finished?: boolean }) => {
          if (message.finished || ++messages === last) resolve(message.finished === true);
        });
        child.once('exit', () => resolve(false));
      });
      await delay(Math.random() * 5);
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await exited;
      if (!finished) interrupted++;
      for (const [key, found] of await versions()) {
        // A negative version is the old content of a document that has not been read again.
        if (found > 0 && finished) assert.equal(found, version, key);
        assert.ok(Math.abs(found) <= version && found !== -version, `${key} ${found}`);
      }
      assert.ok((await setup.store.search('word7')).length > 0);
    }
    assert.ok(interrupted > 0);
    const files = new Map(Array.from({ length: DOCUMENTS }, (_, n) => [KEY(n), { text: versionOf(n, 999), mtimeMs: 999 }] as const));
    await setup.store.update('docs', portsOf(files));
    for (const [key, found] of await versions()) assert.equal(found, 999, key);
    const [summary] = await setup.store.listCollections();
    assert.deepEqual([summary?.documents, summary?.todo, summary?.failed], [DOCUMENTS, 0, 0]);
  });

  it('by several processes at once is done by one of them', async function () {
    this.timeout(120_000);
    const ended = [1, 2, 3].map(() => {
      const child = update(1);
      return once(child, 'exit');
    });
    const codes = (await Promise.all(ended)).map(([code]) => code);
    assert.ok(codes.includes(0), String(codes));
    const found = await versions();
    assert.equal(found.size, DOCUMENTS);
    for (const [key, version] of found) assert.equal(version, 1, key);
  });

  it('is read without waiting while it is written', async function () {
    this.timeout(120_000);
    await setup.store.update(
      'docs',
      portsOf(new Map(Array.from({ length: DOCUMENTS }, (_, n) => [KEY(n), { text: versionOf(n, 1), mtimeMs: 1 }]))),
    );
    const child = update(2);
    let finished = false;
    child.once('exit', () => {
      finished = true;
    });
    await once(child, 'message');
    let reads = 0;
    while (!finished) {
      assert.ok((await setup.store.search('word7')).length > 0);
      for (const version of (await versions()).values()) assert.ok(version === 2 || Math.abs(version) === 1);
      reads++;
      await setImmediate();
    }
    assert.ok(reads > 0);
    for (const [key, version] of await versions()) assert.equal(version, 2, key);
  });
});
