/** The note about the user's surroundings: the computer, the repository and the open files. */
import { surroundingLines } from '../../core/context/rules-in-force.ts';
import type { Message, NotePart } from '../../core/model/messages.ts';
import { note } from '../../core/model/notes.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { formatPath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';

/** A file that is open in the editor. `selection` has the first and last selected line, counted from 1. */
export type OpenFile = { at: Location; isActive?: boolean; selection?: [from: number, to: number]; errors?: number; warnings?: number };

/** The facts about the surroundings that a host knows. A field is missing if it is unknown or if the user has turned it off. */
export type Surroundings = {
  /** The operating system and the shell, such as `Linux, bash`. */
  system?: string;
  /** The local date, such as `2026-11-22`. */
  date?: string;
  /** Whether the note lists the open folders. */
  folders?: boolean;
  /** `changed` are the files with uncommitted changes, if they are known. */
  git?: { branch: string; changed?: readonly Location[] };
  /** The open files. `parts` determines which of them are listed. */
  files?: readonly OpenFile[];
  parts?: { activeFile?: boolean; openFiles?: boolean; problems?: boolean };
};

const MAX_FILES = 5;
/** The maximum length of a line, in characters. Names of branches and files can be long. */
const MAX_LINE = 200;
const NONE = 'none';

/**
 * Returns a note with the lines that differ from earlier notes, or nothing. In a workspace that the user does not trust, names from the
 * workspace are left out, because a branch or a file can have any name.
 */
export function surroundingsNote(
  surroundings: Surroundings,
  messages: readonly Message[],
  { fs, trusted, isWithheld }: { fs: Pick<FileSystem, 'folders'>; trusted: boolean; isWithheld: (at: Location) => boolean },
): NotePart[] {
  const before = surroundingLines(messages);
  const now = new Map(trusted ? entries(surroundings, fs, isWithheld) : entries(withoutNames(surroundings), fs, isWithheld));
  const changed = [...now].filter(([key, value]) => before.get(key) !== value && !(value === NONE && !before.has(key)));
  if (changed.length === 0) return [];
  return [note('surroundings', changed.map(([key, value]) => `${key}: ${value}`).join('\n'))];
}

function withoutNames({ system, date }: Surroundings): Surroundings {
  return { ...(system && { system }), ...(date && { date }) };
}

function* entries(
  { system, date, folders, git, files = [], parts = {} }: Surroundings,
  fs: Pick<FileSystem, 'folders'>,
  isWithheld: (at: Location) => boolean,
): Generator<[key: string, value: string]> {
  const shown = files.filter(({ at }) => !isWithheld(at));
  const name = (file: OpenFile) => visibleLine(formatPath(file.at, fs.folders));
  if (system) yield ['System', line(system)];
  if (date) yield ['Date', line(date)];
  if (folders && fs.folders.length > 0) yield ['Folders', line(fs.folders.map((folder) => visibleLine(folder.name)).join(', '))];
  if (git) {
    const hasChanges = git.changed?.some((at) => !isWithheld(at));
    const changes = hasChanges === undefined ? '' : hasChanges ? ', uncommitted changes' : ', no uncommitted changes';
    yield ['Git', line(`branch ${visibleLine(git.branch)}`) + changes];
  }
  if (parts.activeFile) {
    const active = shown.find(({ isActive }) => isActive);
    yield ['Active file', line(active ? name(active) + selectionText(active) : NONE)];
  }
  if (parts.openFiles) {
    const open = shown.filter(({ isActive }) => !isActive || !parts.activeFile);
    const more = open.length > MAX_FILES ? ` and ${open.length - MAX_FILES} more` : '';
    yield ['Other open files', open.length > 0 ? line(open.slice(0, MAX_FILES).map(name).join(', ')) + more : NONE];
  }
  if (parts.problems) {
    const sum = (key: 'errors' | 'warnings') => shown.reduce((total, file) => total + (file[key] ?? 0), 0);
    const counts = [
      [sum('errors'), 'error'],
      [sum('warnings'), 'warning'],
    ] as const;
    const texts = counts.flatMap(([count, noun]) => (count > 0 ? [`${count} ${noun}${count === 1 ? '' : 's'}`] : []));
    yield ['Problems in open files', texts.join(', ') || NONE];
  }
}

function selectionText({ selection }: OpenFile): string {
  if (!selection) return '';
  const [from, to] = selection;
  return from === to ? `, line ${from} selected` : `, lines ${from}-${to} selected`;
}

function line(text: string): string {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE).toWellFormed()}…` : text;
}
