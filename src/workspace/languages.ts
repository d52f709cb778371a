/** The language services of a host, such as those of an editor. They only read: a rename returns its edits and does not apply them. */
import type { Location } from './types.ts';

/** `line` counts from 1; `column` counts UTF-16 code units from 0. */
export type Position = { line: number; column: number };

/** `at` is missing for a place outside all open folders. `name` is then displayed instead of a path. */
export type Place = { at?: Location; name: string; line: number };

export type Problem = { at: Location; line: number; severity: 'error' | 'warning'; message: string };

/** `depth` is 0 for a symbol at the top level of the file. */
export type OutlineEntry = { name: string; kind: string; line: number; depth: number };

/** `end` is the last line of the symbol, if the service returns it. */
export type FoundSymbol = Place & { symbol: string; kind: string; container?: string; end?: number };

export type TextEdit = { from: Position; to: Position; text: string };

/**
 * The edits and moves of a rename, by current file locations. `strange` lists effects that are neither an edit nor a move of a file in an
 * open folder.
 */
export type RenameEffect = { edits: { at: Location; edits: TextEdit[] }[]; moves: { from: Location; to: Location }[]; strange: string[] };

/** Watches the problems of files while a tool call changes the files. */
export interface ProblemWatch {
  /**
   * The problems before the change, complete once `after` has resolved. `files` does not contain files for which no service could report
   * problems.
   */
  readonly files: readonly Location[];
  readonly before: readonly Problem[];
  /** Returns the problems in these files after the change. It waits a short time for services that are known to respond. */
  after(files: readonly Location[]): Promise<Problem[]>;
  end(): void;
}

/**
 * Language service requests can take as long as the language server does, so callers set a timeout through `signal`. None of them changes a
 * file.
 */
export interface LanguageServices {
  /** Returns the errors and warnings of one file, or of all files that were checked so far. */
  problems(at: Location | undefined, signal: AbortSignal): Promise<Problem[]>;
  outline(at: Location, signal: AbortSignal): Promise<OutlineEntry[]>;
  symbols(query: string, signal: AbortSignal): Promise<FoundSymbol[]>;
  definition(at: Location, position: Position, signal: AbortSignal): Promise<Place[]>;
  references(at: Location, position: Position, signal: AbortSignal): Promise<Place[]>;
  /** Returns undefined when no service can rename the symbol. @throws Error with the message of a service that refuses the rename. */
  rename(at: Location, position: Position, newName: string, signal: AbortSignal): Promise<RenameEffect | undefined>;
  /** Starts the services for these files without waiting for them. */
  prepare(files: readonly Location[]): void;
  watch(files: readonly Location[], signal: AbortSignal): Promise<ProblemWatch>;
}
