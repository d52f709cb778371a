import { useState } from 'preact/hooks';
import type { CollectionEntry, DocumentEntry, DocumentFilterName, DocumentList, DocumentsPage } from '../../src/protocol/documents-page.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Choice, type Option } from '../components/choice.tsx';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { post } from '../host.ts';

type Request = RequestOf<'documents'>;
type Named<Type extends Request['type']> = Omit<Extract<Request, { type: Type }>, 'page' | 'type'>;

function send<Type extends Request['type']>(type: Type, values: Named<Type>): void {
  post({ type: 'page_request', request: { page: 'documents', type, ...values } as unknown as Request });
}

const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** Lists the collections of documents, which can be added, updated, removed and asked. */
export function Page({ data: { collections, notes, canAdd, needsTrust, found } }: { data: DocumentsPage }) {
  return (
    <div class="documents">
      <p class="dim">
        Runs in every mode search these documents and cite the places. In a message, @ and a name limit the search to a collection.
      </p>
      {notes.map((note) => (
        <p key={note} class="row note">
          <Icon name="info" tone="dim" />
          <span>{note}</span>
        </p>
      ))}
      {needsTrust && <Button onClick={() => post({ type: 'manage_trust' })}>Manage workspace trust</Button>}
      {collections.length > 0 && <Search found={found} />}
      {canAdd && <AddButtons />}
      {collections.length === 0 && <p class="dim">No collections.</p>}
      {collections.map((collection) => (
        <Collection key={collection.name} collection={collection} canAdd={canAdd} />
      ))}
    </div>
  );
}

