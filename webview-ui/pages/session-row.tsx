import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MODE_NAME } from '../../src/core/session/events.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import type { SessionEntry } from '../../src/protocol/sessions-page.ts';
import { IconButton } from '../components/button.tsx';
import { Icon, Spinner } from '../components/icon.tsx';
import type { IconName } from '../components/icons.ts';
import { shortTime, timeText } from '../format.ts';
import { memo } from '../memo-component.ts';
import { dispatch } from '../store.ts';
import { ROW_PX } from './session-filter.ts';

const STATUS: Record<SessionEntry['status'], { icon: IconName; text: string; tone?: 'bad' | 'warn' | 'dim' }> = {
  running: { icon: 'loading', text: 'Running' },
  waiting: { icon: 'bell-dot', text: 'Waiting for you', tone: 'warn' },
  paused: { icon: 'debug-pause', text: 'Paused', tone: 'warn' },
  failed: { icon: 'error', text: 'Failed', tone: 'bad' },
  done: { icon: 'comment-discussion', text: 'Done', tone: 'dim' },
};

type RowProps = {
  session: SessionEntry;
  /** The line that the search found. */
  line: string | undefined;
  row: number;
  rows: number;
  send: (request: RequestOf<'sessions'>) => void;
};

/** A session with its state and its actions. */
export const SessionRow = memo(({ session, line, row, rows, send }: RowProps) => {
  const { id, title, status, isPinned, isShown, isFork, workspace } = session;
  const elsewhere = workspace?.key;
  const [isRenaming, setRenaming] = useState(false);
  const { icon, text, tone } = STATUS[status];
  const item = useRef<HTMLLIElement>(null);
  const wasRenaming = useRef(false);
  useLayoutEffect(() => {
    if (wasRenaming.current && !isRenaming) item.current?.querySelector<HTMLElement>('.session-open')?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);
  const show = () => {
    if (elsewhere !== undefined) return send({ page: 'sessions', type: 'open_elsewhere', id, key: elsewhere });
    if (!isShown) send({ page: 'sessions', type: 'show_session', id });
    dispatch({ type: 'page_closed' });
  };
  return (
    <li
      ref={item}
      class={isShown ? 'session-row shown' : 'session-row'}
      style={{ top: `${row * ROW_PX}px` }}
      data-row={row}
      aria-posinset={row + 1}
      aria-setsize={rows}
    >
      {status === 'running' ? <Spinner /> : <Icon name={icon} tone={tone} />}
      {isRenaming ? (
        <Rename
          title={title}
          onSave={(next) => {
            if (next && next !== title) send({ page: 'sessions', type: 'rename_session', id, title: next });
            setRenaming(false);
          }}
          onCancel={() => setRenaming(false)}
        />
      ) : (
        <button type="button" class="session-open" aria-current={isShown} title={hoverText(session)} onClick={show}>
          <span class="session-title-line">
            {isPinned && <Icon name="pinned" tone="dim" />}
            <span class="cut">{title || 'Untitled'}</span>
            {isFork && <Icon name="git-branch" tone="dim" />}
            {isPinned && <span class="sr-only">, pinned</span>}
            {isFork && <span class="sr-only">, a branch</span>}
            {elsewhere !== undefined && <Icon name="link-external" tone="dim" />}
            {elsewhere !== undefined && <span class="sr-only">, opens in a new window</span>}
          </span>
          <span class={status === 'waiting' ? 'session-facts' : 'session-facts dim'}>
            <span class="cut">{line ?? facts(session, text)}</span>
          </span>
        </button>
      )}
      {!isRenaming && elsewhere === undefined && (
        <span class="actions">
          <IconButton
            icon={isPinned ? 'pinned' : 'pin'}
            label={`${isPinned ? 'Unpin' : 'Pin'}: ${title}`}
            onClick={() => send({ page: 'sessions', type: 'pin_session', id, pinned: !isPinned })}
          />
          <IconButton icon="edit" label={`Rename: ${title}`} onClick={() => setRenaming(true)} />
          <IconButton icon="trash" label={`Delete: ${title}`} onClick={() => send({ page: 'sessions', type: 'delete_session', id })} />
        </span>
      )}
    </li>
  );
});

function hoverText({ title, changedAt, workspace }: SessionEntry): string {
  return [title, ...(workspace?.folders ?? []), timeText(changedAt)].join('\n');
}

function facts({ mode, model, agent, changedAt, isShown, isImported, status, workspace }: SessionEntry, text: string): string {
  // Most sessions are done, so this state is not shown.
  const state = status === 'done' ? undefined : text;
  return [
    workspace?.name,
    state,
    shortTime(changedAt),
    mode && MODE_NAME[mode],
    agent,
    model,
    isImported && 'imported',
    isShown && 'current',
  ]
    .filter(Boolean)
    .join(' · ');
}

function Rename({ title, onSave, onCancel }: { title: string; onSave: (title: string) => void; onCancel: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  /** Whether editing has ended. Removing the field triggers another blur event, which must have no effect. */
  const isOver = useRef(false);
  useLayoutEffect(() => field.current?.select(), []);
  const end = (save: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    if (save) onSave(field.current?.value.trim() ?? '');
    else onCancel();
  };
  return (
    <input
      ref={field}
      class="field"
      aria-label={`New title of ${title}`}
      defaultValue={title}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === 'Enter') end(true);
        else if (event.key === 'Escape') end(false);
        else return;
        // Escape must not close the page.
        event.preventDefault();
      }}
      onBlur={() => end(true)}
    />
  );
}
