import type { RunError } from './events.ts';
import { ModelError } from './model.ts';

export function runError(error: unknown): RunError {
  return {
    kind: error instanceof ModelError ? error.kind : 'internal',
    message: error instanceof Error ? error.message : String(error),
  };
}
