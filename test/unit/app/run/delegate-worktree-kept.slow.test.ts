/** Changes of child runs in Git worktrees that cannot be applied as they are: the user edits meanwhile, or the program ends. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { call, say } from '../../../../src/providers/scripted/index.ts';
import { answerIn, expectGone, FILES, git, giving, onRepository, replacing, text } from '../../../support/child-worktrees.ts';
import { answerAll, type Harness } from '../../../support/harness.ts';

/** The number of edits that the user makes during each random run. */
const EDITS = Number(process.env.KEDGE_EDITS ?? 20);

describe('changes of a child run that the user or an interruption overtakes', () => {
  it('goes on with changes that were being applied when the program ended', async () => {
    await using kedge = await onRepository({
      go: giving('Change both'),
      'Change both': (turn) =>
        turn === 0
          ? ['a.txt', 'b.txt'].flatMap((path) =>
              call(
                'replace_in_file',
                { path, edits: [{ old_text: path === 'a.txt' ? 'one' : 'two', new_text: path === 'a.txt' ? 'ONE' : 'TWO' }] },
                'r',
              ),
            )
          : say('Changed both.'),
    });
    answerAll(kedge.session, { approve: true });
    kedge.session.subscribe(({ type, runId }) => type === 'file_changed' && runId.endsWith('.2') && kedge.assistant.close(), {
      withChildren: true,
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' }).catch(() => undefined);
    const again = await kedge.reload();
    answerAll(again.session, { approve: true });
    if (again.session.state.lastRun?.status !== 'finished') await again.session.resume();
    assert.doesNotMatch(answerIn(again), /not applied/);
    assert.match(answerIn(again), /Files it changed: a\.txt \(edit, \+1 −1\), b\.txt \(edit, \+1 −1\)/);
    assert.equal(await again.read('a.txt'), FILES['a.txt'].replace('one', 'ONE'));
    assert.equal(await again.read('b.txt'), 'TWO\n');
    expectGone(again);
  });

  for (const [why, spoil] of [
    ['was changed by you in the same lines', ({ root }) => writeFileSync(join(root, 'b.txt'), 'mine\n')],
    ['names a program that Git would run', ({ root }) => void git(root, 'config', 'filter.x.smudge', 'touch ran')],
  ] as [string, (kedge: Harness) => void][])
    it(`keeps changes that nobody could review, and says where: ${why}`, async () => {
      await using kedge = await onRepository({
        go: giving('Change b'),
        'Change b': replacing('b.txt', ['two', 'TWO']),
        more: giving('Change a'),
        'Change a': replacing('a.txt', ['one', 'ONE']),
      });
      const config = readFileSync(join(kedge.root, '.git', 'config'));
      let isSpoiled = false;
      kedge.session.subscribe(
        ({ type, runId }) => {
          if (type !== 'run_finished' || !runId.endsWith('.1') || isSpoiled) return;
          isSpoiled = true;
          spoil(kedge);
        },
        { withChildren: true },
      );
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.ok(answerIn(kedge).includes(why), answerIn(kedge));
      const path = /so it stays in the worktree (.+)\. Delete it with/.exec(answerIn(kedge))?.[1] ?? '';
      const own = () => readFileSync(join(path, 'b.txt'), 'utf8');
      assert.equal(own(), 'TWO\n');
      writeFileSync(join(kedge.root, '.git', 'config'), config);
      const next = await kedge.assistant.newSession();
      answerAll(next, { approve: true });
      await next.prompt({ text: 'more', mode: 'agent' });
      assert.equal(own(), 'TWO\n', 'The next worktree does not delete it.');
      git(kedge.root, 'worktree', 'remove', '--force', path);
    });

  it('loses nothing of the user, who edits random lines meanwhile', async function () {
    this.timeout(60_000 + EDITS * 200);
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    const edited = fc.array(fc.record({ at: fc.nat(lines.length - 1), isEarly: fc.boolean() }), { minLength: EDITS, maxLength: EDITS });
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(edited, fc.nat(lines.length - 1), async (edits, own) => {
        const role = replacing('big.txt', [`line ${own}\n`, 'line of the run\n']);
        await using kedge = await onRepository({ go: giving('Change it'), 'Change it': role }, { files: { 'big.txt': text(lines) } });
        const expected = [...lines];
        let next = 0;
        const type = () => {
          const edit = edits[next++];
          if (!edit) return;
          expected[edit.at] = `user ${next}`;
          writeFileSync(join(kedge.root, 'big.txt'), text(expected));
        };
        kedge.session.subscribe(
          (event) => {
            type();
            if (event.type !== 'approval_requested') return;
            while (next < edits.length) type();
            void kedge.session.answerApproval(event.approvalId, { approve: true });
          },
          { withChildren: true },
        );
        await kedge.session.prompt({ text: 'go', mode: 'agent' });
        const found = (await kedge.read('big.txt')).trimEnd().split('\n');
        const isApplied = found[own] === 'line of the run';
        if (isApplied) applied++;
        else assert.match(answerIn(kedge), /big\.txt/);
        assert.deepEqual(found.with(own, ''), expected.with(own, ''));
      }),
      { numRuns: 10, seed: Number(process.env.KEDGE_SEED ?? 1) },
    );
    assert.ok(applied > 0);
  });
});
