import type { Scope } from './scope.ts';

export type Question =
  | { kind: 'where'; name: string; wanted: 'definition' | 'uses' | 'calls' }
  | { kind: 'text'; text: string; regex: boolean; scope: Scope }
  | { kind: 'files'; glob: string }
  | { kind: 'list'; path: string }
  | { kind: 'explain'; what: string; from?: number; to?: number }
  | { kind: 'overview' }
  | { kind: 'count'; what: 'files' | 'lines' | 'occurrences' | 'users' | 'importers'; text: string; scope: Scope }
  | { kind: 'read'; path: string; from?: number; to?: number };

export type Substitution =
  /** Replaces whole identifiers. */
  | { kind: 'rename'; from: string; to: string; scope: Scope }
  /** Replaces plain text, also inside words. */
  | { kind: 'replace'; from: string; to: string; scope: Scope };

export type FileChange =
  | { kind: 'create'; path: string; content: string }
  | { kind: 'append'; path: string; text: string }
  /** `beside` means that only a new name was given, so the file stays in its directory. */
  | { kind: 'move'; from: string; to: string; beside: boolean }
  | { kind: 'delete'; path: string };

export type Change = Substitution | FileChange;

export type Request = Question | Change | { kind: 'several'; requests: (Question | Change)[] } | { kind: 'unknown' } | { kind: 'greeting' };

const CHANGES: ReadonlySet<string> = new Set(['rename', 'replace', 'create', 'append', 'move', 'delete']);

export function isChange(request: Request): request is Change {
  return CHANGES.has(request.kind);
}

export const IDENTIFIER = /^[\p{L}_$@#][\p{L}\p{N}_$-]*$/u;
