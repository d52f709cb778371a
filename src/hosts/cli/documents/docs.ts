/** `kedge docs`: manages and searches collections of documents. */
import {
  CollectionBusy,
  type CollectionSummary,
  type DocumentSummary,
  NotInCollection,
  type Passage,
} from '../../../documents/collections.ts';
import { CollectionError } from '../../../documents/store/definitions.ts';
import type { DocumentStore } from '../../../documents/store/store.ts';
import { UsageError } from '../options/arguments.ts';
import { harmless, oneLine, paintFor } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, onlyWord } from '../sessions/context.ts';
import { placeText } from './place.ts';
import { sourcesOf } from './sources.ts';
import { updateCollections } from './update.ts';

/** @throws UsageError if the command line is invalid */
export async function docs(context: CommandContext): Promise<number> {
  const { kedge } = context;
  const store = await kedge.documents.store();
  try {
    return await run(store, context);
  } catch (error) {
    if (error instanceof NotInCollection || error instanceof CollectionError) throw new UsageError(error.message);
    if (error instanceof CollectionBusy) process.stderr.write(`kedge: ${error.message}\n`);
    else throw error;
    return EXIT.failed;
  } finally {
    await kedge.documents.close();
  }
}

async function run(store: DocumentStore, context: CommandContext): Promise<number> {
  const { words, values } = context;
  const [command, ...rest] = words;
  switch (command) {
    case 'add': {
      const [name, ...sources] = rest;
      if (name === undefined || sources.length + count(values.package) === 0)
        throw new UsageError('Name the collection and what belongs to it: kedge docs add NAME SOURCE…. See kedge docs --help.');
      store.define(name, values.global === true ? 'global' : 'workspace', sourcesOf(sources, context));
      return updateCollections(store, [name], context);
    }
    case 'update': {
      const names = rest.length > 0 ? rest : (await store.listCollections()).map(({ name }) => name);
      if (names.length === 0) throw new UsageError(NONE);
      return updateCollections(store, names, context);
    }
    case undefined:
    case 'list':
      if (rest.length > 0)
        throw new UsageError('kedge docs list takes no arguments. kedge docs show NAME lists the documents of a collection.');
      return list(await store.listCollections(), values.json === true);
    case 'show':
      return show(store, onlyWord(rest, 'Name one collection: kedge docs show NAME'), context);
    case 'search':
      return search(store, rest, context);
    case 'remove': {
      const name = onlyWord(rest, 'Name one collection: kedge docs remove NAME');
      await store.remove(name);
      process.stderr.write(`Removed the collection ${name}. Its documents were not changed.\n`);
      return EXIT.answered;
    }
    default:
      throw new UsageError(`kedge docs has no command ${oneLine(command)}. See kedge docs --help.`);
  }
}

const NONE = 'There are no collections yet. Add one: kedge docs add NAME FOLDER';

function list(collections: readonly CollectionSummary[], json: boolean): number {
  if (json) for (const collection of collections) process.stdout.write(`${JSON.stringify(collection)}\n`);
  else if (collections.length === 0) process.stderr.write(`${NONE}\n`);
  for (const { name, scope, documents, failed, todo, isFromNetwork, problem } of json ? [] : collections) {
    const parts = [
      problem && oneLine(problem, 500),
      !problem && `${documents} ${documents === 1 ? 'document' : 'documents'}`,
      failed > 0 && `${failed} could not be read`,
      todo > 0 && `${todo} not up to date: kedge docs update ${name}`,
      scope === 'global' && 'global',
      isFromNetwork && 'from the network',
    ];
    process.stdout.write(`${name.padEnd(24)} ${parts.filter(Boolean).join(', ')}\n`);
  }
  return EXIT.answered;
}

async function show(store: DocumentStore, name: string, { values }: CommandContext): Promise<number> {
  const filter = {
    ...(values.failed === true && { state: 'failed' as const }),
    ...(typeof values.path === 'string' && { path: values.path }),
  };
  const { documents, total } = await store.listDocuments(name, filter, limitOf(values.limit, 1_000));
  for (const document of documents) process.stdout.write(`${values.json === true ? JSON.stringify(document) : documentLine(document)}\n`);
  if (values.json !== true && total > documents.length)
    process.stderr.write(`${total - documents.length} more documents. Use --limit or --path to see them.\n`);
  return EXIT.answered;
}

function documentLine({ key, title, state, message, notes, format }: DocumentSummary): string {
  const shown = oneLine(key);
  if (state === 'failed') return `${shown}  could not be read: ${oneLine(message ?? '', 500)}`;
  if (state === 'todo') return `${shown}  not up to date`;
  return [shown, format, title !== key && oneLine(title), ...notes.map((note) => `(${oneLine(note)})`)].filter(Boolean).join('  ');
}

async function search(store: DocumentStore, words: readonly string[], { values, signal }: CommandContext): Promise<number> {
  const query = words.at(-1)?.trim();
  if (!query) throw new UsageError('Say what to search for: kedge docs search [NAME…] "WORDS"');
  const collections = words.length > 1 ? words.slice(0, -1) : undefined;
  if (!collections && (await store.listCollections()).length === 0) throw new UsageError(NONE);
  const options = {
    ...(collections && { collections }),
    ...(typeof values.path === 'string' && { filter: { path: values.path } }),
    limit: limitOf(values.limit, 10),
    tolerant: values.fuzzy === true,
    onNote: (note: string) => void process.stderr.write(`kedge: ${oneLine(note, 1_000)}\n`),
  };
  const passages = await store.search(query, options, signal);
  if (passages.length === 0) process.stderr.write(`Nothing was found.${values.fuzzy ? '' : ' Add --fuzzy to also find similar words.'}\n`);
  for (const passage of passages) process.stdout.write(values.json === true ? `${JSON.stringify(passage)}\n` : passageText(passage));
  return passages.length > 0 ? EXIT.answered : EXIT.failed;
}

const MAX_LINES = 12;

function passageText({ collection, document, titlePath, place, text, repeated }: Passage): string {
  const paint = paintFor(process.stdout);
  const where = [oneLine(document), oneLine(placeText(place)), ...(titlePath.length > 0 ? [oneLine(titlePath.join(' > '))] : [])]
    .filter(Boolean)
    .join('  ');
  const lines = harmless(text.trim()).split('\n');
  const more = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`);
  const notes = [more > 0 && `${more} more lines`, repeated > 0 && `${repeated} more with the same text`].filter(Boolean);
  return `${paint.bold(`${collection}: ${where}`)}\n${shown.join('\n')}\n${notes.length > 0 ? `${paint.dim(`  … ${notes.join(', ')}`)}\n` : ''}\n`;
}

function limitOf(value: CommandContext['values'][string], usual: number): number {
  if (value === undefined) return usual;
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= 100_000) return number;
  throw new UsageError(`--limit must be a whole number of at least 1, not ${JSON.stringify(value)}.`);
}

function count(value: CommandContext['values'][string]): number {
  return Array.isArray(value) ? value.length : 0;
}
