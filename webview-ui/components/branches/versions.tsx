import type { Branches } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** Switches between the versions of a prompt, each of which is in a separate session. */
export function Versions({ index, sessionIds }: Branches['versions'][string]) {
  const show = (at: number) => {
    const sessionId = sessionIds[at];
    if (sessionId !== undefined) post({ type: 'show_session', sessionId });
  };
  return (
    <div class="versions" role="toolbar" aria-label="Versions of this message">
      <IconButton icon="chevron-left" label="Show the earlier version" disabled={index === 0} onClick={() => show(index - 1)} />
      <span>
        <span class="sr-only">Version </span>
        {index + 1}
        <span aria-hidden="true">/</span>
        <span class="sr-only"> of </span>
        {sessionIds.length}
      </span>
      <IconButton
        icon="chevron-right"
        label="Show the later version"
        disabled={index === sessionIds.length - 1}
        onClick={() => show(index + 1)}
      />
    </div>
  );
}

/** Shows which session this one is a branch of. */
export function BranchOf({ parent: { id, title } }: { parent: NonNullable<Branches['parent']> }) {
  return (
    <p class="branch-of">
      <Icon name="git-branch" />
      <span class="cut">
        Branch of{' '}
        <button
          type="button"
          class="button link"
          title={`Show the session: ${title}`}
          onClick={() => post({ type: 'show_session', sessionId: id })}
        >
          {title || 'Untitled'}
        </button>
      </span>
    </p>
  );
}
