/** `kedge sessions`: lists, searches, names, deletes and restores sessions. */
import { join } from 'node:path';
import { isNamedBy } from '../../../app/library/elsewhere.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, confirmed, onlyWord, positiveNumber } from './context.ts';
import { placeText } from './elsewhere.ts';
import { findId } from './find.ts';
import { bytesText, countText, STATUS, timeText } from './text.ts';

const DAY_MS = 86_400_000;
const USAGE = 'Use kedge sessions rename SESSION TITLE, pin SESSION, unpin SESSION, delete SESSION, restore SESSION, or search WORDS.';

export async function sessions(context: CommandContext): Promise<number> {
  const { words, values } = context;
  const [verb, ...rest] = words;
  if (verb === undefined) return values.usage ? usage(context) : values.deleted ? listDeleted(context) : list(context);
  const { assistant } = context.kedge;
  const library = await assistant.library();
  switch (verb) {
    case 'search':
      return search(context, rest.join(' '));
    case 'rename': {
      const [session = '', ...title] = rest;
      if (title.length === 0) throw new UsageError('Specify the session and its new title: kedge sessions rename SESSION TITLE.');
      await library.rename(await findId(assistant, session), title.join(' '));
      return EXIT.answered;
    }
    case 'pin':
    case 'unpin':
      await library.pin(await findId(assistant, onlyWord(rest, USAGE)), verb === 'pin');
      return EXIT.answered;
    case 'delete':
      return remove(context, rest);
    case 'restore': {
      const wanted = onlyWord(rest, USAGE);
      const matches = (await library.deleted()).filter(({ id }) => id.startsWith(wanted));
      if (matches.length !== 1)
        throw new UsageError(
          `${matches.length === 0 ? 'No' : matches.length} ids of deleted sessions begin with ${wanted}. To list them, run kedge sessions --deleted.`,
        );
      library.restore(matches[0]?.id ?? '');
      return EXIT.answered;
    }
    case 'empty-trash':
      return emptyTrash(context);
    default:
      throw new UsageError(`${JSON.stringify(verb)} is not a command of kedge sessions. ${USAGE}`);
  }
}

type Line = Awaited<ReturnType<CommandContext['kedge']['assistant']['sessions']>>[number];

async function list(context: CommandContext): Promise<number> {
  const { kedge, values } = context;
  if (values.all) return listEverywhere(context);
  const infos = await kedge.assistant.sessions();
  if (infos.length === 0 && !values.json) process.stderr.write('This folder has no sessions yet.\n');
  const sorted = [...infos.filter(({ isPinned }) => isPinned), ...infos.filter(({ isPinned }) => !isPinned)];
  for (const info of values.json ? infos : sorted) process.stdout.write(values.json ? `${JSON.stringify(info)}\n` : `${lineOf(info)}\n`);
  return EXIT.answered;
}

/** Lists the sessions of all folders, newest first. */
async function listEverywhere({ kedge, values }: CommandContext): Promise<number> {
  const [own, elsewhere] = await Promise.all([
    kedge.assistant.sessions(),
    kedge.assistant.library().then((library) => library.elsewhere()),
  ]);
  const infos = [...own.map((info) => ({ ...info, folders: kedge.folders })), ...elsewhere].sort((a, b) => b.changedAt - a.changedAt);
  if (infos.length === 0 && !values.json) process.stderr.write('There are no sessions yet.\n');
  for (const info of infos)
    process.stdout.write(values.json ? `${JSON.stringify(info)}\n` : `${lineOf(info)}\n    ${oneLine(placeText(info), 300)}\n`);
  return EXIT.answered;
}

function lineOf(info: Omit<Line, 'workspace'>): string {
  const { id, title, changedAt, status, mode = '', agent, model, events, bytes, isPinned, parent, isImported } = info;
  const facts = [
    mode,
    agent && oneLine(agent, 40),
    model && oneLine(`${model.provider}/${model.model}`, 40),
    countText(events, 'event'),
    bytesText(bytes),
  ];
  const marks = [isPinned && 'pinned', parent && 'fork', isImported && 'imported'].filter(Boolean).join(', ');
  const name = `${oneLine(title, 80)}${marks ? `  [${marks}]` : ''}`;
  return `${id}  ${timeText(changedAt)}  ${STATUS[status].padEnd(15)}  ${name}  (${facts.filter(Boolean).join(', ')})`;
}

async function listDeleted({ kedge, values }: CommandContext): Promise<number> {
  const infos = await (await kedge.assistant.library()).deleted();
  if (infos.length === 0 && !values.json) process.stderr.write('The trash is empty.\n');
  for (const info of infos)
    process.stdout.write(
      values.json ? `${JSON.stringify(info)}\n` : `${info.id}  deleted ${timeText(info.deletedAt)}  ${oneLine(info.title, 80)}\n`,
    );
  return EXIT.answered;
}

