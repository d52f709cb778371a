import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalAnswer } from '../../../src/core/session/events.ts';
import { canGrant, type Permission, permissionText } from '../../../src/core/session/grant-scope.ts';
import { visibleLine } from '../../../src/core/words/visible-text.ts';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

type Props = {
  covers: readonly Permission[];
  /** The number of other tool calls in the same response that need the same approval. */
  similar: number;
  /** The label of the button that approves once. */
  label: string;
  /** A dangerous call has no default button. */
  isDangerous: boolean;
  disabled: boolean;
  /** Further buttons. */
  more?: ComponentChildren;
  onAnswer: (answer: ApprovalAnswer) => void;
  onReject: () => void;
};

const SCOPES = [
  { grant: 'run', label: 'For this run' },
  { grant: 'session', label: 'For this session' },
  { grant: 'workspace', label: 'Always in this workspace' },
] as const;

/** The buttons that approve once, approve all similar tool calls, grant a permission, or reject. */
export function ApprovalActions({ covers, similar, label, isDangerous, disabled, more, onAnswer, onReject }: Props) {
  const [showsScopes, setShowsScopes] = useState(false);
  const answers = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const hasGrants = covers.length > 0;
  useLayoutEffect(() => {
    if (showsScopes) scrollIntoView(answers.current, 'nearest');
  }, [showsScopes]);
  // The first Escape closes the list of scopes. Only a second Escape stops the run.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !showsScopes) return;
    event.preventDefault();
    setShowsScopes(false);
    toggle.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the element handles the keys of its buttons
    <div class="answers" ref={answers} onKeyDown={onKeyDown}>
      <div class="buttons">
        <span class={hasGrants ? 'split' : ''}>
          <Button
            kind={isDangerous ? 'secondary' : 'primary'}
            disabled={disabled}
            title={isDangerous ? undefined : 'Ctrl+Enter'}
            onClick={() => onAnswer({ approve: true })}
          >
            {label}
          </Button>
          {hasGrants && (
            <button
              type="button"
              ref={toggle}
              class={isDangerous ? 'button secondary' : 'button primary'}
              aria-label="More approval options"
              aria-expanded={showsScopes}
              disabled={disabled}
              onClick={() => setShowsScopes(!showsScopes)}
            >
              <Icon name={showsScopes ? 'chevron-up' : 'chevron-down'} />
            </button>
          )}
        </span>
        {hasGrants && similar > 0 && (
          <Button
            disabled={disabled}
            title="Each tool call is still checked before it runs. Dangerous tool calls need approval again."
            onClick={() => onAnswer({ approve: true, grant: 'turn', covers: 0 })}
          >
            Approve all {similar + 1} like this
          </Button>
        )}
        {more}
        <Button disabled={disabled} onClick={onReject}>
          Reject…
        </Button>
      </div>
      {showsScopes &&
        covers.map((each, index) => (
          <Scopes key={permissionText(each)} covers={each} index={index} disabled={disabled} onAnswer={onAnswer} />
        ))}
    </div>
  );
}

/** The buttons that grant one permission for the run, for the session, or always. */
function Scopes({ covers, index, disabled, onAnswer }: Pick<Props, 'disabled' | 'onAnswer'> & { covers: Permission; index: number }) {
  const what = visibleLine(permissionText(covers));
  return (
    <fieldset class="grants">
      <legend>
        Allow <strong>{what}</strong>
      </legend>
      <div class="buttons">
        {SCOPES.filter(({ grant }) => canGrant(covers, grant)).map(({ grant, label }) => (
          <Button
            key={grant}
            disabled={disabled}
            title={`Approve, and allow ${what} ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
            onClick={() => onAnswer({ approve: true, grant, covers: index })}
          >
            {label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
