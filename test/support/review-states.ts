/** Panel states in which changes are selected, undone and restored. */
import type { ChangeSummary } from '../../src/core/session/effects.ts';
import type { host, NamedState, Script, session } from './panel-states.ts';

type Kit = { script: () => Script; host: typeof host; session: typeof session };

const DIFF = `@@ -10,7 +10,7 @@
 
 /** Height above chart datum in metres. */
-export function tideAt(station: Station, at: Date): number {
+export function heightAt(station: Station, at: Date): number {
   const hours = (at.getTime() - EPOCH) / 3_600_000;
   return sum(station, hours);
 }
@@ -40,6 +40,7 @@
 function sum(station: Station, hours: number): number {
   let total = station.mean;
+  // The moon first.
   for (const each of station.constituents) total += each.amplitude * Math.cos(each.speed * hours - each.phase);
   return total;
@@ -88,5 +89,5 @@
-export const tides = { tideAt };
+export const tides = { heightAt };
 export default tides;`;

const change = (path: string, diff = DIFF, extra: Partial<ChangeSummary> = {}): ChangeSummary => ({
  path,
  kind: 'edit',
  added: 3,
  removed: 2,
  diff,
  ...extra,
});

const CHANGES = [
  change('src/tide.ts'),
  change('src/harbour/very/deep/in/it/harbour.ts', '@@ -3,3 +3,3 @@\n import x;\n-tideAt(a);\n+heightAt(a);\n y();', {
    added: 1,
    removed: 1,
  }),
  change('src/options.ts', '@@ -1,0 +1,1 @@\n+export type Options = {};', { kind: 'create', added: 1, removed: 0 }),
];

const MANY = Array.from({ length: 200 }, (_, index) => change(`src/module-${index}/part.ts`));
const HASH = 'a'.repeat(64);

export function reviewStates({ script, host, session }: Kit): Record<string, NamedState> {
  const ask = { kind: 'ask', rule: 'edit', reason: 'This edit changes 1 file.' } as const;
  const call = (changes: ChangeSummary[]) => {
    const made = script()
      .run('agent', 'Rename tideAt to heightAt')
      .calls('apply_patch', `Edit ${changes.length} files`, { patch: '…' }, { effect: 'mutating', decision: ask, path: 'src/tide.ts' });
    const callId = made.lastCall;
    const title = `Edit ${changes.length} files`;
    return made.add({ type: 'approval_requested', approvalId: 'approval-1', callId, title, rule: 'edit', reason: ask.reason, changes });
  };
  const done = () => {
    const made = call(CHANGES);
    return made
      .add({ type: 'approval_resolved', approvalId: 'approval-1', callId: made.lastCall, answer: { approve: true } })
      .add({ type: 'file_changed', callId: made.lastCall, changes: CHANGES })
      .returns('apply_patch', 'Updated 3 files.')
      .turn()
      .says('`tideAt` is `heightAt` now.')
      .finishes();
  };
  const undone = done();
  const part = { path: 'src/options.ts' };
  undone.add({ type: 'changes_undone', undoneRunId: undone.runId, undoId: 'u1', part, results: [{ ...part, outcome: 'restored' }] });
  const restored = done();
  restored.add({
    type: 'changes_restored',
    undoId: 'restore-1',
    to: { runId: restored.runId },
    results: [
      { path: 'src/options.ts', outcome: 'restored' },
      { path: 'src/tide.ts', outcome: 'merged' },
      { path: 'src/harbour/very/deep/in/it/harbour.ts', outcome: 'refused', reason: 'The same lines were changed after Kedge wrote them.' },
    ],
  });
  return {
    'approval-hunks': {
      messages: [host('agent'), session(call(CHANGES), true)],
      press: ['Hunk 2 of 3 in src/tide.ts, accepted', 'src/options.ts, accepted'],
    },
    'approval-edited': {
      messages: [
        host('agent'),
        session(call(CHANGES), true),
        {
          type: 'proposal_edited',
          approvalId: 'approval-1',
          path: 'src/tide.ts',
          content: HASH,
          diff: '@@ -10,3 +10,3 @@\n \n-export function tideAt() {\n+export function tideHeight() {\n',
          added: 1,
          removed: 1,
        },
      ],
    },
    'approval-many': { messages: [host('agent'), session(call(MANY), true)] },
    'changed-review': {
      messages: [
        host('agent'),
        session(undone, false),
        { type: 'file_review', runId: undone.runId, path: 'src/tide.ts', review: { diff: DIFF, added: 3, removed: 2, digest: HASH } },
      ],
      press: ['Remaining changes in src/tide.ts'],
    },
    restored: { messages: [host('agent'), session(restored, false)] },
  };
}
