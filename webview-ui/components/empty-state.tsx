import type { PanelState, ToHost } from '../../src/protocol/panel.ts';
import { post } from '../host.ts';
import { MODE, type QuickAction, suggestionsFor } from '../modes.ts';
import { dispatch } from '../store.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

export function EmptyState({ host, sessionId }: { host: PanelState | undefined; sessionId: string | undefined }) {
  if (!host) return <main class="empty" />;
  const { icon, promise } = MODE[host.mode];
  const start = (action: QuickAction) =>
    action.send
      ? post({
          type: 'prompt',
          text: action.text,
          mode: host.mode,
          ...(sessionId && { sessionId }),
          ...(action.mention && { mentions: [{ ref: { kind: action.mention } }] }),
        })
      : dispatch({ type: 'compose', text: action.text });
  return (
    <main class="empty">
      <Icon name={icon} />
      <h2>Kedge</h2>
      <p>A coding assistant that shows every change before it happens.</p>
      <p class="promise">{promise}</p>
      {host.folders.length === 0 ? (
        <Hint
          icon="folder-opened"
          text="No folder is open. Open the project that you want to work on."
          action={{ label: 'Open Folder', message: { type: 'open_folder' } }}
        />
      ) : !host.trusted ? (
        <Hint
          icon="shield"
          text="This workspace is in Restricted Mode. Kedge can answer questions about its files, but cannot change them."
          action={{ label: 'Manage Trust', message: { type: 'manage_trust' } }}
        />
      ) : null}
      {host.folders.length > 0 && (host.trusted || host.mode === 'ask') && (
        <ul class="chips" aria-label="Suggestions">
          {suggestionsFor(host).map((action) => (
            <li key={action.label}>
              <button type="button" class="chip" onClick={() => start(action)}>
                <Icon name={action.icon} />
                <span>{action.label}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}

type HintProps = { icon: IconName; text: string; action: { label: string; message: ToHost } };

function Hint({ icon, text, action }: HintProps) {
  return (
    <div class="hint">
      <Icon name={icon} />
      <div>
        <p>{text}</p>
        <Button kind="primary" onClick={() => post(action.message)}>
          {action.label}
        </Button>
      </div>
    </div>
  );
}
