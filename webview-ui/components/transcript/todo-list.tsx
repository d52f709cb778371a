import type { TodoItem } from '../../../src/core/session/events.ts';
import { todoProgress } from '../../../src/core/words/todo-text.ts';
import { memo } from '../../memo-component.ts';
import { Expandable } from '../expandable.tsx';
import { Icon, Spinner } from '../icon.tsx';

const LABELS: Record<TodoItem['state'], string> = { open: 'to do', doing: 'in progress', done: 'done' };

/** Shows the model's to-do list. The collapsed list shows the item in progress. */
export const TodoList = memo(({ items, live }: { items: readonly TodoItem[]; live: boolean }) => {
  const current = items.find(({ state }) => state === 'doing');
  return (
    <Expandable
      class="todo"
      open
      summary={
        <>
          <Icon name="checklist" /> To do <span class="dim">{todoProgress(items)}</span>
        </>
      }
      closed={live && current && <p class="dim">{current.text}</p>}
      children={() => (
        <ul>
          {items.map(({ text, state }, index) => (
            <li key={`${index} ${text}`} class={state}>
              {state === 'doing' && live ? (
                <Spinner />
              ) : (
                <Icon name={state === 'done' ? 'pass-filled' : 'circle-large'} tone={state === 'done' ? 'good' : 'dim'} />
              )}
              <span>
                {text}
                <span class="sr-only"> ({LABELS[state]})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    />
  );
});
