/** Tests how long an undo of many files takes, and what happens when it is stopped. */
import assert from 'node:assert/strict';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import type { Location } from '../../../src/workspace/types.ts';
import { answerAll, assistantOn, type Files, type Harness, lastOf } from '../../support/harness.ts';

const create = (path: string) => call('create_file', { path, content: 'new\n' });
const done = turn(say('Done.'));

/** Reports each access to the disk. */
class Watched extends NodeFileSystem {
  looked: (what: string) => void = () => undefined;

  override canonical(at: Location): ReturnType<NodeFileSystem['canonical']> {
    this.looked('canonical');
    return super.canonical(at);
  }

  override list(at: Location): ReturnType<NodeFileSystem['list']> {
    this.looked('list');
    return super.list(at);
  }
}

async function afterRun(files: Files, ...calls: ReturnType<typeof call>[]): Promise<{ kedge: Harness; fs: Watched; runId: string }> {
  let fs: Watched | undefined;
  const kedge = await assistantOn(files, [turn(...calls), done], {
    fileSystem: (roots) => {
      fs = new Watched(roots);
      return fs;
    },
  });
  answerAll(kedge.session, { approve: true });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  // After a reload, the writer does not know which directories the run created.
  const again = await kedge.reload();
  return { kedge: again, fs: fs as Watched, runId: again.session.state.lastRun?.runId ?? '' };
}

describe('an undo of many nested directories', () => {
  it('resolves the links on the way to them only once', async function () {
    this.timeout(60_000);
    const looks = async (depth: number) => {
      const { kedge, fs, runId } = await afterRun({}, create(`${'d/'.repeat(depth)}new.txt`));
      await using _ = kedge;
      let count = 0;
      fs.looked = (what) => {
        if (what === 'canonical') count++;
      };
      await kedge.session.changes.undo(runId);
      assert.deepEqual(await kedge.snapshot(), { '/': 'directory', 'workspace/': 'directory' });
      return count;
    };
    assert.equal(await looks(500), await looks(5));
  });

  it('keeps directories that other programs use now', async () => {
    const { kedge, runId } = await afterRun({}, create('a/b/c/d/new.txt'), create('a/x/y/new.txt'));
    await using _ = kedge;
    await kedge.write('a/b/mine.txt', 'mine');
    await kedge.session.changes.undo(runId);
    assert.deepEqual(
      Object.keys(await kedge.snapshot()).filter((path) => path !== '/'),
      ['workspace/', 'workspace/a/', 'workspace/a/b/', 'workspace/a/b/mine.txt'],
    );
  });
});

describe('an undo that is stopped', () => {
  it('has done nothing or reports what it has done, at any moment; the rest can be undone later', async function () {
    this.timeout(120_000);
    const files: Files = { 'a.txt': 'old\n', 'b.txt': 'old\n' };
    const edit = (path: string) => call('replace_in_file', { path, edits: [{ old_text: 'old', new_text: 'new' }] });
    const outcomes = new Set<string>();
    for (let at = 0; ; at++) {
      const { kedge, fs, runId } = await afterRun(files, edit('a.txt'), edit('b.txt'), create('deep/er/new.txt'));
      await using _ = kedge;
      const whole = await kedge.snapshot();
      const stopping = new AbortController();
      let looks = 0;
      fs.looked = () => {
        if (looks++ === at) stopping.abort();
      };
      const stopped = await kedge.session.changes.undo(runId, undefined, stopping.signal).then(
        () => false,
        (error: Error) => error.name === 'AbortError' || assert.fail(error),
      );
      outcomes.add(stopped ? 'nothing done' : 'logged');
      if (stopped) assert.deepEqual(await kedge.snapshot(), whole);
      else assert.ok(lastOf(kedge.events, 'changes_undone').results.every(({ outcome }) => outcome === 'restored'));
      if (!stopping.signal.aborted) break;
      const again = await kedge.reload();
      await again.session.changes.undo(runId);
      const left = Object.entries(await kedge.snapshot()).filter(([path]) => !path.endsWith('/'));
      assert.deepEqual(left, [
        ['workspace/a.txt', 'old\n'],
        ['workspace/b.txt', 'old\n'],
      ]);
    }
    assert.deepEqual([...outcomes].sort(), ['logged', 'nothing done']);
  });
});
