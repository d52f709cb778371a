/** States of the panel that show the page about collections of documents. */
import type { CollectionEntry, DocumentsPage } from '../../src/protocol/documents-page.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

const HANDBOOK: CollectionEntry = {
  name: 'handbook',
  isGlobal: false,
  isFromNetwork: false,
  sources: ['/home/anna/lighthouse/docs/handbook', '/home/anna/lighthouse/README.md'],
  documents: 42,
  failed: 2,
  todo: 0,
  result: { text: '3 indexed, 37 unchanged, 2 could not be read.', problems: [] },
};
const LIST: CollectionEntry['list'] = {
  filter: 'all',
  total: 42,
  documents: [
    { key: 'docs/handbook/deploy.md', title: 'How to deploy the lighthouse', state: 'ready', notes: [] },
    {
      key: 'docs/handbook/manuals/pump-of-the-northern-harbour-and-its-maintenance-schedule.pdf',
      title: 'Pump',
      state: 'ready',
      notes: ['3 pages contain only images.'],
    },
    {
      key: 'docs/handbook/contract.pdf',
      title: 'contract.pdf',
      state: 'failed',
      problem: 'The document is protected by a password. Remove the protection, and update the collection.',
      notes: [],
    },
    { key: 'docs/handbook/tides.xlsx', title: 'tides.xlsx', state: 'todo', notes: [] },
  ],
};

export const DOCUMENTS_DATA: DocumentsPage = {
  notes: [],
  canAdd: true,
  collections: [
    { ...HANDBOOK, list: LIST },
    {
      name: 'preact',
      isGlobal: true,
      isFromNetwork: true,
      sources: ['https://preactjs.com/guide and pages below'],
      documents: 100,
      failed: 0,
      todo: 0,
      result: { text: '100 indexed.', problems: ['The pages of https://preactjs.com/guide are too long in total. The rest was left out.'] },
    },
  ],
};

const FOUND: DocumentsPage = {
  ...DOCUMENTS_DATA,
  found: {
    words: 'rollback',
    passages: [
      {
        ...{ collection: 'handbook', document: 'docs/handbook/deploy.md', place: '12-18', where: 'line 12, Deploy > Rollback' },
        text: 'Run the rollback twice, because the first call only stops the new release. Then call the harbor master, who opens the northern gate.',
      },
      {
        ...{ collection: 'handbook', document: 'docs/handbook/manuals/pump-of-the-northern-harbour-and-its-maintenance-schedule.pdf' },
        ...{ place: 'p3', where: 'page 3, Pump > Rollback of the settings after a maintenance' },
        text: 'A rollback of the settings takes two minutes. '.repeat(6),
      },
    ],
  },
};

const INDEXING: DocumentsPage = {
  notes: ['Documents are read and stored on the remote computer (ssh-remote).'],
  canAdd: true,
  collections: [
    {
      name: 'handbook',
      isGlobal: false,
      isFromNetwork: false,
      sources: ['/home/anna/lighthouse/docs'],
      documents: 1_250,
      failed: 0,
      todo: 938,
      progress: { done: 312, todo: 1_250 },
    },
    {
      name: 'the-documentation-of-every-package-that-is-in-use-in-the-harbour',
      isGlobal: true,
      isFromNetwork: false,
      sources: ['/opt/harbour'],
      documents: 0,
      failed: 0,
      todo: 0,
      progress: { done: 0 },
    },
  ],
};

const UNTRUSTED: DocumentsPage = {
  notes: ['This workspace is not trusted. Runs can search the collections, but nothing can be added or updated here.'],
  canAdd: false,
  needsTrust: true,
  collections: [HANDBOOK],
};

const page = (data: DocumentsPage): ToPanel[] => [
  host('ask'),
  session(new Script(), false),
  { type: 'show_page', name: 'documents' },
  { type: 'page', name: 'documents', data },
];

/** An answer from documents, with the steps that found it. */
function answer(): Script {
  const input = { query: 'rollback valve' };
  const passage = '[handbook/docs/handbook/deploy.md:12-18] Deploy > Rollback\n  Run the rollback twice.';
  const mention = {
    type: 'note',
    about: 'mention',
    text: 'handbook (42 documents)',
    ref: { kind: 'collection', path: 'handbook' },
  } as const;
  return new Script()
    .run('ask', 'How do I roll back, and what color is the valve?')
    .add({ type: 'message_added', message: { role: 'user', content: [{ type: 'text', text: 'How do I roll back?' }, mention] } })
    .calls('documents_search', 'Search the documents for rollback valve', input)
    .returns('documents_search', passage, 31)
    .calls('documents_get_section', 'Read Rollback in handbook/docs/handbook/deploy.md', {
      document: 'handbook/docs/handbook/deploy.md',
      heading: 'Rollback',
    })
    .returns('documents_get_section', passage, 4)
    .turn()
    .says(
      'Run it twice [handbook/docs/handbook/deploy.md:12-18]. The valve is red [handbook/docs/handbook/my pump.pdf:p2], as `manuals/pump.pdf:p3` says too; see [preact/https://preactjs.com/guide:10-12].',
    )
    .finishes();
}

export function documentStates(): Record<string, NamedState> {
  return {
    'documents-answer': { messages: [host('ask', { steps: 'full' }), session(answer(), false)] },
    documents: { messages: page(DOCUMENTS_DATA) },
    'documents-search': { messages: page(FOUND) },
    'documents-indexing': { messages: page(INDEXING) },
    'documents-untrusted': { messages: page(UNTRUSTED) },
    'documents-none': { messages: page({ collections: [], notes: [], canAdd: true }) },
  };
}
