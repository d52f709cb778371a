/** Completes mentions while the user types: files, folders, symbols, and kinds such as `problems`. */
import { type MentionChoice, mentionLabel } from '../../core/model/mentions.ts';
import type { MentionKind, MentionRef } from '../../core/model/messages.ts';
import { mentionText } from '../../core/words/mention-text.ts';
import { deniedFilter } from '../../policy/unreadable-files.ts';
import { answerOf } from '../../tools/languages/requests.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { parsePath } from '../../workspace/paths.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { policySettings } from '../run/judge.ts';
import { FileIndex } from './file-index.ts';
import type { MentionPorts } from './mentions.ts';
import { PathRanking } from './rank.ts';

const MAX_CHOICES = 30;
const MAX_SYMBOLS = 8;
/** A shorter query would match too many symbols. */
const MIN_SYMBOL_QUERY = 3;

/** What the user sees in the editor. `open` lists the paths of open files, the newest first. */
export type EditorView = { open: readonly string[]; selection?: MentionRef | undefined };

export class MentionFinder {
  readonly #ports: MentionPorts;
  readonly #index: FileIndex;

  constructor(ports: MentionPorts) {
    this.#ports = ports;
    this.#index = new FileIndex(ports);
  }

  /** Call this when files were created, deleted or renamed. A later search reads the list again. */
  filesChanged(): void {
    this.#index.filesChanged();
  }

  /** Yields choices for a query, the best first. A later list replaces an earlier one, which did not wait for files or symbols. */
  async *find(query: string, { open, selection }: EditorView): AsyncGenerator<MentionChoice[]> {
    const kinds = kindChoices(query, this.#ports, selection);
    const isOffered = await this.#offered();
    const isOpen = new Set(open);
    const filesOf = (ranking: PathRanking | undefined) => {
      const found =
        query === ''
          ? open.slice(0, MAX_CHOICES)
          : (ranking ?? new PathRanking(open)).search(query, MAX_CHOICES, (path) => isOpen.has(path));
      return found.filter(isOffered).map(fileChoice);
    };
    const old = this.#index.known;
    yield [...kinds, ...filesOf(old)];
    const symbols = this.#symbols(query);
    const ranking = await this.#index.paths();
    const files = filesOf(ranking);
    if (ranking !== old) yield [...kinds, ...files];
    const found = await symbols;
    if (found.length > 0) yield [...kinds, ...files, ...found];
  }

  /** The rules and ignore files may have changed since the list was read. */
  async #offered(): Promise<(path: string) => boolean> {
    const fs = await withIgnoreFiles(this.#ports.fileSystem());
    const isDenied = deniedFilter(policySettings(this.#ports).rules, aliasesIn(fs.folders));
    return (path) => {
      const plain = path.replace(/\/$/, '');
      try {
        return !isDenied(plain) && !fs.hides?.(parsePath(plain, fs.folders));
      } catch {
        return false;
      }
    };
  }

  async #symbols(query: string): Promise<MentionChoice[]> {
    const { languages } = this.#ports;
    if (!languages || query.length < MIN_SYMBOL_QUERY || /[/\\.:]/.test(query)) return [];
    try {
      const found = await answerOf((signal) => languages.symbols(query, signal), new AbortController().signal);
      const workspace = new Workspace(await withIgnoreFiles(this.#ports.fileSystem()));
      const isOffered = await this.#offered();
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
  ['url', 'A web page: type its address'],
];

function kindChoices(query: string, ports: MentionPorts, selection: MentionRef | undefined): MentionChoice[] {
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
    url: ports.fetcher !== undefined && ports.trusted(),
  };
  return KINDS.filter(([kind]) => isAvailable[kind] && kind.startsWith(query.toLowerCase())).map(([kind, detail]) => ({
    ref: kind === 'selection' && selection ? selection : { kind },
    label: kind,
    detail: kind === 'selection' && selection ? mentionLabel(selection) : detail,
    insert: kind === 'url' ? '@https://' : `@${kind}`,
  }));
}
