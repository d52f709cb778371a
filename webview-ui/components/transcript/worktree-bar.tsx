import { post } from '../../host.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** Lets the user apply or drop the changes of a session that works in a worktree. */
export function WorktreeBar({ sessionId, isOver }: { sessionId: string; isOver: boolean }) {
  const send = (action: 'apply' | 'drop') => post({ type: 'worktree', sessionId, action });
  return (
    <section class="card changes worktree" aria-label="Worktree">
      <div class="card-head">
        <Icon name="git-branch" />
        <h3>In a worktree, separate from your files.</h3>
        {isOver && <Button onClick={() => send('apply')}>Review and apply</Button>}
        {isOver && (
          <Button kind="secondary" onClick={() => send('drop')}>
            Drop
          </Button>
        )}
      </div>
    </section>
  );
}
