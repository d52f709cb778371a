import type { Mode } from '../../../src/core/session/events.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { MODE } from '../../modes.ts';
import { dispatch } from '../../store.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

export function chooseMode(mode: Mode): void {
  dispatch({ type: 'choose_mode', mode });
  post({ type: 'set_mode', mode });
}

const pickAgent = () => post({ type: 'pick_agent' });

type ComposerBarProps = {
  host: PanelState | undefined;
  /** Undefined until the host has sent the current mode. */
  mode: Mode | undefined;
  canStop: boolean;
  /** The label of the send button, if it is shown. */
  send: string | undefined;
  isEmpty: boolean;
  onSend: () => void;
};

/** The controls below the text: the buttons for attaching files, sending and stopping, and the selectors for the mode and the model. */
export function ComposerBar({ host, mode, canStop, send, isEmpty, onSend }: ComposerBarProps) {
  const name = host?.modelName ?? '';
  const label = `Model: ${name}. Choose a model`;
  // A long name is cut before its end, which tells similar models apart.
  const cut = name.length > 12 ? -6 : name.length;
  return (
    <div class="composer-bar">
      <IconButton icon="attach" label="Attach files" onClick={() => post({ type: 'pick_files' })} />
      {!host?.agent && <IconButton icon="person" label="Choose an agent" onClick={pickAgent} />}
      <ModeSwitch mode={mode} restricted={host?.trusted === false} />
      {host && (
        <button
          type="button"
          class="model-name"
          title={`${label}. ${host.readiness.text}`}
          aria-label={label}
          onClick={() => post({ type: 'pick_model' })}
        >
          <span class={`dot ${host.readiness.level}`} aria-hidden="true" />
          <span class="name">
            <span class="cut">{name.slice(0, cut)}</span>
            {name.slice(cut)}
          </span>
          <Icon name="chevron-down" />
        </button>
      )}
      <span class="grow" />
      {canStop && (
        <button type="button" class="send stop" aria-label="Stop" title="Stop (Escape)" onClick={() => post({ type: 'stop' })}>
          <Icon name="debug-stop" />
        </button>
      )}
      {send && (
        <button type="button" class="send" aria-label={send} title={`${send} (Enter)`} disabled={isEmpty} onClick={onSend}>
          <Icon name="send" />
        </button>
      )}
    </div>
  );
}

const RESTRICTED = 'Restricted Mode: only Ask is available.';

/** In Restricted Mode, only Ask can be selected. */
function ModeSwitch({ mode, restricted }: { mode: Mode | undefined; restricted: boolean }) {
  return (
    <div class="mode-switch" role="radiogroup" aria-label="Mode">
      {(Object.keys(MODE) as Mode[]).map((each) => {
        const disabled = restricted && each !== 'ask';
        return (
          <label key={each} class={each === mode ? 'chosen' : ''} title={disabled ? RESTRICTED : MODE[each].promise}>
            <input type="radio" name="mode" value={each} checked={each === mode} disabled={disabled} onChange={() => chooseMode(each)} />
            {MODE[each].label}
          </label>
        );
      })}
    </div>
  );
}

/** Names the agent of the next message, if there is one. */
export function AgentLine({ agent }: PanelState) {
  return (
    agent && (
      <p class="without-approval">
        <Button kind="link" onClick={pickAgent}>
          Agent: {agent}
        </Button>
      </p>
    )
  );
}

/** Describes in one line what runs without approval. It is not needed in Ask and Plan mode, which change nothing. */
export function WithoutApproval({ host, mode }: { host: PanelState; mode: Mode }) {
  if (mode !== 'agent' || !host.withoutApproval) return null;
  const text = `Without approval: ${host.withoutApproval.join(', ')}`;
  return (
    <p class="without-approval">
      <Icon name="unlock" />
      <span class="grow" title={host.withoutApproval.join('\n')}>
        {text}
      </span>
      <Button kind="link" onClick={() => dispatch({ type: 'show_page', name: 'permissions' })}>
        Permissions
      </Button>
    </p>
  );
}

/** Shows notices about the model and the workspace trust above the text field. `isNew` means that the session has no messages yet. */
export function Readiness({ host, isNew }: { host: PanelState; isNew: boolean }) {
  const { level, text, action } = host.readiness;
  const isShown = level === 'attention' || level === 'warning' || (isNew && action !== undefined);
  if (!isShown && host.trusted) return null;
  return (
    <div class={`readiness ${level}`}>
      {!host.trusted && (
        <p>
          {RESTRICTED}{' '}
          <Button kind="link" onClick={() => post({ type: 'manage_trust' })}>
            Manage Trust
          </Button>
        </p>
      )}
      {isShown && (
        <p>
          {text}{' '}
          {action && (
            <Button kind="link" onClick={() => post(action.message)}>
              {action.label}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
