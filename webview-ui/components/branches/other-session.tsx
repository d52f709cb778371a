import type { OtherSession } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** Shows that another session is waiting for the user. */
export function OtherWaits({ session: { id, title, text } }: { session: OtherSession }) {
  return (
    <div class="other-waits" title={text}>
      <Icon name="bell-dot" tone="warn" />
      <span class="grow">
        Another session is waiting for you: <b>{title || 'Untitled'}</b>
      </span>
      <Button
        kind="link"
        label={`Show the session that is waiting: ${title || 'Untitled'}`}
        onClick={() => post({ type: 'show_session', sessionId: id })}
      >
        Show
      </Button>
    </div>
  );
}