/** Searches all collections while the user types, and lists the best passages. */
function Search({ found }: { found: DocumentsPage['found'] }) {
  const [words, setWords] = useState(found?.words ?? '');
  const search = (text: string) => {
    setWords(text);
    send('search_documents', { words: text });
  };
  const isSearching = words.trim() !== '';
  const passages = found?.words === words.trim() ? found.passages : undefined;
  return (
    <search>
      <input
        type="search"
        aria-label="Search the documents"
        placeholder="Search the documents"
        maxLength={1_000}
        value={words}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <p role="status" class="dim">
        {isSearching && (passages ? (passages.length > 0 ? count(passages.length, 'passage') : 'Nothing was found.') : 'Searching…')}
      </p>
      {isSearching && (
        <ol aria-label="Passages">
          {passages?.map(({ text, where, ...at }) => (
            <li key={at.document + at.place + text} class="document">
              <div class="row">
                <button type="button" class="file-link" title={`Open ${at.document}, ${where}`} onClick={() => send('open_document', at)}>
                  <span class="name">{`${at.collection}/${at.document}`}</span>
                </button>
              </div>
              <p class="dim">{where}</p>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}

/** With a collection, adds to it. Otherwise, adds a new one. */
function AddButtons({ collection }: { collection?: string }) {
  const of = collection === undefined ? {} : { collection };
  const to = collection === undefined ? '' : ` to ${collection}`;
  const kind = collection === undefined ? 'secondary' : 'link';
  return (
    <div class="row add">
      <Button kind={kind} icon="folder" label={`Add folder${to}`} onClick={() => send('add_documents', { source: 'folder', ...of })}>
        Add folder
      </Button>
      <Button kind={kind} icon="file" label={`Add files${to}`} onClick={() => send('add_documents', { source: 'files', ...of })}>
        Add files
      </Button>
      <Button kind={kind} icon="globe" label={`Add web pages${to}`} onClick={() => send('add_documents', { source: 'page', ...of })}>
        Add web pages
      </Button>
    </div>
  );
}

function Collection({ collection, canAdd }: { collection: CollectionEntry; canAdd: boolean }) {
  const { name, progress, result, list, failed } = collection;
  return (
    <section class="collection" aria-label={name}>
      <div class="row">
        <Icon name="library" />
        <h2 class="grow cut" title={collection.sources.join('\n')}>
          {name}
        </h2>
        {canAdd && !progress && (
          <>
            <IconButton icon="refresh" label={`Update: ${name}`} onClick={() => send('update_collection', { collection: name })} />
            <IconButton icon="trash" label={`Remove: ${name}`} onClick={() => send('remove_collection', { collection: name })} />
          </>
        )}
      </div>
      <p class="dim facts">{factsOf(collection)}</p>
      <div role="status">
        {progress && <Progress name={name} progress={progress} />}
        {result?.text && <p class="dim">{result.text}</p>}
      </div>
      {result?.problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      <div class="row actions-below">
        <Templates collection={name} />
        <Button
          kind="link"
          label={list ? `Hide documents: ${name}` : `Show documents: ${name}`}
          onClick={() => send('list_documents', { collection: name, ...(!list && { filter: failed > 0 ? 'failed' : 'all' }) })}
        >
          {list ? 'Hide documents' : 'Show documents'}
        </Button>
      </div>
      {list && <Documents collection={collection} list={list} canAdd={canAdd} />}
    </section>
  );
}

function factsOf({ documents, failed, todo, isGlobal, isFromNetwork }: CollectionEntry): string {
  return [
    count(documents, 'document'),
    failed > 0 && `${failed.toLocaleString('en')} could not be read`,
    todo > 0 && `${todo.toLocaleString('en')} not up to date`,
    isGlobal ? 'all workspaces' : 'this workspace',
    isFromNetwork && 'from the network',
  ]
    .filter(Boolean)
    .join(' · ');
}

function Progress({ name, progress: { done, todo } }: { name: string; progress: NonNullable<CollectionEntry['progress']> }) {
  const text = todo === undefined ? 'Looking for documents' : `Indexing: ${done.toLocaleString('en')} of ${count(todo, 'document')}`;
  return (
    <div class="row">
      <div class="grow">
        <p>{text}</p>
        {/* Screen readers read the text, and would read each change of the bar as well. */}
        <progress aria-hidden="true" {...(todo === undefined ? {} : { value: done, max: Math.max(1, todo) })} />
      </div>
      <Button label={`Cancel: ${name}`} onClick={() => send('cancel_update', { collection: name })}>
        Cancel
      </Button>
    </div>
  );
}

const TEMPLATES = [
  { template: 'ask', text: 'Ask', title: 'Ask a question about' },
  { template: 'summarize', text: 'Summarize', title: 'Write a prompt that summarizes' },
  { template: 'worksheet', text: 'Worksheet', title: 'Write a prompt for questions with answers about' },
  { template: 'compare', text: 'Compare', title: 'Write a prompt that compares documents of' },
] as const;

/** The prompts are put into the input box, where they can be changed. */
function Templates({ collection }: { collection: string }) {
  return (
    <>
      {TEMPLATES.map(({ template, text, title }) => (
        <Button
          key={template}
          kind="link"
          label={`${text}: ${collection}`}
          title={`${title} ${collection}`}
          onClick={() => send('use_template', { template, collection })}
        >
          {text}
        </Button>
      ))}
    </>
  );
}

const FILTERS: readonly Option<DocumentFilterName>[] = [
  { value: 'failed', text: 'Could not be read' },
  { value: 'all', text: 'All' },
];

function Documents({ collection, list, canAdd }: { collection: CollectionEntry; list: DocumentList; canAdd: boolean }) {
  const { name, failed, sources } = collection;
  const { filter, documents, total } = list;
  return (
    <>
      <ul class="sources" aria-label={`Sources of ${name}`}>
        {sources.map((source) => (
          <li key={source}>{source}</li>
        ))}
      </ul>
      {canAdd && <AddButtons collection={name} />}
      {failed > 0 && (
        <Choice
          label={`Documents of ${name}`}
          value={filter}
          onChoose={(chosen) => send('list_documents', { collection: name, filter: chosen })}
          options={FILTERS}
        />
      )}
      <ul aria-label={filter === 'failed' ? `Documents of ${name} that could not be read` : `Documents of ${name}`}>
        {documents.map((document) => (
          <Document key={document.key} collection={name} document={document} />
        ))}
      </ul>
      {total > documents.length && <p class="dim">{count(total - documents.length, 'more document')}</p>}
    </>
  );
}

function Document({ collection, document: { key, title, state, problem, notes } }: { collection: string; document: DocumentEntry }) {
  const use = (template: Extract<Request, { type: 'use_template' }>['template']) =>
    send('use_template', { template, collection, document: key });
  return (
    <li class="document">
      <div class="row">
        {state === 'failed' && <Icon name="error" tone="bad" />}
        <button
          type="button"
          class="file-link grow"
          title={title === key ? `Open ${key}` : `Open ${key}: ${title}`}
          onClick={() => send('open_document', { collection, document: key })}
        >
          <span class="name">{key}</span>
        </button>
        {state === 'ready' && (
          <span class="actions">
            <IconButton icon="list-unordered" label={`Summarize: ${key}`} onClick={() => use('summarize')} />
            <IconButton icon="checklist" label={`Worksheet: ${key}`} onClick={() => use('worksheet')} />
            <IconButton icon="diff" label={`Compare: ${key}`} onClick={() => use('compare')} />
          </span>
        )}
      </div>
      {problem && <p class="reason">{problem}</p>}
      {state === 'todo' && <p class="dim">Not up to date</p>}
      {notes.map((note) => (
        <p key={note} class="dim">
          {note}
        </p>
      ))}
    </li>
  );
}
