import type { PlanStep } from '../../core/plan/plan.ts';
import type { Outcome } from '../script.ts';

/** The effects of a change: as text (`would`) for Ask mode, and as `steps` for Plan mode. */
export type Survey = { problem: string } | { would: string; brief: string; warning?: string; steps: PlanStep[]; checks?: string[] };

export function problemOutcome(problem: string): Outcome {
  return { text: problem, failed: problem };
}

/** Shortens a tool's error message to one line. A rejection keeps all its lines. */
export function firstLine(text: string): string {
  const line = /rejected|^Nobody/i.test(text) ? text.replace(/\s+/g, ' ') : (text.split('\n', 1)[0] ?? '');
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
