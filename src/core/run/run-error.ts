import { ModelError } from '../model/model.ts';
import type { RunError } from '../session/events.ts';

export function runError(error: unknown): RunError {
  return {
    kind: error instanceof ModelError ? error.kind : 'internal',
    message: error instanceof Error ? error.message : String(error),
  };
}