async function search({ kedge, values, signal }: CommandContext, words: string): Promise<number> {
  if (!words.trim()) throw new UsageError('Enter the words to search for: kedge sessions search WORDS.');
  let last = '';
  for await (const hit of (await kedge.assistant.library()).search(words, signal)) {
    const { session, line, title } = hit;
    if (values.json) process.stdout.write(`${JSON.stringify(hit)}\n`);
    else {
      if (session.id !== last) process.stdout.write(`${session.id}  ${timeText(session.changedAt)}  ${oneLine(session.title, 80)}\n`);
      if (line) process.stdout.write(`    ${title ? `${oneLine(title, 60)}: ` : ''}${oneLine(line, 200)}\n`);
    }
    last = session.id;
  }
  if (values.all) {
    for (const session of (await (await kedge.assistant.library()).elsewhere()).filter((each) => isNamedBy(each, words))) {
      const line = `${session.id}  ${timeText(session.changedAt)}  ${oneLine(session.title, 80)}\n    ${oneLine(placeText(session), 300)}`;
      process.stdout.write(`${values.json ? JSON.stringify({ session }) : line}\n`);
      last = session.id;
    }
  }
  if (last) return EXIT.answered;
  if (!values.json) process.stderr.write('No sessions contain these words.\n');
  return EXIT.failed;
}

async function remove(context: CommandContext, wanted: readonly string[]): Promise<number> {
  const { kedge, values } = context;
  const days = positiveNumber('--older-than', values['older-than']);
  const isMany = values.all === true || days !== undefined;
  if (isMany ? wanted.length > 0 : wanted.length === 0)
    throw new UsageError('Specify the sessions to delete, or use --all or --older-than DAYS. To list sessions, run kedge sessions.');
  const infos = await kedge.assistant.sessions();
  const old = infos.filter(({ changedAt, isPinned }) => days === undefined || (!isPinned && Date.now() - changedAt > days * DAY_MS));
  const ids = isMany ? old.map(({ id }) => id) : await Promise.all(wanted.map((each) => findId(kedge.assistant, each)));
  if (isMany && ids.length > 0 && !(await confirmed(`Delete ${countText(ids.length, 'session')} in this folder?`, context)))
    return EXIT.stopped;
  const library = await kedge.assistant.library();
  const { TRASH_DAYS } = await import('../../../sessions/trash.ts');
  for (const id of new Set(ids)) library.remove(id);
  process.stderr.write(
    `Deleted ${countText(ids.length, 'session')}. For ${TRASH_DAYS} days, you can restore them with kedge sessions restore. To list them, run kedge sessions --deleted.\n`,
  );
  return EXIT.answered;
}

async function emptyTrash(context: CommandContext): Promise<number> {
  const { storage, assistant } = context.kedge;
  const { length } = await (await assistant.library()).deleted();
  if (length > 0 && !(await confirmed(`Permanently delete ${countText(length, 'session')}?`, context))) return EXIT.stopped;
  const { emptyTrash: empty } = await import('../../../sessions/prune.ts');
  const { sessions: count, files, bytes } = await empty({ ...placesIn(storage), all: true });
  process.stderr.write(
    `Permanently deleted ${countText(count, 'session')}, and ${countText(files, 'stored file')} for undo (${bytesText(bytes)}).\n`,
  );
  return EXIT.answered;
}

async function usage({ kedge, values }: CommandContext): Promise<number> {
  const [{ usageOf }, { keptBounds }, { TRASH_DAYS }] = await Promise.all([
    import('../../../sessions/doctor.ts'),
    import('../../../sessions/prune.ts'),
    import('../../../sessions/trash.ts'),
  ]);
  const used = usageOf(placesIn(kedge.storage));
  if (values.json) {
    process.stdout.write(`${JSON.stringify(used)}\n`);
    return EXIT.answered;
  }
  const bounds = await keptBounds(placesIn(kedge.storage).blobs);
  const rows: [keyof typeof used, string, string][] = [
    ['sessions', 'sessions', 'kept until you delete them'],
    ['trash', 'deleted sessions', `removed ${TRASH_DAYS} days after deletion`],
    ['contents', 'file contents for undo', `kept for ${bounds.maxDays} days, at most ${bytesText(bounds.maxBytes)}`],
    ['index', 'index for lists and search', 'created from the sessions'],
  ];
  for (const [key, name, kept] of rows)
    process.stdout.write(
      `${name.padEnd(26)} ${bytesText(used[key].bytes).padStart(9)}  ${countText(used[key].files, 'file').padStart(10)}  ${kept}\n`,
    );
  process.stdout.write(`in ${kedge.storage}\n`);
  return EXIT.answered;
}

export function placesIn(storage: string): { sessions: string; blobs: string } {
  return { sessions: join(storage, 'sessions'), blobs: join(storage, 'blobs') };
}
