import assert from 'node:assert/strict';
import type { Receipt } from '../../../src/core/session/events.ts';
import { proofOf, receiptLine, receiptMarkdown } from '../../../src/core/view/receipt.ts';
import { foldRun } from '../../../src/core/view/reduce-run.ts';
import { receiptOf } from '../../../src/core/view/run-receipt.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, lastOf } from '../../support/harness.ts';

const create = (path: string) => call('create_file', { path, content: 'x\n' });
const read = (path: string) => call('read_file', { path });
const done = turn(say('Done.'));

describe('a receipt', () => {
  it('counts every call of a run', async () => {
    await using kedge = await assistantOn({ 'a.ts': '1', 'b.ts': '2' }, [
      turn(read('a.ts'), read('b.ts'), read('a.ts'), read('none.ts'), call('list_directory', {})),
      turn(create('c.ts'), create('d.ts')),
      turn(create('.git/x')),
      turn(call('no_such_tool', {})),
      done,
    ]);
    kedge.session.subscribe((event) => {
      if (event.type !== 'approval_requested') return;
      void kedge.session.answerApproval(event.approvalId, event.rule === 'edit' ? { approve: true, grant: 'turn' } : { approve: false });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { receipt } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual(receipt, {
      mode: 'agent',
      calls: 9,
      effects: { readonly: 5, mutating: 2 },
      allowed: { 'read-only': 5, 'edits-granted': 1 },
      asked: 2,
      approved: 1,
      rejected: 1,
      denied: 0,
      failed: 2,
      deniedBy: {},
      read: ['a.ts', 'b.ts'],
      readCount: 2,
      changed: ['c.ts', 'd.ts'],
      changedCount: 2,
      commands: [],
      commandCount: 0,
      hosts: [],
      hostCount: 0,
      servers: [],
      canWrite: true,
    } satisfies Receipt);
    assert.equal(receiptLine(receipt), '9 calls · 2 approvals requested · 2 failed · 2 files read · 2 changed');
    assert.equal(receiptLine({ ...receipt, asked: 0, failed: 0, readCount: 0, changedCount: 0 }), '9 calls');
    assert.equal(proofOf(receipt), undefined);
    assert.equal(
      receiptMarkdown(receipt, { usage: { input: 1_200, output: 30 }, cost: { usd: 0.02 } }),
      [
        '**Receipt** 9 calls · 2 approvals requested · 2 failed · 2 files read · 2 changed',
        '',
        '- Calls by kind: 5 read-only, 2 edits',
        '- Allowed without approval: 5 read-only, 1 by your permission',
        '- Approvals: 1 approved, 1 rejected',
        '- Files read: `a.ts`, `b.ts`',
        '- Files changed: `c.ts`, `d.ts`',
        '- Tokens: 1.2k in, 30 out',
        '- Cost: $0.020',
        '',
      ].join('\n'),
    );
  });

  for (const mode of ['ask', 'plan'] as const)
    it(`of ${mode} states what is certain`, async () => {
      await using kedge = await assistantOn({ 'a.ts': '1' }, [
        turn(read('a.ts'), create('b.ts'), call('delete_file', { path: 'a.ts' })),
        turn(create('c.ts')),
        done,
      ]);
      await kedge.session.prompt({ text: 'go', mode });
      const { receipt } = lastOf(kedge.events, 'run_finished');
      assert.equal(receipt && proofOf(receipt), 'This run had no tool that can change anything. 3 attempts denied.');
      assert.match(receiptMarkdown(receipt as Receipt), /^This run had no tool that can change anything\. 3 attempts denied\.$/m);
      assert.deepEqual([receipt?.canWrite, receipt?.changed], [false, []]);
    });

  it('is created however a run ends', async () => {
    await using kedge = await assistantOn({}, [turn(create('a.ts'))]);
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.stop();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { outcome, receipt } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, receipt?.asked, receipt?.approved, receipt?.changed], ['stopped', 1, 0, []]);
  });

  it('computed from the log is the same as at the end of the run', async () => {
    await using kedge = await assistantOn({ 'a.ts': '1' }, [turn(read('a.ts')), done, turn(read('a.ts')), done]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    for (const { runId, receipt } of eventsOf(again.session.events, 'run_finished'))
      assert.deepEqual(receiptOf(foldRun(again.session.events, runId), false), receipt);
  });

  it('limits its lists, but counts everything', () => {
    const at = { runId: 'r', at: 0 };
    const events = Array.from({ length: 500 }, (_, index) => ({
      ...at,
      seq: index,
      type: 'file_changed' as const,
      callId: `${index}`,
      changes: [{ path: `f${index}`, kind: 'edit' as const, added: 1, removed: 0, diff: '' }],
    }));
    const receipt = receiptOf(foldRun(events, 'r'));
    assert.deepEqual([receipt.changed.length, receipt.changedCount], [100, 500]);
    assert.match(receiptMarkdown(receipt), /`f99` and 400 more$/m);
  });

  it('is copied with names as code, whatever they contain', () => {
    const events = [
      {
        runId: 'r',
        seq: 1,
        at: 0,
        type: 'file_changed' as const,
        callId: 'c',
        changes: [{ path: '`](javascript:x) ![](https://e.com/x)`', kind: 'edit' as const, added: 1, removed: 0, diff: '' }],
      },
    ];
    assert.match(
      receiptMarkdown(receiptOf(foldRun(events, 'r'))),
      /- Files changed: `` `]\(javascript:x\) !\[\]\(https:\/\/e\.com\/x\)` ``/,
    );
  });
});
