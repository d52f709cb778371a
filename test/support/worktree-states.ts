/** Panel states of a session that works in a worktree: while the run works, when it has finished, and after its changes were applied or dropped. */
import type { ChangeSummary } from '../../src/core/session/effects.ts';
import type { WorktreeOutcome } from '../../src/core/session/events.ts';
import { DIFF, host, type NamedState, Script, session } from './panel-states.ts';

const WORKTREE = '0123456789ab';
const changes = (): ChangeSummary[] => [
  { path: 'src/tide.ts', kind: 'edit', added: 4, removed: 2, diff: DIFF },
  { path: 'packages/very-long-package-name/src/deeply/nested/module.test.ts', kind: 'edit', added: 12, removed: 1, diff: DIFF },
];

function begun(): Script {
  const script = new Script().run('agent', 'Give tideAt an option to round, and call it heightAt');
  const [started] = script.events;
  if (started?.type === 'run_started') started.worktree = WORKTREE;
  return script.calls(
    'edit_file',
    'Edit src/tide.ts and module.test.ts',
    { path: 'src/tide.ts' },
    { effect: 'mutating', path: 'src/tide.ts' },
  );
}

const done = () =>
  begun()
    .add({ type: 'file_changed', callId: 'call-1', changes: changes() })
    .returns('edit_file', 'Edited 2 files.')
    .turn()
    .says('`heightAt()` now takes `{ round: true }`.')
    .finishes();

const closed = (outcome: WorktreeOutcome) => done().add({ type: 'session_worktree_closed', worktree: WORKTREE, outcome });

export function worktreeStates(): Record<string, NamedState> {
  return {
    'worktree-running': { messages: [host('agent'), session(begun(), true)] },
    'worktree-done': { messages: [host('agent'), session(done(), false)] },
    'worktree-applied': { messages: [host('agent'), session(closed('applied'), false)] },
    'worktree-dropped': { messages: [host('agent'), session(closed('dropped'), false)] },
  };
}
