/** The language services of a host, as an editor has them. They only look: what a rename would change is handed out, and not applied. */
import type { Location } from './types.ts';

/** `line` counts from 1; `column` is how far into the line, in UTF-16 units from 0. */
export type Position = { line: number; column: number };

/** `at` is absent for what lies in no open folder; `name` is then what to call it. */
export type Place = { at?: Location; name: string; line: number };

export type Problem = { at: Location; line: number; severity: 'error' | 'warning'; message: string };

/** `depth` is 0 for what stands at the top of the file. */
export type OutlineEntry = { name: string; kind: string; line: number; depth: number };

export type FoundSymbol = Place & { symbol: string; kind: string; container?: string };

export type TextEdit = { from: Position; to: Position; text: string };

/** Files by where they are now. `strange` names what is no edit or move of a file in an open folder. */
export type RenameEffect = { edits: { at: Location; edits: TextEdit[] }[]; moves: { from: Location; to: Location }[]; strange: string[] };

/** Files that are watched while they are changed. */
export interface ProblemWatch {
  /** What was known before the change, complete once `after` resolved; files of which nothing could be known are not among `files`. */
  readonly files: readonly Location[];
  readonly before: readonly Problem[];
  /** What there is in these files after the change. Waits a short time for services that are known to answer. */
  after(files: readonly Location[]): Promise<Problem[]>;
  end(): void;
}

/** Each question may take as long as a language server does: callers set the time. None of them changes anything. */
export interface LanguageServices {
  /** Errors and warnings of one file, or of all that were checked so far. */
  problems(at: Location | undefined, signal: AbortSignal): Promise<Problem[]>;
  outline(at: Location, signal: AbortSignal): Promise<OutlineEntry[]>;
  symbols(query: string, signal: AbortSignal): Promise<FoundSymbol[]>;
  definition(at: Location, position: Position, signal: AbortSignal): Promise<Place[]>;
  references(at: Location, position: Position, signal: AbortSignal): Promise<Place[]>;
  /** undefined where nobody can rename it. @throws with the words of the service where it refuses to. */
  rename(at: Location, position: Position, newName: string, signal: AbortSignal): Promise<RenameEffect | undefined>;
  /** Gets the services ready for these files, without waiting. */
  prepare(files: readonly Location[]): void;
  watch(files: readonly Location[], signal: AbortSignal): Promise<ProblemWatch>;
}
