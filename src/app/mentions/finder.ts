/** Completes mentions while the user types: files, folders, symbols, and kinds such as `problems`. */
import { type MentionChoice, mentionLabel } from '../../core/model/mentions.ts';
import type { MentionKind, MentionRef } from '../../core/model/messages.ts';
import { mentionText } from '../../core/words/mention-text.ts';
import { answerOf } from '../../tools/languages/requests.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { parsePath } from '../../workspace/paths.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { deniedFilterOf } from '../run/judge.ts';
import { collectionChoices } from './collections.ts';
import type { MentionLists } from './lists.ts';
import { isSessionQuery, resourceChoices, sessionChoices } from './named.ts';
import { PathRanking } from './rank.ts';
import type { MentionPorts } from './sources.ts';

const MAX_CHOICES = 30;
const MAX_SYMBOLS = 8;
/** A shorter query would match too many symbols. */
const MIN_SYMBOL_QUERY = 3;

/** The state of the editor. `open` lists the paths of open files, the most recent first. `session` is the id of the shown session. */
export type EditorView = { open: readonly string[]; selection?: MentionRef | undefined; session?: string | undefined };

/**
 * Yields choices for a query, the best first. The first lists do not wait for files or symbols. Each later list replaces the earlier one.
 */
export async function* find(
  query: string,
  { open, selection, session }: EditorView,
  ports: MentionPorts,
  lists: MentionLists,
): AsyncGenerator<MentionChoice[]> {
  const sessions = isSessionQuery(query) ? (await lists.sessions()).filter(({ id }) => id !== session) : [];
  const kinds = [
    ...kindChoices(query, ports, selection, sessions.length > 0),
    ...sessionChoices(query, sessions),
    ...collectionChoices(query, await lists.collections()),
  ];
  const isOffered = await offeredIn(ports);
  const isOpen = new Set(open);
  const filesOf = (ranking: PathRanking | undefined) => {
    const found =
      query === '' ? open.slice(0, MAX_CHOICES) : (ranking ?? new PathRanking(open)).search(query, MAX_CHOICES, (path) => isOpen.has(path));
    return found.filter(isOffered).map(fileChoice);
  };
  const old = lists.files.known;
  yield [...kinds, ...filesOf(old)];
  const symbols = symbolsFor(query, ports);
  const resources = resourceChoices(query, ports).catch(() => []);
  const ranking = await lists.files.paths();
  const files = filesOf(ranking);
  if (ranking !== old) yield [...kinds, ...files];
  const found = [...(await resources), ...(await symbols)];
  if (found.length > 0) yield [...kinds, ...files, ...found];
}

/** The rules and ignore files may have changed since the list of files was read, and the list was read without the rules of a session. */
async function offeredIn(ports: MentionPorts): Promise<(path: string) => boolean> {
  const fs = await withIgnoreFiles(ports.fileSystem());
  const isDenied = deniedFilterOf(ports);
  return (path) => {
    const plain = path.replace(/\/$/, '');
    try {
      return !isDenied(plain) && !fs.hides?.(parsePath(plain, fs.folders));
    } catch {
      return false;
    }
  };
}

async function symbolsFor(query: string, ports: MentionPorts): Promise<MentionChoice[]> {
  const { languages } = ports;
  if (!languages || query.length < MIN_SYMBOL_QUERY || /[/\\.:]/.test(query)) return [];
  try {
    const found = await answerOf((signal) => languages.symbols(query, signal), new AbortController().signal);
    const workspace = new Workspace(await withIgnoreFiles(ports.fileSystem()));
    const isOffered = await offeredIn(ports);
    return found
      .flatMap(({ at, symbol, line, end, kind }) => {
        if (!at || !isOffered(workspace.display(at))) return [];
        const ref: MentionRef = { kind: 'symbol', path: workspace.display(at), name: symbol, lines: { from: line, to: end ?? line } };
        return [{ ref, label: symbol, detail: `${kind} in ${workspace.display(at)}:${line}`, insert: mentionText(symbol) }];
      })
      .slice(0, MAX_SYMBOLS);
  } catch {
    return [];
  }
}

function fileChoice(shown: string): MentionChoice {
  const isFolder = shown.endsWith('/');
  const path = isFolder ? shown.slice(0, -1) : shown;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const around = path.slice(0, Math.max(0, path.length - name.length - 1));
  return {
    ref: { kind: isFolder ? 'folder' : 'file', path },
    label: isFolder ? `${name}/` : name,
    ...(around && { detail: around }),
    insert: mentionText(shown),
  };
}

const KINDS: readonly [kind: MentionKind, detail: string][] = [
  ['selection', 'The selected lines in the editor'],
  ['problems', 'Errors and warnings'],
  ['changes', 'Uncommitted changes'],
  ['terminal', 'Output of the last command'],
  ['session', 'An earlier session: type its title'],
  ['url', 'A web page: type its address'],
];

function kindChoices(query: string, ports: MentionPorts, selection: MentionRef | undefined, hasSessions: boolean): MentionChoice[] {
  if (/^https?:\/\//i.test(query)) {
    const isComplete = URL.canParse(query) && new URL(query).hostname !== '';
    const url: MentionChoice = { ref: { kind: 'url', path: query }, label: query, detail: 'Web page', insert: `@${query}` };
    return isComplete && ports.fetcher && ports.trusted() ? [url] : [];
  }
  const isAvailable: Partial<Record<MentionKind, boolean>> = {
    selection: selection !== undefined,
    problems: ports.languages !== undefined,
    changes: ports.changes !== undefined && ports.trusted(),
    terminal: ports.terminalOutput?.() !== undefined,
    // For the complete word, the sessions themselves are listed instead.
    session: hasSessions && query.length < 'session'.length,
    url: ports.fetcher !== undefined && ports.trusted(),
  };
  return KINDS.filter(([kind]) => isAvailable[kind] && kind.startsWith(query.toLowerCase())).map(([kind, detail]) => ({
    ref: kind === 'selection' && selection ? selection : { kind },
    label: kind,
    detail: kind === 'selection' && selection ? mentionLabel(selection) : detail,
    insert: { url: '@https://', session: '@session:' }[kind as string] ?? `@${kind}`,
  }));
}
