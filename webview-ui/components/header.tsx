import type { Mode } from '../../src/core/session/events.ts';
import type { PanelState } from '../../src/protocol/panel.ts';
import { post } from '../host.ts';
import { memo } from '../memo-component.ts';
import { MODE } from '../modes.ts';
import { dispatch } from '../store.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

const RESTRICTED = 'Restricted Mode: Kedge cannot change files.';

/** No mode is selected until the host has sent the current mode. */
export const Header = memo(({ host, mode }: { host: PanelState | undefined; mode: Mode | undefined }) => {
  const begin = () => {
    post({ type: 'new_session' });
    dispatch({ type: 'session_left' });
    document.querySelector<HTMLElement>('.composer textarea')?.focus();
  };
  return (
    <header class="header">
      <div class="row">
        <ModeSwitch mode={mode} />
        <span class="grow" />
        <IconButton icon="add" label="New session" onClick={begin} />
        <IconButton icon="history" label="Open an earlier session" onClick={() => post({ type: 'pick_session' })} />
      </div>
      {mode && <p class="promise">{host?.trusted === false && mode !== 'ask' ? RESTRICTED : MODE[mode].promise}</p>}
      {host && <Model host={host} />}
    </header>
  );
});

function ModeSwitch({ mode }: { mode: Mode | undefined }) {
  const choose = (chosen: Mode) => {
    dispatch({ type: 'choose_mode', mode: chosen });
    post({ type: 'set_mode', mode: chosen });
  };
  return (
    <div class="mode-switch" role="radiogroup" aria-label="Mode">
      {(Object.keys(MODE) as Mode[]).map((each) => (
        <label key={each} class={each === mode ? 'chosen' : ''} title={MODE[each].promise}>
          <input type="radio" name="mode" value={each} checked={each === mode} onChange={() => choose(each)} />
          {MODE[each].label}
        </label>
      ))}
    </div>
  );
}

function Model({ host }: { host: PanelState }) {
  const { level, text, action } = host.readiness;
  return (
    <div class={`row model ${level}`}>
      <button type="button" class="model-name" title="Choose a model" onClick={() => post({ type: 'pick_model' })}>
        <span class={`dot ${level}`} aria-hidden="true" />
        <span class="name">{host.modelName}</span>
        <Icon name="chevron-down" />
      </button>
      {/* A text that requires an action of the user is not shortened. */}
      <span class={level === 'attention' ? 'readiness' : 'readiness cut'} title={text}>
        {text}
      </span>
      {action && (
        <Button kind="link" onClick={() => post(action.message)}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
