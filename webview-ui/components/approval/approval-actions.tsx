import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalAnswer } from '../../../src/core/session/events.ts';
import { type Permission, permissionText } from '../../../src/core/session/grant-scope.ts';
import { visibleLine } from '../../../src/core/words/visible-text.ts';
import { intoSight } from '../../into-sight.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

type Props = {
  covers: readonly Permission[];
  /** So many other calls of the same answer would ask for the same. */
  similar: number;
  /** Of the plain yes. */
  label: string;
  disabled: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
  onReject: () => void;
};

const LONGER = [
  { grant: 'run', label: 'In this run' },
  { grant: 'session', label: 'In this session' },
  { grant: 'workspace', label: 'Always here' },
] as const;

/** Yes, yes to all that wait like it, yes for longer, and no. */
export function ApprovalActions({ covers, similar, label, disabled, onAnswer, onReject }: Props) {
  const [more, setMore] = useState(false);
  const answers = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const canGrant = covers.length > 0;
  useLayoutEffect(() => {
    if (more) intoSight(answers.current, 'nearest');
  }, [more]);
  // It closes what is open before it stops the run.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !more) return;
    event.preventDefault();
    setMore(false);
    toggle.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to the keys of the buttons in it
    <div class="answers" ref={answers} onKeyDown={onKeyDown}>
      <div class="buttons">
        <span class={canGrant ? 'split' : ''}>
          <Button kind="primary" disabled={disabled} title="Ctrl+Enter" onClick={() => onAnswer({ approve: true })}>
            {label}
          </Button>
          {canGrant && (
            <button
              type="button"
              ref={toggle}
              class="button primary"
              aria-label="More ways to approve"
              aria-expanded={more}
              disabled={disabled}
              onClick={() => setMore(!more)}
            >
              <Icon name={more ? 'chevron-up' : 'chevron-down'} />
            </button>
          )}
        </span>
        {canGrant && similar > 0 && (
          <Button
            disabled={disabled}
            title="Each is still judged when its turn comes: what is dangerous asks by itself"
            onClick={() => onAnswer({ approve: true, grant: 'turn', covers: 0 })}
          >
            Approve all {similar + 1} like this
          </Button>
        )}
        <Button disabled={disabled} onClick={onReject}>
          Reject…
        </Button>
      </div>
      {more &&
        covers.map((each, index) => (
          <Scopes key={permissionText(each)} covers={each} index={index} disabled={disabled} onAnswer={onAnswer} />
        ))}
    </div>
  );
}

/** For how long, of one thing that a yes can stand for. */
function Scopes({ covers, index, disabled, onAnswer }: Pick<Props, 'disabled' | 'onAnswer'> & { covers: Permission; index: number }) {
  const what = visibleLine(permissionText(covers));
  return (
    <fieldset class="grants">
      <legend>
        Do not ask for <strong>{what}</strong>
      </legend>
      <div class="buttons">
        {LONGER.map(({ grant, label }) => (
          <Button
            key={grant}
            disabled={disabled}
            title={`Approve, and do not ask for ${what} ${label.toLowerCase()}`}
            onClick={() => onAnswer({ approve: true, grant, covers: index })}
          >
            {label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
