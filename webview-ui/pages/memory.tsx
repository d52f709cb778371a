import type { MemoryEntry } from '../../src/core/words/memory-list.ts';
import type { MemoryList, MemoryPage, RequestOf } from '../../src/protocol/pages.ts';
import { Button, IconButton } from '../components/button.tsx';
import { post } from '../host.ts';

const send = (request: RequestOf<'memory'>) => post({ type: 'page_request', request });

const TITLES: Record<MemoryList['scope'], string> = {
  workspace: 'This workspace',
  user: 'All workspaces',
  lessons: 'Similar tasks in this workspace',
};

/** Lists what the user asked Kedge to remember. Entries can be deleted here, and edited in their file. */
export function Page({ data: { lists, deleted } }: { data: MemoryPage }) {
  return (
    <div class="memory">
      <p class="dim">
        These entries are sent to the model in later sessions, and what worked for a task with similar tasks. To add one, enter /remember
        followed by a fact.
      </p>
      <div role="status">
        {deleted && (
          <div class="row undo">
            <span class="grow cut" title={deleted.text}>
              Deleted: {deleted.text}
            </span>
            <Button kind="link" label="Undo: restore the deleted entry" onClick={() => send({ page: 'memory', type: 'restore_memory' })}>
              Undo
            </Button>
          </div>
        )}
      </div>
      {lists.map((list) => (
        <Entries key={list.scope} list={list} />
      ))}
    </div>
  );
}

function Entries({ list: { scope, entries } }: { list: MemoryList }) {
  const title = TITLES[scope];
  return (
    <>
      <div class="row">
        <h2 class="grow">{title}</h2>
        <IconButton
          icon="go-to-file"
          label={`Open the file of the memory: ${title}`}
          onClick={() => send({ page: 'memory', type: 'open_memory', scope })}
        />
      </div>
      {entries.length === 0 ? (
        <p class="dim">No entries.</p>
      ) : (
        <ul aria-label={title}>
          {entries.map((entry) => (
            <li key={`${entry.line} ${entry.text}`} class="row">
              <span class="grow">{entry.text}</span>
              <EntryActions scope={scope} entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function EntryActions({ scope, entry }: { scope: MemoryList['scope']; entry: MemoryEntry }) {
  const { line, text } = entry;
  return (
    <span class="actions">
      <IconButton
        icon="edit"
        label={`Edit in the file: ${text}`}
        onClick={() => send({ page: 'memory', type: 'open_memory', scope, line })}
      />
      <IconButton
        icon="trash"
        label={`Delete: ${text}`}
        onClick={() => send({ page: 'memory', type: 'delete_memory', scope, entry: { line, text } })}
      />
    </span>
  );
}
