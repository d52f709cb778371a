import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RequestOf } from '../../src/protocol/pages.ts';
import type { SessionEntry, SessionsPage } from '../../src/protocol/sessions-page.ts';
import { Button, IconButton } from '../components/button.tsx';
import { count } from '../format.ts';
import { post } from '../host.ts';
import { dispatch } from '../store.ts';
import { filtered, isSearch, ROW_PX, rowsInSight, type SessionFilter } from './session-filter.ts';
import { SessionRow } from './session-row.tsx';

const send = (request: RequestOf<'sessions'>) => post({ type: 'page_request', request });

const SHOW: [SessionFilter['show'], string][] = [
  ['all', 'All sessions'],
  ['waiting', 'Waiting for you'],
  ['running', 'Running'],
  ['paused', 'Paused'],
  ['failed', 'Failed'],
  ['done', 'Done'],
  ['pinned', 'Pinned'],
];
const MODES: [SessionFilter['mode'], string][] = [
  ['all', 'All modes'],
  ['ask', 'Ask'],
  ['plan', 'Plan'],
  ['agent', 'Agent'],
];

const PLACES: ['here' | 'everywhere', string][] = [
  ['here', 'This workspace'],
  ['everywhere', 'All workspaces'],
];

/** Lists the sessions. The user can search them by title and text, and show, rename, pin and delete them here. */
export function Page({ data }: { data: SessionsPage }) {
  const { sessions, found, deleted } = data;
  const everywhere = data.everywhere === true;
  const [isEverywhere, setEverywhere] = useState(everywhere);
  const [filter, setFilter] = useState<SessionFilter>({ words: '', show: 'all', mode: 'all' });
  const listed = filtered(sessions, filter, found);
  const words = filter.words.trim();
  const isSearching = isSearch(words) && (found?.words !== words || !found.isComplete);
  const lines = new Map(found?.words === words ? found.lines.map((each) => [each.sessionId, each.line]) : []);

  const search = (text: string) => {
    setFilter({ ...filter, words: text });
    send({ page: 'sessions', type: 'search_sessions', words: text });
  };
  // The search must not continue after the page is closed.
  useEffect(() => () => send({ page: 'sessions', type: 'search_sessions', words: '' }), []);
  const begin = () => {
    post({ type: 'new_session' });
    dispatch({ type: 'session_left' });
    dispatch({ type: 'page_closed' });
  };

  return (
    <div class="sessions">
      <div class="sessions-tools">
        <input
          class="field"
          type="search"
          aria-label="Search titles, messages and results"
          placeholder="Search titles, messages and results"
          value={filter.words}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') focusRow(0);
            else if (event.key !== 'Escape' || filter.words === '') return;
            else search('');
            event.preventDefault();
          }}
        />
        <IconButton icon="add" label="New session" onClick={begin} />
        <Select
          label="Workspace"
          options={PLACES}
          value={isEverywhere ? 'everywhere' : 'here'}
          onChoose={(place) => {
            setEverywhere(place === 'everywhere');
            send({ page: 'sessions', type: 'choose_workspaces', everywhere: place === 'everywhere' });
          }}
        />
        <Select label="State" options={SHOW} value={filter.show} onChoose={(show) => setFilter({ ...filter, show })} />
        <Select label="Mode" options={MODES} value={filter.mode} onChoose={(mode) => setFilter({ ...filter, mode })} />
      </div>
      <div role="status">
        {deleted && (
          <div class="row undo">
            <span class="grow cut" title={deleted.title}>
              Deleted: {deleted.title}. Files that it changed stay as they are.
            </span>
            <Button
              kind="link"
              label={`Undo: restore ${deleted.title}`}
              onClick={() => send({ page: 'sessions', type: 'restore_session', id: deleted.id })}
            >
              Undo
            </Button>
          </div>
        )}
      </div>
      <p class="dim sessions-count" role="status">
        {isSearching || isEverywhere !== everywhere
          ? `${count(listed.length, 'session')}, searching…`
          : listed.length > 0
            ? count(listed.length, 'session')
            : nothing(sessions)}
        {everywhere && words !== '' && ' Sessions of other workspaces can be found only by title and folder.'}
      </p>
      <Rows sessions={listed} lines={lines} />
    </div>
  );
}

function nothing(all: readonly SessionEntry[]): string {
  return all.length === 0 ? 'There are no sessions yet.' : 'No sessions match.';
}

type SelectProps<Value extends string> = { label: string; options: [Value, string][]; value: Value; onChoose: (value: Value) => void };

function Select<Value extends string>({ label, options, value, onChoose }: SelectProps<Value>) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

function focusRow(index: number): void {
  document.querySelector<HTMLElement>(`[data-row="${index}"] .session-open`)?.focus();
}

/** Draws only the rows in and near the visible area, because there can be thousands. */
function Rows({ sessions, lines }: { sessions: readonly SessionEntry[]; lines: ReadonlyMap<string, string> }) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  /** The row that gets the focus when it is drawn. */
  const wanted = useRef<number | undefined>(undefined);
  const look = () => box.current && setSight({ top: box.current.scrollTop, height: box.current.clientHeight });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    focusRow(wanted.current);
    wanted.current = undefined;
  }, [sight]);

  const move = (index: number) => {
    const { current } = box;
    if (!current || index < 0 || index >= sessions.length) return;
    const top = index * ROW_PX;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + ROW_PX > current.scrollTop + current.clientHeight) current.scrollTop = top + ROW_PX - current.clientHeight;
    wanted.current = index;
    look();
    setSight((before) => ({ ...before }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    if (!row || (event.target as HTMLElement).matches('input')) return;
    const index = Number(row.dataset.row);
    const page = Math.max(1, Math.floor(sight.height / ROW_PX) - 1);
    const targets: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: Math.min(sessions.length - 1, index + page),
      PageUp: Math.max(0, index - page),
      Home: 0,
      End: sessions.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    move(target);
  };
  const [from, to] = rowsInSight(sessions.length, sight.top, sight.height);
  return (
    <div class="sessions-list" ref={box} onScroll={look}>
      <ul aria-label="Sessions" style={{ height: `${sessions.length * ROW_PX}px` }} onKeyDown={onKeyDown}>
        {sessions.slice(from, to).map((session, index) => (
          <SessionRow
            key={`${session.workspace?.key ?? ''} ${session.id}`}
            session={session}
            line={lines.get(session.id)}
            row={from + index}
            rows={sessions.length}
            send={send}
          />
        ))}
      </ul>
    </div>
  );
}
